//! Templates contain no texts. All texts of the pages are in `src/web/words.rs`.

use std::path::Path;

/// The paths and contents of the page templates, without those of the documentation, which has its own layout.
fn templates() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web");
    let (mut found, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("docs") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.display().to_string(), text));
            }
        }
    }
    found
}

/// A template without its expressions and statements: `{{ … }}` and `{% … %}`.
fn without_expressions(template: &str) -> String {
    let (mut rest, mut left) = (template, String::new());
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        left.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("{{") { "}}" } else { "%}" };
        let length = rest[at..].find(end).expect("the expression is closed") + end.len();
        rest = &rest[at + length..];
    }
    left + rest
}

/// Puts the body of the macro that writes attributes into a tag, because templates call this macro inside of tags.
fn with_attributes_in_tags(template: &str) -> String {
    const BEGIN: &str = "{%- macro described(id, help, faults) %}";
    let Some((before, macros)) = template.split_once(BEGIN) else { return template.to_owned() };
    let (attributes, after) = macros.split_once("{%- endmacro %}").expect("the macro ends");
    format!("{before}<input {attributes}>{after}")
}

/// Text outside of tags, and the values of attributes that people read or hear.
fn texts(template: &str) -> Vec<String> {
    let left = without_expressions(template);
    let (mut found, mut rest) = (Vec::new(), left.as_str());
    while let Some((text, tag)) = rest.split_once('<') {
        found.push(text.to_owned());
        let (tag, after) = tag.split_once('>').expect("the tag is closed");
        for attribute in ["aria-label", "alt", "title", "placeholder", "label"] {
            let begin = format!(" {attribute}=\"");
            let parts = tag.split(&begin).skip(1);
            found.extend(parts.filter_map(|part| Some(part.split_once('"')?.0.to_owned())));
        }
        rest = after;
    }
    found.push(rest.to_owned());
    found
}

#[test]
fn templates_hold_no_text() {
    let templates = templates();
    assert!(templates.len() >= 14, "{}", templates.len());
    for (path, template) in templates {
        for text in texts(&with_attributes_in_tags(&template)) {
            assert!(!text.contains(char::is_alphabetic), "{path}: {text:?}");
        }
        for word in ["<script>", "<style", " style="] {
            assert!(!template.contains(word), "{path} has {word}");
        }
        // The filter `safe` turns escaping off. Spaces may come before its name.
        let has_safe = |part: &str| part.trim_start().starts_with("safe");
        assert!(!template.split('|').skip(1).any(has_safe), "{path} uses the filter `safe`");
    }
}

/// Texts of players may be written from right to left.
#[test]
fn typed_texts_have_their_own_direction() {
    for (path, template) in templates() {
        let left = without_expressions(&template);
        for tag in left.split("<textarea ").skip(1) {
            let tag = tag.split('>').next().unwrap_or_default();
            // Tables, JSON and serial codes are written from left to right; deck lists are names of cards.
            let is_code = tag.starts_with("class=\"code\"") && !tag.contains("id=\"list\"");
            assert!(is_code || tag.contains(" dir=\"auto\""), "{path}: {tag}");
        }
    }
}

#[test]
fn texts_are_found() {
    let found = texts("<p title=\"a {{ x }}\">{% if y %}b{% endif %}</p>{{ z }}<img alt=\"\">");
    let found: Vec<String> = found.into_iter().filter(|text| !text.trim().is_empty()).collect();
    assert_eq!(found, ["a ", "b"]);
}
