//! Parses pages as a browser does.

use std::collections::BTreeMap;

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// A parsed page.
#[derive(Debug, Default)]
pub struct Page {
    /// Parse errors of the HTML.
    pub faults: Vec<String>,
    pub elements: Vec<Element>,
}

/// An element of a page.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    /// The text of the element and of its descendants, with single spaces.
    pub text: String,
}

impl Page {
    pub fn read(html: &str) -> Self {
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(html);
        let mut page = Self::default();
        page.collect(&dom.document);
        page.faults = dom.errors.borrow().iter().map(ToString::to_string).collect();
        page
    }

    fn collect(&mut self, node: &Handle) {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            let attribute = |attribute: &html5ever::Attribute| {
                (attribute.name.local.to_string(), attribute.value.to_string())
            };
            let mut text = String::new();
            gather(node, &mut text);
            self.elements.push(Element {
                name: name.local.to_string(),
                attributes: attrs.borrow().iter().map(attribute).collect(),
                text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            });
        }
        for child in node.children.borrow().iter() {
            self.collect(child);
        }
    }

    /// All elements of that name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.elements.iter().filter(move |element| element.name == name)
    }

    /// The only element of that name. Panics if there is none, or more than one.
    #[track_caller]
    pub fn only(&self, name: &str) -> &Element {
        let mut found = self.elements.iter().filter(|element| element.name == name);
        let first = found.next().unwrap_or_else(|| panic!("there is no {name}"));
        assert_eq!(found.count(), 0, "there is more than one {name}");
        first
    }

    /// Elements with that attribute, each with the value of the attribute.
    pub fn with<'a>(&'a self, attribute: &'a str) -> impl Iterator<Item = (&'a Element, &'a str)> {
        self.elements.iter().filter_map(move |element| Some((element, element.get(attribute)?)))
    }

    /// The names of the scripts of this page, without `frame.js`, which every page has. Panics if a script is not an asset of this service.
    #[track_caller]
    pub fn scripts(&self) -> Vec<&str> {
        fn name(script: &Element) -> Option<&str> {
            script.get("src")?.strip_prefix("/assets/")?.split_once('/').map(|(_, name)| name)
        }
        let named = |script| {
            name(script).unwrap_or_else(|| panic!("not an asset of this service: {script:?}"))
        };
        let all = self.all("script").map(named);
        all.filter(|name| *name != "frame.js").collect()
    }

    /// The fault message of the field with that `id`. Panics if the field is not marked as invalid, or does not refer to the message.
    #[track_caller]
    pub fn fault_of(&self, id: &str) -> &str {
        let of = |id: &str| self.elements.iter().find(|element| element.get("id") == Some(id));
        let field = of(id).unwrap_or_else(|| panic!("there is no {id}"));
        assert_eq!(field.get("aria-invalid"), Some("true"), "{field:?}");
        self.fault_of_group(id)
    }

    /// The fault message of the group of fields with that `id`. Panics if the group does not refer to the message.
    #[track_caller]
    pub fn fault_of_group(&self, id: &str) -> &str {
        let of = |id: &str| self.elements.iter().find(|element| element.get("id") == Some(id));
        let field = of(id).unwrap_or_else(|| panic!("there is no {id}"));
        let named = format!("{id}_fault");
        let described = field.get("aria-describedby").unwrap_or_default();
        assert!(described.split(' ').any(|one| one == named), "{field:?}");
        &of(&named).unwrap_or_else(|| panic!("there is no fault message for {id}")).text
    }

    /// The content of the `<meta>` element with that property (Open Graph), which other sites use for previews.
    pub fn meta(&self, property: &str) -> Option<&str> {
        let named = |element: &&Element| element.get("property") == Some(property);
        self.all("meta").find(named)?.get("content")
    }
}

impl Element {
    pub fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }

    pub fn has_class(&self, class: &str) -> bool {
        self.get("class").is_some_and(|all| all.split(' ').any(|one| one == class))
    }
}

fn gather(node: &Handle, text: &mut String) {
    if let NodeData::Text { contents } = &node.data {
        text.push_str(&contents.borrow());
    }
    for child in node.children.borrow().iter() {
        gather(child, text);
    }
    if matches!(&node.data, NodeData::Element { .. }) {
        text.push(' ');
    }
}

#[test]
fn faults_are_found() {
    assert!(!Page::read("<!DOCTYPE html><p><b>x</p>").faults.is_empty());
    let page =
        Page::read("<!DOCTYPE html><html lang=en><title>t</title><p id=a>x <b>y</b></p></html>");
    assert_eq!(page.faults, Vec::<String>::new());
    assert_eq!(page.only("p").text, "x y");
}
