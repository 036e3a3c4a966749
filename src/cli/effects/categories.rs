//! The rules file of `generate`: which effects are True in which columns.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use cardscape_engine::effect_text::{Matcher, PhraseRules, Tagger, Template};
use serde::Deserialize;
use toml::Spanned;

use super::super::ExitError;
use super::tag::{EFFECTS, phrases};
use super::{input, warn};

/// What a combination costs in the index of templates, in bytes.
const INDEX_COST: usize = 24;

/// The rules file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(default)]
    category: Vec<Category>,
}

/// A column, or additional conditions for one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Category {
    column: Spanned<String>,
    /// Patterns, which may contain placeholders.
    #[serde(default)]
    text: Vec<Spanned<String>>,
    /// Literal phrases.
    #[serde(default)]
    exact: Vec<Spanned<String>>,
    /// Templates that make the whole effect.
    #[serde(default)]
    template: Vec<Spanned<String>>,
    /// Only effects that are already True in this column when the category is applied.
    when: Option<Spanned<String>>,
}

/// Columns, with the conditions for True.
pub(super) struct Categories {
    pub(super) columns: Vec<String>,
    rules: Vec<Rule>,
    tagger: Tagger,
    tags: Vec<bool>,
    /// For each column: whether the current effect may still be True in it.
    doubts: Vec<bool>,
    /// Finds the templates of all categories; `None` if there are none.
    matcher: Option<LazyMatcher>,
    /// Effects for which the search for a template took too long; they count as False.
    undecided: u64,
}

/// One category.
struct Rule {
    /// The column that it sets.
    column: usize,
    /// The column that must be True.
    when: Option<usize>,
    /// Its templates, by their places in the matcher.
    templates: Vec<usize>,
}

/// Builds its index when the first effect arrives. By then, the earlier steps have freed the memory that it takes.
type LazyMatcher = LazyCell<Matcher, Box<dyn FnOnce() -> Matcher>>;

/// The templates of all categories, without duplicates.
#[derive(Default)]
struct Templates {
    all: Vec<Template>,
    places: BTreeMap<String, usize>,
}

impl Templates {
    fn place(&mut self, template: Template) -> usize {
        let next = self.all.len();
        let place = *self.places.entry(template.source().to_owned()).or_insert(next);
        if place == next {
            self.all.push(template);
        }
        place
    }

    /// A matcher whose index takes up to `memory` bytes.
    fn matcher(
        self,
        placeholder_dir: &Path,
        rules: Arc<PhraseRules>,
        memory: usize,
    ) -> Result<Option<LazyMatcher>, ExitError> {
        if self.all.is_empty() {
            return Ok(None);
        }
        let effects = Arc::new(input::effects(self.all, placeholder_dir)?);
        let make = move || Matcher::new(effects, rules, memory / INDEX_COST);
        Ok(Some(LazyCell::new(Box::new(make))))
    }
}

impl Categories {
    /// Reads the file. `rules` are the phrase rules of the effects to be marked; the search for their templates takes
    /// up to `memory` bytes.
    pub(super) fn read(
        path: &Path,
        placeholder_dir: &Path,
        rules: Arc<PhraseRules>,
        memory: usize,
    ) -> Result<Self, ExitError> {
        let text = input::read_text(path)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let fault = |at: usize, what: &str| {
            let line = 1 + text[..at.min(text.len())].matches('\n').count();
            ExitError::no(format!("{}:{line}: {what}", path.display()))
        };
        let file: Rules = toml::from_str(text)
            .map_err(|error| fault(error.span().map_or(0, |span| span.start), error.message()))?;
        let mut columns: Vec<String> = Vec::new();
        let mut ties = Vec::new();
        let mut looked_for = Vec::new();
        let mut known_templates = Templates::default();
        for category in file.category {
            let Category { column, text: patterns, exact, template: sources, when } = category;
            let place = column.span().start;
            if column.as_ref().is_empty() || column.as_ref() == EFFECTS {
                return Err(fault(place, "a column needs a name of its own"));
            }
            if patterns.is_empty() && exact.is_empty() && sources.is_empty() {
                return Err(fault(place, "a category needs `text`, `exact` or `template`"));
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
            let mut templates = Vec::new();
            for source in sources {
                let template = read_template(source.as_ref())
                    .map_err(|what| fault(source.span().start, &what))?;
                templates.push(known_templates.place(template));
            }
            let column = column.into_inner();
            let known = columns.iter().position(|known| *known == column);
            ties.push(Rule { column: known.unwrap_or(columns.len()), when, templates });
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
            .map_err(|error| ExitError::no(format!("{}: {error}", path.display())))?;
        let matcher = known_templates
            .matcher(placeholder_dir, rules, memory)
            .map_err(|exit| ExitError::no(format!("{}: {}", path.display(), exit.message)))?;
        let (tags, doubts) = (vec![false; ties.len()], vec![false; columns.len()]);
        Ok(Self { columns, rules: ties, tagger, tags, doubts, matcher, undecided: 0 })
    }

    /// Sets `marks`: for each column, whether the effect is True in it.
    pub(super) fn mark(&mut self, effect: &str, marks: &mut Vec<bool>) {
        self.tagger.tag(effect, &mut self.tags);
        let makers = self.matcher.as_ref().map(|matcher| matcher.makers(effect));
        let makers = makers.unwrap_or_default();
        marks.clear();
        marks.resize(self.columns.len(), false);
        self.doubts.fill(false);
        for (rule, &tagged) in self.rules.iter().zip(&self.tags) {
            let is_so = tagged || rule.has_one_of(&makers.templates);
            let may_be_so = is_so || rule.has_one_of(&makers.undecided);
            marks[rule.column] |= is_so && rule.when.is_none_or(|when| marks[when]);
            let doubts = &mut self.doubts;
            doubts[rule.column] |=
                may_be_so && rule.when.is_none_or(|when| marks[when] || doubts[when]);
        }
        let missing = |(&mark, &doubt): (&bool, &bool)| doubt && !mark;
        self.undecided += u64::from(marks.iter().zip(&self.doubts).any(missing));
    }

    /// Warns of effects that may lack a True.
    pub(super) fn warn_undecided(&self) {
        if self.undecided > 0 {
            warn(format_args!(
                "effects that may lack a True, because the search for their template was too long: {}",
                self.undecided
            ));
        }
    }
}

impl Rule {
    fn has_one_of(&self, templates: &BTreeSet<usize>) -> bool {
        self.templates.iter().any(|template| templates.contains(template))
    }
}

/// Parses a template of a category, or says what is wrong with it.
fn read_template(source: &str) -> Result<Template, String> {
    let template = Template::parse(source).map_err(|error| format!("{source:?}: {error}"))?;
    match template.source() {
        "" => Err("an empty template makes no effect".to_owned()),
        line if line.contains(['\n', '\r']) => Err(format!("{source:?} is no single line")),
        _ => Ok(template),
    }
}
