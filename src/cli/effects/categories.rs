//! The rules file of `generate`: which effects are True in which columns.

use std::path::Path;

use cardscape_engine::effect_text::Tagger;
use serde::Deserialize;
use toml::Spanned;

use super::super::Exit;
use super::input;
use super::tag::{EFFECTS, phrases};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(default)]
    category: Vec<Category>,
}

/// A column, or more phrases for one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Category {
    column: Spanned<String>,
    /// Patterns, which may have placeholders.
    #[serde(default)]
    text: Vec<Spanned<String>>,
    /// Phrases that are taken as they are.
    #[serde(default)]
    exact: Vec<Spanned<String>>,
    /// Only effects that are True in this column, as it stands by then.
    when: Option<Spanned<String>>,
}

/// Columns with what makes an effect True in them.
pub(super) struct Categories {
    pub(super) columns: Vec<String>,
    /// For each category the column that it marks, and the one that must be True.
    rules: Vec<(usize, Option<usize>)>,
    tagger: Tagger,
    tags: Vec<bool>,
}

impl Categories {
    pub(super) fn read(path: &Path, placeholder_dir: &Path) -> Result<Self, Exit> {
        let text = input::read_text(path)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let fault = |at: usize, what: &str| {
            let line = 1 + text[..at.min(text.len())].matches('\n').count();
            Exit::no(format!("{}:{line}: {what}", path.display()))
        };
        let rules: Rules = toml::from_str(text)
            .map_err(|error| fault(error.span().map_or(0, |span| span.start), error.message()))?;
        let mut columns: Vec<String> = Vec::new();
        let mut ties = Vec::new();
        let mut looked_for = Vec::new();
        for category in rules.category {
            let Category { column, text: patterns, exact, when } = category;
            let place = column.span().start;
            if column.as_ref().is_empty() || column.as_ref() == EFFECTS {
                return Err(fault(place, "a column needs a name of its own"));
            }
            if patterns.is_empty() && exact.is_empty() {
                return Err(fault(place, "a category needs `text` or `exact`"));
            }
            if let Some(empty) =
                patterns.iter().chain(&exact).find(|phrase| phrase.as_ref().is_empty())
            {
                return Err(fault(empty.span().start, "every effect contains an empty phrase"));
            }
            let when = match when {
                None => None,
                Some(when) => {
                    let known = columns.iter().position(|known| known == when.as_ref());
                    Some(known.ok_or_else(|| {
                        let what =
                            format!("`when` names {}, which is no column before", when.as_ref());
                        fault(when.span().start, &what)
                    })?)
                }
            };
            let column = column.into_inner();
            let known = columns.iter().position(|known| *known == column);
            ties.push((known.unwrap_or(columns.len()), when));
            if known.is_none() {
                columns.push(column);
            }
            let mut all: Vec<String> = exact.into_iter().map(Spanned::into_inner).collect();
            for pattern in patterns {
                let shown = fault(pattern.span().start, &format!("{:?}", pattern.as_ref())).message;
                all.extend(phrases(pattern.as_ref(), &shown, placeholder_dir)?);
            }
            looked_for.push(all);
        }
        let tagger = Tagger::new(looked_for)
            .map_err(|error| Exit::no(format!("{}: {error}", path.display())))?;
        Ok(Self { columns, tags: vec![false; ties.len()], rules: ties, tagger })
    }

    /// For each column whether an effect is True in it.
    pub(super) fn mark(&mut self, effect: &str, marks: &mut Vec<bool>) {
        self.tagger.tag(effect, &mut self.tags);
        marks.clear();
        marks.resize(self.columns.len(), false);
        for (&(column, when), &tagged) in self.rules.iter().zip(&self.tags) {
            if tagged && when.is_none_or(|when| marks[when]) {
                marks[column] = true;
            }
        }
    }
}
