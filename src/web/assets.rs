//! Static files of the pages: styles, scripts and pictures that are compiled into the program. Their addresses contain a hash of all files.

use std::sync::LazyLock;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_pictures::Picture;
use xxhash_rust::xxh3::Xxh3;

use super::headers::protected;
use crate::app::problem::Problem;
use crate::memory::rendered::{Freshness, Rendered};

/// Cached for one year: the hash in the address changes when any file changes.
const FOR_ONE_YEAR: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// For an address with another hash: a page of another version of the program links to it, while instances are replaced.
const NOT_CACHED: HeaderValue = HeaderValue::from_static("no-cache");

/// The prefix of their paths.
const ASSETS: &str = "/assets/";

const SVG: &str = "image/svg+xml";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLES: &str = "style.css";
const ICON: &str = "favicon.svg";
const BACK: &str = "back.svg";
const SUBMIT_SCRIPT: &str = "submit.js";
const LIVE_SCRIPT: &str = "live.js";
const DECK_SCRIPT: &str = "deck.js";
const FORM_SCRIPT: &str = "live_form.js";
const FRAME_SCRIPT: &str = "frame.js";
const CARD_SCRIPT: &str = "card.js";
const PICK_SCRIPT: &str = "pick.js";
const FAULT_SCRIPT: &str = "fault.js";
/// Modules that other scripts import by a relative path.
const MODULES: [(&str, &[u8]); 18] = [
    ("badge.js", include_bytes!("assets/badge.js")),
    ("guard.js", include_bytes!("assets/guard.js")),
    ("keys.js", include_bytes!("assets/keys.js")),
    ("names.js", include_bytes!("assets/names.js")),
    ("once.js", include_bytes!("assets/once.js")),
    ("query_end.js", include_bytes!("assets/query_end.js")),
    ("search.js", include_bytes!("assets/search.js")),
    ("scan.js", include_bytes!("assets/scan.js")),
    ("qr.js", include_bytes!("assets/qr.js")),
    ("qr_bits.js", include_bytes!("assets/qr_bits.js")),
    ("qr_correction.js", include_bytes!("assets/qr_correction.js")),
    ("qr_finders.js", include_bytes!("assets/qr_finders.js")),
    ("qr_image.js", include_bytes!("assets/qr_image.js")),
    ("qr_places.js", include_bytes!("assets/qr_places.js")),
    ("seen_events.js", include_bytes!("assets/seen_events.js")),
    ("shortcuts.js", include_bytes!("assets/shortcuts.js")),
    ("text_places.js", include_bytes!("assets/text_places.js")),
    ("words_match.js", include_bytes!("assets/words_match.js")),
];
/// Files that pages link to.
const NAMES: [&str; 11] = [
    STYLES,
    ICON,
    BACK,
    SUBMIT_SCRIPT,
    LIVE_SCRIPT,
    FORM_SCRIPT,
    DECK_SCRIPT,
    FRAME_SCRIPT,
    CARD_SCRIPT,
    PICK_SCRIPT,
    FAULT_SCRIPT,
];

/// All files of this version of the program, and their paths.
#[derive(Debug)]
pub(super) struct Assets {
    hash: String,
    files: Vec<(&'static str, Rendered)>,
    /// The path of the styles.
    pub(super) styles: String,
    /// The path of the icon.
    pub(super) icon: String,
    /// The path of the card back, which all hidden cards show.
    pub(super) back: String,
    /// The path of the script of the page on which a serial code is typed.
    pub(super) submit_script: String,
    /// The path of the script of pages with hidden cards.
    pub(super) live_script: String,
    /// The path of the script of pages on which a deck list is typed.
    pub(super) deck_script: String,
    /// The path of the script of forms that are checked while the visitor types.
    pub(super) form_script: String,
    /// The path of the script of all pages.
    pub(super) frame_script: String,
    /// The path of the script of the pages of cards.
    pub(super) card_script: String,
    /// The path of the script of pages on which copies are chosen.
    pub(super) pick_script: String,
    /// The path of the script of pages that mark faults in a long text.
    pub(super) fault_script: String,
}

impl Assets {
    /// The files of this version of the program.
    pub(super) fn of_this_version() -> &'static Self {
        static FILES: LazyLock<Assets> = LazyLock::new(Assets::read);
        &FILES
    }

    fn read() -> Self {
        let named = [
            (STYLES, "text/css; charset=utf-8", include_bytes!("assets/style.css").to_vec()),
            (ICON, SVG, include_bytes!("assets/favicon.svg").to_vec()),
            (BACK, SVG, Picture::back().svg().into_bytes()),
            (SUBMIT_SCRIPT, SCRIPT, include_bytes!("assets/submit.js").to_vec()),
            (LIVE_SCRIPT, SCRIPT, include_bytes!("assets/live.js").to_vec()),
            (DECK_SCRIPT, SCRIPT, include_bytes!("assets/deck.js").to_vec()),
            (FORM_SCRIPT, SCRIPT, include_bytes!("assets/live_form.js").to_vec()),
            (FRAME_SCRIPT, SCRIPT, include_bytes!("assets/frame.js").to_vec()),
            (CARD_SCRIPT, SCRIPT, include_bytes!("assets/card.js").to_vec()),
            (PICK_SCRIPT, SCRIPT, include_bytes!("assets/pick.js").to_vec()),
            (FAULT_SCRIPT, SCRIPT, include_bytes!("assets/fault.js").to_vec()),
        ];
        let module = |(name, content): (&'static str, &[u8])| (name, SCRIPT, content.to_vec());
        let contents: Vec<_> = named.into_iter().chain(MODULES.map(module)).collect();
        let mut hash = Xxh3::new();
        for (_, _, content) in &contents {
            hash.update(content);
        }
        let hash = format!("{:016x}", hash.digest());
        let file = |(name, media_type, content)| {
            (name, Rendered::file(Freshness::Public(0), media_type, content).into_cached())
        };
        let files = contents.into_iter().map(file).collect();
        let address = |name: &str| format!("{ASSETS}{hash}/{name}");
        let (styles, icon, back) = (address(STYLES), address(ICON), address(BACK));
        let (submit_script, live_script) = (address(SUBMIT_SCRIPT), address(LIVE_SCRIPT));
        let deck_script = address(DECK_SCRIPT);
        let form_script = address(FORM_SCRIPT);
        let (frame_script, card_script) = (address(FRAME_SCRIPT), address(CARD_SCRIPT));
        let (pick_script, fault_script) = (address(PICK_SCRIPT), address(FAULT_SCRIPT));
        Self {
            hash,
            files,
            styles,
            icon,
            back,
            submit_script,
            live_script,
            deck_script,
            form_script,
            frame_script,
            card_script,
            pick_script,
            fault_script,
        }
    }

    fn find(&self, name: &str) -> Option<&Rendered> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, file)| file)
    }
}

/// Whether a path leads to one of the files, with any hash.
pub(super) fn is_asset(path: &str) -> bool {
    let place = path.strip_prefix(ASSETS).and_then(|rest| rest.split_once('/'));
    let is_module = |name: &str| MODULES.iter().any(|(module, _)| *module == name);
    place.is_some_and(|(_, name)| NAMES.contains(&name) || is_module(name))
}

/// Answers a file of this version. With the hash of another version the answer has the same file, and is not cached: slightly different styles are better than
/// none.
pub(super) async fn find_asset(
    req: HttpRequest,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (hash, name) = path.into_inner();
    let assets = Assets::of_this_version();
    let file = assets.find(&name).ok_or_else(Problem::not_found)?;
    Ok(file_answer(&req, file, if hash == assets.hash { FOR_ONE_YEAR } else { NOT_CACHED }))
}

/// The icon at the path where browsers look for it by default.
pub(super) async fn find_icon(req: HttpRequest) -> Result<HttpResponse, Problem> {
    let file = Assets::of_this_version().find(ICON).ok_or_else(Problem::not_found)?;
    Ok(file_answer(&req, file, HeaderValue::from_static("public, max-age=86400")))
}

/// The paths that crawlers should leave out: the API except the pictures of cards and designs, and searches, because there is no end of them.
pub(super) async fn find_robots(req: HttpRequest) -> HttpResponse {
    const ROBOTS: &str = "User-agent: *\nAllow: /v1/cards/*/picture\nAllow: /v1/designs/*/picture\n\
        Disallow: /v1/\nDisallow: /search?\nDisallow: /decks?\nDisallow: /designs?\n";
    let file = Rendered::file(Freshness::Public(0), "text/plain; charset=utf-8", ROBOTS.as_bytes());
    file_answer(&req, &file, HeaderValue::from_static("public, max-age=86400"))
}

fn file_answer(req: &HttpRequest, file: &Rendered, cache_control: HeaderValue) -> HttpResponse {
    let mut answer = protected(file.answer(req));
    answer.headers_mut().insert(header::CACHE_CONTROL, cache_control);
    // The answer is the same for every request, so it does not vary.
    answer.headers_mut().remove(header::VARY);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_the_hash_and_leads_to_a_file() {
        let assets = Assets::of_this_version();
        let scripts = [
            &assets.submit_script,
            &assets.live_script,
            &assets.form_script,
            &assets.deck_script,
            &assets.frame_script,
            &assets.card_script,
            &assets.pick_script,
            &assets.fault_script,
        ];
        for address in [&assets.styles, &assets.icon, &assets.back].into_iter().chain(scripts) {
            let rest = address.strip_prefix(ASSETS).unwrap();
            let (hash, name) = rest.split_once('/').unwrap();
            assert_eq!(hash, assets.hash);
            assert!(assets.find(name).unwrap().weight() > 0, "{name}");
            assert!(is_asset(address), "{address}");
        }
        for (name, _) in MODULES {
            assert!(assets.find(name).unwrap().weight() > 0, "{name}");
            assert!(is_asset(&format!("{ASSETS}x/{name}")), "{name}");
        }
        assert!(assets.find("nothing").is_none());
        for path in
            ["/assets/x/nothing", "/assets/style.css", "/assets/a/b/style.css", "/style.css"]
        {
            assert!(!is_asset(path), "{path}");
        }
    }
}
