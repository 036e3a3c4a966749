//! The help of the search language, built from the table that checks queries.

use std::sync::LazyLock;

use crate::search::{FieldHelp, card_fields};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::field_words::meaning;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::memory::rendered::Freshness;
use crate::web::page::{Frame, Place, answer, write};
use crate::web::words;

/// The page changes only with the program.
const FRESHNESS: Freshness = Freshness::Public(300);

#[derive(Template)]
#[template(path = "web/catalogue/search_help.html")]
struct SearchHelpPage {
    frame: Frame,
    syntax: Vec<Example>,
    fields: &'static [Field],
}

/// A part of the syntax, with an example.
struct Example {
    text: &'static str,
    query: Query,
}

/// A field of the language.
struct Field {
    name: &'static str,
    short: String,
    operators: String,
    /// Text and code alternate; the first piece is text.
    text: Vec<&'static str>,
    example: Query,
}

/// A query as a link to its search.
struct Query {
    text: &'static str,
    path: String,
}

/// Shows the help of the search.
pub(in crate::web) async fn find_search_help(
    req: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, Problem> {
    static FIELDS: LazyLock<Vec<Field>> =
        LazyLock::new(|| card_fields().map(Field::from).collect());
    let frame = Frame::new(words::SEARCH_HELP).at(Place::SearchHelp);
    let syntax = words::HELP_SYNTAX.into_iter();
    let page = SearchHelpPage {
        frame: frame.of_address(state.settings.public_url.as_deref(), "/search/help"),
        syntax: syntax.map(|(text, query)| Example { text, query: query.into() }).collect(),
        fields: &FIELDS,
    };
    Ok(answer(&req, &write(&page, FRESHNESS)?))
}

/// A field that is shown as a hint while the visitor types.
#[derive(Debug)]
pub(super) struct Hint {
    pub(super) name: &'static str,
    pub(super) text: String,
}

/// All fields, as hints.
pub(super) fn hints() -> &'static [Hint] {
    static HINTS: LazyLock<Vec<Hint>> = LazyLock::new(|| {
        let hint = |field: FieldHelp| Hint {
            name: field.name,
            text: meaning(field.name).replace('`', ""),
        };
        card_fields().map(hint).collect()
    });
    &HINTS
}

impl From<FieldHelp> for Field {
    fn from(field: FieldHelp) -> Self {
        Self {
            name: field.name,
            short: field.aliases.join(" "),
            operators: field.operators.join(" "),
            text: meaning(field.name).split('`').collect(),
            example: field.example.into(),
        }
    }
}

impl From<&'static str> for Query {
    fn from(text: &'static str) -> Self {
        let query: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        Self { text, path: format!("/search?q={query}") }
    }
}
