//! The guides of `docs/`, as pages.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use askama::Template;
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Anchorizer, Arena, Options, format_html, parse_document};

use super::page::Page;
use super::words as docs_words;
use crate::app::problem::Problem;

#[derive(Debug)]
pub(in crate::web) struct Guide {
    /// Its name in the path `/docs/{name}`.
    pub(in crate::web) name: &'static str,
    /// Its title in the list of guides.
    pub(in crate::web) title: &'static str,
    /// A short description.
    pub(super) about: &'static str,
    /// Its file in `docs/`, to which other guides link.
    file: &'static str,
    markdown: &'static str,
}

macro_rules! guides {
    ($($name:literal, $file:literal;)+) => {
        /// The guides, in the order in which a new user reads them.
        pub(in crate::web) const GUIDES: &[Guide] = &[$(Guide {
            name: $name,
            title: docs_words::guide($name).0,
            about: docs_words::guide($name).1,
            file: $file,
            markdown: include_str!(concat!("../../../docs/", $file)),
        }),+];
    };
}

guides! {
    "api", "API.md";
    "clients", "CLIENTS.md";
    "search", "SEARCH.md";
    "games", "GAMES.md";
    "violations", "VIOLATIONS.md";
    "deck-text", "DECK_TEXT.md";
    "deck-statistics", "DECK_STATISTICS.md";
    "effects", "EFFECTS.md";
    "operations", "OPERATIONS.md";
}

impl Guide {
    /// Whether this is the guide with that name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }
}

/// The page of a guide.
pub(super) fn page(name: &str) -> Option<&'static Page> {
    static PAGES: LazyLock<BTreeMap<&str, Page>> = LazyLock::new(|| {
        GUIDES.iter().filter_map(|guide| Some((guide.name, write(guide).ok()?))).collect()
    });
    PAGES.get(name)
}

#[derive(Template)]
#[template(path = "web/docs/guide.html")]
struct GuidePage<'a> {
    title: String,
    guides: &'a [Guide],
    current: &'a str,
    sections: &'a [Section],
    content: &'a str,
}

/// A section, in the list of contents.
struct Section {
    title: String,
    anchor: String,
}

fn write(guide: &Guide) -> Result<Page, Problem> {
    let (arena, mut options) = (Arena::new(), Options::default());
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.header_id_prefix = Some(String::new());
    let document = parse_document(&arena, guide.markdown, &options);
    let (title, sections) = headings(document);
    lead_to_pages(document);
    let mut content = String::new();
    format_html(document, &options, &mut content).map_err(Problem::internal)?;
    // Long lines of code and wide tables scroll; `tabindex` lets the keyboard scroll them, too. The replaced tags cannot occur in texts, where `<` is escaped.
    let content = content
        .replace("<pre>", "<pre tabindex=\"0\">")
        .replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>");
    Page::of(&GuidePage {
        title: docs_words::page_title(&title),
        guides: GUIDES,
        current: guide.name,
        sections: &sections,
        content: &content,
    })
}

/// The title of a document, and its sections with the anchors that they get.
fn headings<'a>(document: &'a AstNode<'a>) -> (String, Vec<Section>) {
    let (mut title, mut sections, mut anchors) = (String::new(), Vec::new(), Anchorizer::new());
    for node in document.descendants() {
        let NodeValue::Heading(heading) = &node.data.borrow().value else { continue };
        let text = node.collect_text();
        let anchor = anchors.anchorize(&text);
        match heading.level {
            1 => title = text,
            2 => sections.push(Section { title: text, anchor }),
            _ => {}
        }
    }
    (title, sections)
}

/// Makes links between files lead to pages. Links to files that exist only in the repository become plain text.
fn lead_to_pages<'a>(document: &'a AstNode<'a>) {
    let nodes: Vec<_> = document.descendants().collect();
    for node in nodes {
        let is_page = match &mut node.data.borrow_mut().value {
            NodeValue::Link(link) => match address(&link.url) {
                Some(url) => {
                    link.url = url;
                    true
                }
                None => false,
            },
            _ => true,
        };
        if !is_page {
            let words: Vec<_> = node.children().collect();
            for word in words {
                node.insert_before(word);
            }
            node.detach();
        }
    }
}

/// The path of the page that a link of a guide leads to; `None`: there is no such page.
fn address(url: &str) -> Option<String> {
    if url.starts_with('#') || url.contains("://") || url.starts_with("mailto:") {
        return Some(url.to_owned());
    }
    if url == "../openapi/openapi.json" {
        return Some("/openapi.json".to_owned());
    }
    let (file, anchor) = url.split_once('#').map_or((url, None), |(file, id)| (file, Some(id)));
    let guide = GUIDES.iter().find(|guide| guide.file == file)?;
    let anchor = anchor.map(|id| format!("#{id}")).unwrap_or_default();
    Some(format!("/docs/{}{anchor}", guide.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_or_are_removed() {
        assert_eq!(address("GAMES.md#rules").unwrap(), "/docs/games#rules");
        assert_eq!(address("API.md").unwrap(), "/docs/api");
        assert_eq!(address("#memory").unwrap(), "#memory");
        assert_eq!(address("https://toml.io").unwrap(), "https://toml.io");
        assert_eq!(address("../openapi/openapi.json").unwrap(), "/openapi.json");
        assert_eq!(address("../seed-data/games"), None);
    }
}
