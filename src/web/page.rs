//! Pages as answers: their frame, and how long they are kept.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::assets::Assets;
use super::docs::{GUIDES, Guide};
use super::headers::protected;
use super::words;
use crate::app::problem::Problem;
use crate::memory::rendered::{Freshness, Rendered};

/// The media type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// How long pages are kept whose cards may be unlocked at any moment.
pub(super) const LIVE: Freshness = Freshness::Public(5);

/// Entries on a page of a list.
pub(super) const ENTRIES: u16 = 60;

/// A place of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Home,
    Search,
    SearchHelp,
    Decks,
    Designs,
    Collection,
    Submit,
    Account,
    /// None of those that are named on each page.
    Elsewhere,
}

/// What other sites show of a page when somebody links to it.
#[derive(Debug)]
pub(super) struct Preview {
    pub(super) title: String,
    pub(super) text: String,
    /// A whole address; `None`: there is nothing to show.
    pub(super) picture: Option<String>,
}

/// What stands around the content of every page.
#[derive(Debug)]
pub(super) struct Frame {
    /// The title of the browser's tab.
    pub(super) title: String,
    pub(super) place: Place,
    /// Whether search engines may show it.
    pub(super) is_indexed: bool,
    /// The whole address of the page; `None`: it has none to be kept, or nobody said where browsers find the service.
    pub(super) canonical: Option<String>,
    pub(super) preview: Option<Preview>,
    /// Paths of the pages before and after it in their list.
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    /// Where its script is; `None`: it needs none.
    pub(super) script: Option<&'static str>,
    pub(super) assets: &'static Assets,
    pub(super) guides: &'static [Guide],
}

impl Frame {
    /// The frame of a page with this heading.
    pub(super) fn new(heading: &str) -> Self {
        Self {
            title: words::page_title(heading),
            place: Place::Elsewhere,
            is_indexed: false,
            canonical: None,
            preview: None,
            previous: None,
            next: None,
            script: None,
            assets: Assets::of_this_version(),
            guides: GUIDES,
        }
    }

    /// The same at a place of the navigation.
    pub(super) fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// The same at an address that search engines and people may keep. `public_url`: where the service is, without a slash at its end, if that is known.
    pub(super) fn of_address(self, public_url: Option<&str>, path: &str) -> Self {
        let canonical = public_url.map(|public| format!("{public}{path}"));
        Self { is_indexed: true, canonical, ..self }
    }

    /// Whether the page stands there in the navigation.
    pub(super) fn is_at(&self, place: Place) -> bool {
        self.place == place
    }
}

/// An address with those of the fields that are not empty.
pub(super) fn path_of(path: &str, fields: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(fields.iter().filter(|(_, value)| !value.is_empty()));
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Writes a page out.
pub(super) fn write(template: &impl Template, freshness: Freshness) -> Result<Rendered, Problem> {
    let html = template.render().map_err(Problem::internal)?;
    Ok(Rendered::file(freshness, HTML, html))
}

/// A page or file with its headers, or a 304 when that is what the reader has.
pub(super) fn answer(req: &HttpRequest, written: &Rendered) -> HttpResponse {
    protected(written.answer(req))
}

/// A page about a request that cannot be done as it is: 400, and nobody keeps it.
pub(super) fn refused(written: &Rendered) -> HttpResponse {
    protected(
        HttpResponse::BadRequest()
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .content_type(HTML)
            .body(written.body().clone()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_what_was_filled_in() {
        assert_eq!(path_of("/admin/people", &[("name", ""), ("role", "")]), "/admin/people");
        assert_eq!(path_of("/a", &[("q", "x y"), ("game", "")]), "/a?q=x+y");
    }
}
