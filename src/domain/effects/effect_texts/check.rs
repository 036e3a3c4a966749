//! Checks a document, and reports every fault with its place.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::effect_text::{
    Effects, EffectsError, PhraseRules, Placeholder, Placeholders, Template,
};

use super::growth::growth;
use super::{
    EffectFault, EffectLibrary, EffectTexts, MAX_BYTES, MAX_CHOICES, MAX_COMBINATIONS, MAX_NAME,
    MAX_PHRASE, MAX_PLACEHOLDERS, MAX_RULES, MAX_SENTENCE, MAX_TEMPLATE, MAX_TEMPLATES, MAX_VALUE,
    MAX_VALUES, Replacement,
};
use crate::domain::pointer::push_token;
use crate::domain::text::{self, TextError};

/// Checks that a text is one line, and counts its characters.
type Line = fn(&str, usize, usize) -> Result<String, TextError>;

/// The values of each name that can be read, each with its index.
type Values<'a> = BTreeMap<&'a str, Vec<(usize, Template)>>;

/// A text of the document that may have placeholders: a template or a value.
struct Text<'a> {
    source: &'a str,
    /// Most characters.
    most: usize,
    pointer: String,
    /// How people count it: `template 2`.
    place: String,
}

impl Text<'_> {
    fn fault(&self, column: Option<usize>, message: impl Into<String>) -> EffectFault {
        let place = self.place.clone();
        EffectFault { place, column, ..EffectFault::new(&self.pointer, message) }
    }

    fn parse(&self, line: Line) -> Result<Template, EffectFault> {
        line(self.source, 1, self.most).map_err(|error| self.fault(None, error.to_string()))?;
        Template::parse(self.source)
            .map_err(|error| self.fault(Some(error.column), error.message()))
    }
}

impl EffectTexts {
    /// The document without white space around its texts.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        let values = self.placeholders.values_mut().flatten();
        let rules = self.replacements.iter_mut().flat_map(|rule| [&mut rule.old, &mut rule.new]);
        for text in self.templates.iter_mut().chain(values).chain(&mut self.removals).chain(rules) {
            *text = text.trim().to_owned();
        }
        self
    }

    /// Builds the library, or returns every fault of the document.
    pub fn check(self) -> Result<EffectLibrary, Vec<EffectFault>> {
        self.build(text::line, false)
    }

    /// Builds the library of a document that was checked before it was stored, perhaps by an older version, which refused fewer characters and fewer
    /// replacements. Replacements that could make a sentence too long are not applied, so that the document can be read and changed.
    pub fn stored(self) -> Result<EffectLibrary, Vec<EffectFault>> {
        self.build(text::known_line, true)
    }

    fn build(self, line: Line, is_stored: bool) -> Result<EffectLibrary, Vec<EffectFault>> {
        refuse(self.size_faults())?;
        let mut faults = Vec::new();
        let templates = self.parse_templates(line, &mut faults);
        let values = self.parse_values(line, &mut faults);
        self.check_rules(line, &mut faults);
        faults.extend(cycle_faults(&values));
        refuse(faults)?;
        let files = self.placeholders.iter().map(|(name, lines)| (name, lines.join("\n")));
        let placeholders = Placeholders::new(files);
        let effects = put_together(templates, &placeholders, 1.0, "/templates");
        let effects = effects.map_err(|fault| vec![fault])?;
        let mut applied: &[Replacement] = &self.replacements;
        let mut factor = growth(applied);
        if let Err(fault) = check_length(&effects, factor, "/templates") {
            if !is_stored {
                return Err(vec![fault]);
            }
            applied = &[];
            factor = 1.0;
        }
        let rules = phrase_rules(&self.removals, applied);
        Ok(EffectLibrary::new(self, placeholders, effects, rules, factor))
    }

    /// Faults of size. They are checked before anything else.
    fn size_faults(&self) -> Vec<EffectFault> {
        let values: usize = self.placeholders.values().map(Vec::len).sum();
        let counts = [
            ("/templates", "templates", self.templates.len(), MAX_TEMPLATES),
            ("/placeholders", "placeholders", self.placeholders.len(), MAX_PLACEHOLDERS),
            ("/placeholders", "values of all placeholders together", values, MAX_VALUES),
            ("/removals", "phrases", self.removals.len(), MAX_RULES),
            ("/replacements", "phrases", self.replacements.len(), MAX_RULES),
        ];
        let mut faults: Vec<EffectFault> = counts
            .into_iter()
            .filter(|&(_, _, count, most)| count > most)
            .map(|(pointer, what, count, most)| {
                EffectFault::new(pointer, format!("must be at most {most} {what}, not {count}"))
            })
            .collect();
        let named = self.placeholders.iter().flat_map(|(name, values)| values.iter().chain([name]));
        let rules = self.replacements.iter().flat_map(|rule| [&rule.old, &rule.new]);
        let texts = self.templates.iter().chain(named).chain(&self.removals).chain(rules);
        let bytes: usize = texts.map(String::len).sum();
        if bytes > MAX_BYTES {
            let message = format!("must be at most {MAX_BYTES} bytes of text in all, not {bytes}");
            faults.push(EffectFault::new("", message));
        }
        faults
    }

    fn parse_templates(&self, line: Line, faults: &mut Vec<EffectFault>) -> Vec<Template> {
        let parse = |(at, source): (usize, &String)| {
            let (pointer, place) = (format!("/templates/{at}"), format!("template {}", at + 1));
            self.read(&Text { source, most: MAX_TEMPLATE, pointer, place }, line, faults)
        };
        self.templates.iter().enumerate().filter_map(parse).collect()
    }

    fn parse_values(&self, line: Line, faults: &mut Vec<EffectFault>) -> Values<'_> {
        let mut parsed = BTreeMap::new();
        for (name, values) in &self.placeholders {
            let pointer = pointer_to(name);
            if !is_name(name) {
                let message =
                    format!("the name of a placeholder is 1 to {MAX_NAME} letters, digits and `_`");
                faults.push(EffectFault::new(&pointer, message));
            }
            if values.is_empty() {
                faults.push(EffectFault::new(&pointer, "must have at least one value"));
            }
            let parse = |(at, source): (usize, &String)| {
                let (pointer, place) = (format!("{pointer}/{at}"), place_of_value(name, at));
                let text = Text { source, most: MAX_VALUE, pointer, place };
                self.read(&text, line, faults).map(|value| (at, value))
            };
            let values = values.iter().enumerate().filter_map(parse).collect();
            parsed.insert(name.as_str(), values);
        }
        parsed
    }

    /// Reads a text, and reports names in it that have no values.
    fn read(&self, text: &Text<'_>, line: Line, faults: &mut Vec<EffectFault>) -> Option<Template> {
        let template = text.parse(line).map_err(|fault| faults.push(fault)).ok()?;
        let unknown = self.without_values(&template).into_iter();
        faults.extend(unknown.map(|(column, message)| text.fault(Some(column), message)));
        Some(template)
    }

    /// The names in a template that have no values, each once: the column of the first place, and a message.
    pub(super) fn without_values(&self, template: &Template) -> Vec<(usize, String)> {
        let mut known = BTreeSet::new();
        let places = template.positions().map(|(column, place)| (column, place.name()));
        let unknown = places.filter(|(_, name)| !self.placeholders.contains_key(*name));
        unknown
            .filter(|(_, name)| known.insert(*name))
            .map(|(column, name)| (column, format!("<{name}> has no values")))
            .collect()
    }

    fn check_rules(&self, line: Line, faults: &mut Vec<EffectFault>) {
        for (at, phrase) in self.removals.iter().enumerate() {
            faults.extend(phrase_fault(phrase, line).map(|message| EffectFault {
                place: format!("phrase {}", at + 1),
                ..EffectFault::new(format!("/removals/{at}"), message)
            }));
        }
        let mut known = BTreeSet::new();
        for (at, Replacement { old, new }) in self.replacements.iter().enumerate() {
            let colon = || old.contains(':').then(|| "must not contain `:`".to_owned());
            let twice = !known.insert(old);
            let twice = || twice.then(|| "is replaced by a rule before this one".to_owned());
            let of_old = phrase_fault(old, line).or_else(colon).or_else(twice);
            let fields = [
                ("old", of_old),
                ("new", line(new, 0, MAX_PHRASE).err().map(|error| error.to_string())),
            ];
            for (field, fault) in fields {
                faults.extend(fault.map(|message| EffectFault {
                    place: format!("replacement {}", at + 1),
                    ..EffectFault::new(format!("/replacements/{at}/{field}"), message)
                }));
            }
        }
    }
}

/// The pointer to the values of a placeholder.
fn pointer_to(name: &str) -> String {
    let mut pointer = "/placeholders".to_owned();
    push_token(&mut pointer, name);
    pointer
}

fn place_of_value(name: &str, at: usize) -> String {
    format!("value {} of <{name}>", at + 1)
}

fn refuse(faults: Vec<EffectFault>) -> Result<(), Vec<EffectFault>> {
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Whether the text is a valid name of a placeholder.
pub(super) fn is_name(name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    (1..=MAX_NAME).contains(&name.chars().count()) && name.chars().all(is_word)
}

/// Why a text cannot be a phrase of a rule.
fn phrase_fault(phrase: &str, line: Line) -> Option<String> {
    match line(phrase, 1, MAX_PHRASE) {
        Err(error) => Some(error.to_string()),
        Ok(_) if phrase.starts_with('#') => Some("must not begin with `#`".to_owned()),
        Ok(_) => None,
    }
}

/// Builds the rules from valid phrases. Sentences are trimmed, because all that people send is trimmed: a sentence with a space at an end could not
/// be matched.
fn phrase_rules(removals: &[String], replacements: &[Replacement]) -> PhraseRules {
    let replaced: Vec<String> =
        replacements.iter().map(|rule| format!("{}: {}", rule.old, rule.new)).collect();
    PhraseRules::parse(&removals.join("\n"), &replaced.join("\n")).with_trimmed_ends(true)
}

/// Faults of names whose values refer back to the name: one fault for each name at which a cycle closes.
fn cycle_faults(values: &Values<'_>) -> Vec<EffectFault> {
    /// The state of a name in the depth-first search.
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Open,
        Done,
    }
    let leads = |name: &str| -> Vec<&str> {
        let used = values[name].iter().flat_map(|(_, value)| value.placeholders());
        let names: BTreeSet<&str> = used.map(Placeholder::name).collect();
        names.into_iter().filter_map(|name| Some(*values.get_key_value(name)?.0)).collect()
    };
    let mut marks: BTreeMap<&str, Mark> = BTreeMap::new();
    let mut faults = Vec::new();
    for start in values.keys() {
        if marks.contains_key(start) {
            continue;
        }
        marks.insert(start, Mark::Open);
        // The names on the current path, each with the names that are still to be visited from it.
        let mut open: Vec<(&str, Vec<&str>)> = vec![(start, leads(start))];
        while let Some((name, rest)) = open.last_mut() {
            let name = *name;
            match rest.pop() {
                None => {
                    marks.insert(name, Mark::Done);
                    open.pop();
                }
                Some(next) => match marks.get(next) {
                    None => {
                        marks.insert(next, Mark::Open);
                        open.push((next, leads(next)));
                    }
                    Some(Mark::Open) => faults.extend(cycle_fault(name, &values[name], next)),
                    Some(Mark::Done) => {}
                },
            }
        }
    }
    faults
}

/// The fault of the first value of a name that uses `next`, which leads back to the name.
fn cycle_fault(name: &str, values: &[(usize, Template)], next: &str) -> Option<EffectFault> {
    let used = |(at, value): &(usize, Template)| {
        let mut places = value.positions();
        places.find(|(_, place)| place.name() == next).map(|(column, _)| (*at, column))
    };
    let (at, column) = values.iter().find_map(used)?;
    let message = format!("the values of <{name}> lead back to <{next}>");
    Some(EffectFault {
        place: place_of_value(name, at),
        column: Some(column),
        ..EffectFault::new(format!("{}/{at}", pointer_to(name)), message)
    })
}

/// Combines templates with values, within the limits. All names must have values, and the values must contain no cycle.
pub(super) fn put_together(
    templates: Vec<Template>,
    placeholders: &Placeholders,
    growth: f64,
    pointer: &str,
) -> Result<Effects, EffectFault> {
    let fault = |message: String| EffectFault::new(pointer, message);
    let choices = choices(&templates, placeholders);
    if choices > MAX_CHOICES {
        return Err(fault(format!(
            "the placeholders take more than {MAX_CHOICES} values, counted for each way that they are written"
        )));
    }
    let effects = Effects::new(templates, placeholders).map_err(|error| match error {
        EffectsError::Value { name, line, error } => {
            EffectFault::new(format!("/placeholders/{name}/{}", line - 1), error.to_string())
        }
        error => fault(error.to_string()),
    })?;
    if effects.count().is_none_or(|count| count > u128::from(MAX_COMBINATIONS)) {
        return Err(fault(format!("makes more than {MAX_COMBINATIONS} combinations")));
    }
    check_length(&effects, growth, pointer)?;
    Ok(effects)
}

/// Fails if a sentence could be too long after replacements that lengthen it by up to this factor.
fn check_length(effects: &Effects, growth: f64, pointer: &str) -> Result<(), EffectFault> {
    let longest = u32::try_from(effects.longest()).map_or(f64::INFINITY, f64::from);
    let most = u32::try_from(MAX_SENTENCE).map_or(0.0, f64::from);
    if longest * growth > most {
        let message = format!(
            "a sentence, with its phrases replaced, could be longer than {MAX_SENTENCE} bytes"
        );
        return Err(EffectFault::new(pointer, message));
    }
    Ok(())
}

/// How many values the placeholders take, counted once for each way in which they are written. Stops counting beyond the limit.
fn choices(templates: &[Template], placeholders: &Placeholders) -> usize {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<&Template> = templates.iter().collect();
    let mut choices = 0;
    while let Some(template) = open.pop() {
        for used in template.placeholders() {
            if choices > MAX_CHOICES || !known.insert(used.to_string()) {
                continue;
            }
            for value in placeholders.values(used.name()) {
                choices += 1;
                if value.placeholders().next().is_some() {
                    open.push(value);
                }
            }
        }
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(templates: &[&str], values: &[(&str, &[&str])]) -> EffectTexts {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let values = values.iter().map(|(name, values)| ((*name).to_owned(), lines(values)));
        EffectTexts {
            templates: lines(templates),
            placeholders: values.collect(),
            ..EffectTexts::default()
        }
    }

    fn pointers(texts: EffectTexts) -> Vec<String> {
        texts.check().unwrap_err().into_iter().map(|fault| fault.pointer).collect()
    }

    #[test]
    fn stored_texts_are_read_by_the_rules_of_older_versions() {
        // A separator of lines, a blank of Korean alone, and one symbol of a font.
        let values: &[(&str, &[&str])] = &[("a", &["b\u{2028}c", "\u{3164}", "\u{E000}"])];
        let refused = ["/placeholders/a/0", "/placeholders/a/1"];
        assert_eq!(pointers(texts(&["Say <a>."], values)), refused);
        assert_eq!(texts(&["Say <a>."], values).stored().unwrap().count(), 3);
        assert!(texts(&["Say\0"], &[]).stored().is_err());
    }

    #[test]
    fn cycles_are_found_even_if_no_template_uses_them() {
        // No template uses these names.
        let circle: &[(&str, &[&str])] =
            &[("a", &["x", "<b>"]), ("b", &["<c+1>"]), ("c", &["1", "<a>"]), ("d", &["<a>"])];
        assert_eq!(pointers(texts(&["Rest."], circle)), ["/placeholders/c/1"]);
        // Two paths to one name are not a cycle.
        let diamond: &[(&str, &[&str])] =
            &[("a", &["<b>", "<c>"]), ("b", &["<d>"]), ("c", &["<d>"]), ("d", &["1", "2"])];
        assert_eq!(texts(&["Say <a>."], diamond).check().unwrap().count(), 4);
    }

    /// Faults of one kind do not hide those of another, and have the number and the column of the text that they are about.
    #[test]
    fn faults_of_all_kinds_are_reported_at_once() {
        let values: &[(&str, &[&str])] =
            &[("a", &["<x y>", "1", "<nobody>"]), ("b", &["1", "x <b>"]), ("c", &[])];
        let templates = ["<a b>", "Take <nope> of <nope>", "", "Say <a>: <c>"];
        let rules = EffectTexts {
            removals: vec!["#no".to_owned()],
            replacements: vec![Replacement { old: "x:y".to_owned(), new: String::new() }],
            ..texts(&templates, values)
        };
        let faults: Vec<String> =
            rules.check().unwrap_err().iter().map(ToString::to_string).collect();
        let expected = [
            "/templates/0: template 1, column 1: <a b> is no placeholder: ",
            "/templates/1: template 2, column 6: <nope> has no values",
            "/templates/2: template 3: must be ",
            "/placeholders/a/0: value 1 of <a>, column 1: <x y> is no placeholder: ",
            "/placeholders/a/2: value 3 of <a>, column 1: <nobody> has no values",
            "/placeholders/c: must have at least one value",
            "/removals/0: phrase 1: must not begin with `#`",
            "/replacements/0/old: replacement 1: must not contain `:`",
            "/placeholders/b/1: value 2 of <b>, column 3: the values of <b> lead back to <b>",
        ];
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        for (fault, expected) in faults.iter().zip(expected) {
            assert!(fault.starts_with(expected), "{fault}");
        }
    }

    #[test]
    fn the_limits_are_checked_before_templates_are_combined() {
        let many = vec!["Rest."; MAX_TEMPLATES + 1];
        assert_eq!(pointers(texts(&many, &[])), ["/templates"]);
        let values: Vec<String> = (0..MAX_VALUES).map(|value| value.to_string()).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let places = |count: usize| (0..count).map(|at| format!("<n+{at}>")).collect::<String>();
        let writings = MAX_CHOICES / MAX_VALUES;
        let templates: Vec<String> = (0..=writings).map(|at| format!("Say <n+{at}>.")).collect();
        let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
        assert!(texts(&templates[..writings], &[("n", &values)]).check().is_ok());
        assert_eq!(pointers(texts(&templates, &[("n", &values)])), ["/templates"]);
        assert_eq!(pointers(texts(&[&places(5)], &[("n", &values)])), ["/templates"]);
        let long = "x".repeat(MAX_VALUE);
        let doubled = "<n>".repeat(MAX_SENTENCE / MAX_VALUE + 1);
        assert_eq!(pointers(texts(&[&doubled], &[("n", &[&long])])), ["/templates"]);
    }
}
