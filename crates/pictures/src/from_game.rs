//! Faces of the cards of a game: the type of an attribute in the manifest determines its position.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cardscape_engine::{Attribute, AttributeValue, CardDefinition, Effect, Game, name_key};
use serde_json::Value;

use crate::face::{CardFace, EffectText, Fact, Figure, STATS_MAX};
use crate::finish::Finish;
use crate::metrics;

impl<'a> CardFace<'a> {
    /// The face of a card in one rarity.
    ///
    /// - Whole numbers that may differ between printings (TTCG's attack and defense) are in the boxes below the text.
    /// - The first other whole number (rank, level, power) is the badge; further ones are in the boxes if there is room.
    /// - Attributes with one of several values, and mandatory lists of values, are in the type line.
    /// - A text that is one emoji is drawn large in place of the artwork. Texts that repeat the name are left out.
    /// - All other attributes are listed above the effects, with their names in the manifest.
    ///
    /// A rarity that the game does not have, or `None`, means the lowest. Attributes of the printing override those of the
    /// card. A kind or attribute that is not in the manifest is shown by its code, so that cards of an older manifest have a
    /// picture, too.
    ///
    /// ```
    /// use cardscape_engine::{CardDefinition, Game};
    /// use cardscape_pictures::CardFace;
    ///
    /// let game = Game::from_toml(r#"
    ///     code = "pond"
    ///     name = "Pond"
    ///     rules_version = "pond/1"
    ///     [[kinds]]
    ///     code = "fish"
    ///     name = "Fish"
    ///     [kinds.attributes]
    ///     size = { type = "integer", rule = "P-1", text = "A fish has a size." }
    ///     waters = { type = "choices", optional = true, values = ["lake", "sea"], rule = "P-2", text = "Where it lives." }
    /// "#)?;
    /// let pike: CardDefinition = serde_json::from_str(
    ///     r#"{ "number": "001", "name": "Old Pike", "kind": "fish", "attributes": { "size": 4, "waters": ["lake"] } }"#,
    /// )?;
    /// let face = CardFace::from_definition(&game, &pike, "shore", None);
    /// assert_eq!(face.badge.unwrap().value, "4");
    /// assert_eq!(face.facts[0].value, "Lake");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_definition(
        game: &'a Game,
        card: &'a CardDefinition,
        set: &'a str,
        rarity: Option<&str>,
    ) -> Self {
        let rarity =
            rarity.and_then(|code| game.rarity(code)).unwrap_or_else(|| game.base_rarity());
        let printing = card.printings.iter().find(|printing| printing.rarity == rarity.code);
        let kind = game.kind(&card.kind);
        let kind_name = kind.map_or_else(|| titled(&card.kind), |kind| kind.name.clone());

        let mut groups = AttributeGroups::new(&card.name, &kind_name);
        // By code; a printing's value replaces that of the card.
        let mut attributes: BTreeMap<&str, &Value> = BTreeMap::new();
        let own = printing.into_iter().flat_map(|printing| &printing.attributes);
        attributes.extend(card.attributes.iter().chain(own));
        for (code, value) in attributes {
            groups.add(code, kind.and_then(|kind| kind.attributes.get(code)), value);
        }
        let theme = groups.theme(&card.kind);
        let AttributeGroups { mut types, lists, mut stats, mut numbers, mut facts, glyph, .. } =
            groups;
        let badge = (!numbers.is_empty()).then(|| numbers.remove(0));
        let room = STATS_MAX.saturating_sub(stats.len()).min(numbers.len());
        stats.extend(numbers.drain(..room));
        facts.extend(numbers.into_iter().map(|Figure { label, value }| Fact { label, value }));

        types.extend(lists);
        let mut type_line = kind_name;
        if !types.is_empty() {
            type_line = format!("{type_line} — {}", types.join(" · "));
        }
        Self {
            game: game.name().into(),
            title: card.name.as_str().into(),
            type_line: type_line.into(),
            badge,
            glyph,
            stats,
            facts,
            effects: card.effects.iter().map(effect).collect(),
            lore: card.lore.as_deref().map(Cow::Borrowed),
            designer: None,
            set: set.into(),
            number: card.number.as_str().into(),
            rarity: rarity.name.as_str().into(),
            tiers: u32::try_from(game.rarities().len()).unwrap_or(u32::MAX),
            theme: theme.into(),
            finish: Finish::of_tier(rarity.tier),
            artwork: None,
        }
    }
}

fn effect(effect: &Effect) -> EffectText<'_> {
    let labels: Vec<String> =
        effect.slot.iter().chain(&effect.style).map(|code| titled(code)).collect();
    EffectText { label: labels.join(" · ").into(), text: effect.text.as_str().into() }
}

/// The attributes of a card, grouped by their position on the face.
struct AttributeGroups<'a> {
    /// Name keys of texts that are already on the card and are not repeated.
    known: Vec<String>,
    /// Values that may determine the colours.
    words: Vec<&'a str>,
    /// The value of one of [`COLOUR_ATTRIBUTES`], which then alone determines the colours.
    colour_value: Option<&'a str>,
    /// Values of the type line: first those of single choices, then those of lists.
    types: Vec<String>,
    lists: Vec<String>,
    stats: Vec<Figure<'a>>,
    numbers: Vec<Figure<'a>>,
    facts: Vec<Fact<'a>>,
    glyph: Option<Cow<'a, str>>,
}

impl<'a> AttributeGroups<'a> {
    fn new(title: &str, kind: &str) -> Self {
        Self {
            known: vec![name_key(title), name_key(kind)],
            words: Vec::new(),
            types: Vec::new(),
            lists: Vec::new(),
            colour_value: None,
            stats: Vec::new(),
            numbers: Vec::new(),
            facts: Vec::new(),
            glyph: None,
        }
    }

    fn add(&mut self, code: &'a str, attribute: Option<&'a Attribute>, value: &'a Value) {
        let label = attribute.map_or(code, |attribute| attribute.name.as_str());
        let label = || -> Cow<'a, str> { titled(label).into() };
        match value {
            Value::Null => {}
            Value::Number(number) => {
                let figure = Figure { label: label(), value: signed(number, attribute).into() };
                let own = attribute.is_some_and(|attribute| attribute.per_printing);
                if own { &mut self.stats } else { &mut self.numbers }.push(figure);
            }
            Value::Bool(yes) => {
                let value = if *yes { "Yes" } else { "No" };
                self.facts.push(Fact { label: label(), value: value.into() });
            }
            Value::String(text) => self.add_text(code, text, attribute, label),
            Value::Array(values) => {
                let texts = || values.iter().filter_map(Value::as_str);
                let required = attribute.is_some_and(|attribute| !attribute.optional);
                if required {
                    texts().for_each(|text| self.add_type(text, true));
                } else if !values.is_empty() {
                    let value = texts().map(titled).collect::<Vec<_>>().join(" · ").into();
                    self.facts.push(Fact { label: label(), value });
                }
            }
            Value::Object(_) => {}
        }
    }

    fn add_text(
        &mut self,
        code: &str,
        text: &'a str,
        attribute: Option<&Attribute>,
        label: impl Fn() -> Cow<'a, str>,
    ) {
        let is_choice = attribute
            .is_some_and(|attribute| matches!(attribute.value, AttributeValue::Choice { .. }));
        let is_picture = || metrics::is_emoji(text) && metrics::clusters(text).nth(1).is_none();
        if is_choice {
            if COLOUR_ATTRIBUTES.contains(&code) {
                self.colour_value = Some(text);
            }
            self.words.push(text);
            self.add_type(text, false);
        } else if self.glyph.is_none() && is_picture() {
            self.glyph = Some(text.into());
        } else if !self.known.contains(&name_key(text)) {
            self.words.push(text);
            self.facts.push(Fact { label: label(), value: text.into() });
        }
    }

    fn add_type(&mut self, code: &str, is_list: bool) {
        let key = name_key(code);
        if !self.known.contains(&key) {
            self.known.push(key);
            let types = if is_list { &mut self.lists } else { &mut self.types };
            types.push(titled(code));
        }
    }

    fn theme(&self, kind: &str) -> String {
        let words = self.words.iter().filter(|_| self.colour_value.is_none());
        let mut theme = kind.to_owned();
        for word in self.colour_value.iter().chain(words) {
            theme.push(' ');
            theme.push_str(word);
        }
        theme
    }
}

/// Codes of attributes that determine the colours of a card, if it has one of them.
const COLOUR_ATTRIBUTES: [&str; 8] =
    ["type", "colour", "color", "element", "suit", "faction", "class", "clan"];

/// Writes a number; positive ones with a plus sign if the attribute may be negative.
fn signed(number: &serde_json::Number, attribute: Option<&Attribute>) -> String {
    let may_be_negative = attribute.is_some_and(|attribute| {
        matches!(attribute.value, AttributeValue::Integer { min: Some(min), .. } if min < 0)
    });
    match number.as_i64() {
        Some(number) if number < 0 => format!("−{}", number.unsigned_abs()),
        Some(number) if number > 0 && may_be_negative => format!("+{number}"),
        _ => number.to_string(),
    }
}

/// A code as words with capital letters: `boost_attack` becomes `Boost Attack`.
pub(crate) fn titled(code: &str) -> String {
    let mut words = String::with_capacity(code.len());
    let mut starts = true;
    for character in code.chars() {
        match character {
            '_' | ' ' => words.push(' '),
            _ if starts => words.extend(character.to_uppercase()),
            _ => words.push(character),
        }
        starts = matches!(character, '_' | ' ' | '-');
    }
    words
}
