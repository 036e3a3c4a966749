//! Pages as responses: their frame, and how long they are cached.

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

/// Pages with cards that may be unlocked at any moment are cached for a short time only.
pub(super) const LIVE: Freshness = Freshness::Public(5);

/// Entries on a page of a list.
pub(super) const ENTRIES: u16 = 60;

/// A section of the main navigation.
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
    /// None of the sections in the navigation.
    Elsewhere,
}

/// The preview of a page on other sites.
#[derive(Debug)]
pub(super) struct Preview {
    pub(super) title: String,
    pub(super) text: String,
    /// An absolute address; `None`: there is no picture.
    pub(super) picture: Option<String>,
}

/// The frame around the content of every page.
#[derive(Debug)]
pub(super) struct Frame {
    /// The title of the browser tab.
    pub(super) title: String,
    pub(super) place: Place,
    /// Whether search engines may index the page.
    pub(super) is_indexed: bool,
    /// The absolute address of the page; `None`: the page has no permanent address, or the public address of the service is not configured.
    pub(super) canonical: Option<String>,
    pub(super) preview: Option<Preview>,
    /// The paths of the previous and the next page of the list.
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    /// The path of its script; `None`: it needs none.
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

    /// Sets the section of the navigation.
    pub(super) fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// Sets the permanent address of the page, which search engines may index. `public_url`: the address of the service without a slash at its end, if it is
    /// configured.
    pub(super) fn of_address(self, public_url: Option<&str>, path: &str) -> Self {
        let canonical = public_url.map(|public| format!("{public}{path}"));
        Self { is_indexed: true, canonical, ..self }
    }

    /// Whether the page belongs to this section of the navigation.
    pub(super) fn is_at(&self, place: Place) -> bool {
        self.place == place
    }
}

/// A path with those fields as its query that are not empty.
pub(super) fn path_of(path: &str, fields: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(fields.iter().filter(|(_, value)| !value.is_empty()));
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// The search for what a player has published. Searches compare names without punctuation, and a quotation mark would end
/// the name.
pub(super) fn query_by(name: &str) -> String {
    format!("by:\"{}\"", name.replace(['"', '\\'], " "))
}

/// The page of a player. A name may contain characters that have a meaning in addresses.
pub(super) fn player_path(name: &str) -> String {
    let name = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("/players/{name}")
}

/// Renders a page.
pub(super) fn write(template: &impl Template, freshness: Freshness) -> Result<Rendered, Problem> {
    let html = template.render().map_err(Problem::internal)?;
    Ok(Rendered::file(freshness, HTML, html))
}

/// A page or file with its headers, or a 304 if the client has it already.
pub(super) fn answer(req: &HttpRequest, written: &Rendered) -> HttpResponse {
    protected(written.answer(req))
}

/// The page for an invalid request: status 400, and not cached.
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
    fn addresses_hold_fields_with_input() {
        assert_eq!(path_of("/admin/people", &[("name", ""), ("role", "")]), "/admin/people");
        assert_eq!(path_of("/a", &[("q", "x y"), ("game", "")]), "/a?q=x+y");
    }

    #[test]
    fn a_name_with_quotation_marks_is_one_text_of_a_query() {
        assert_eq!(query_by(r#"Ada "Ace\"#), "by:\"Ada  Ace \"");
    }
}
