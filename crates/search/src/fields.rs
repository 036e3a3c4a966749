//! The fields of the query language: one table for cards, and one for the additional fields of designs. Queries are
//! checked against it, and the reference is generated from it.

use std::collections::BTreeSet;

use super::fault::NotOfDesigns;
use super::syntax::Operator;

/// The subject of a field; it determines the values and the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Game,
    Set,
    Number,
    Name,
    Text,
    Effect,
    Lore,
    Kind,
    Type,
    /// An attribute that the games' manifests define.
    Attribute,
    Total,
    Style,
    Slot,
    Rarity,
    Is,
    Not,
    Has,
    Unlocked,
    Submissions,
    Year,
    Date,
    Legal,
    Restricted,
    Banned,
    Sort,
    Order,
    Unique,
    /// Of designs: the author.
    Author,
    /// Of designs: the status.
    Status,
    /// Of designs: the rating.
    Rating,
    /// Of designs: the number of comments.
    Comments,
}

/// What a query searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Subject {
    /// Cards of the catalogue.
    #[default]
    Cards,
    /// Designs that players made.
    Designs,
}

impl Subject {
    /// The fields that a query may name. Fields that designs do not have are included, so that the error can say so.
    pub(super) fn fields(self) -> impl Iterator<Item = &'static Field> {
        let own = match self {
            Self::Cards => &[],
            Self::Designs => DESIGN_FIELDS,
        };
        own.iter().chain(FIELDS)
    }

    /// Names of the fields that a query can use.
    pub(super) fn usable_fields(self) -> impl Iterator<Item = &'static str> {
        let is_usable =
            move |field: &&Field| self == Self::Cards || field.topic.why_not_of_designs().is_none();
        self.fields().filter(is_usable).map(|field| field.name)
    }

    /// The field with that name.
    pub(super) fn field(self, name: &str) -> Option<&'static Field> {
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        self.fields().find(|field| is(field.name) || field.aliases.iter().any(|alias| is(alias)))
    }
}

impl Topic {
    /// The allowed operators.
    pub(super) fn operators(self) -> &'static [Operator] {
        use Operator::{AtLeast, AtMost, Equal, Greater, Has, Less, NotEqual};
        match self {
            Self::Game
            | Self::Set
            | Self::Name
            | Self::Kind
            | Self::Type
            | Self::Style
            | Self::Slot
            | Self::Legal
            | Self::Restricted
            | Self::Banned
            | Self::Author
            | Self::Status => &[Has, Equal, NotEqual],
            Self::Text | Self::Effect | Self::Lore | Self::Is | Self::Not | Self::Has => &[Has],
            Self::Sort | Self::Order | Self::Unique => &[Has, Equal],
            Self::Number
            | Self::Attribute
            | Self::Total
            | Self::Rarity
            | Self::Unlocked
            | Self::Submissions
            | Self::Year
            | Self::Date
            | Self::Rating
            | Self::Comments => &[Has, Equal, NotEqual, Less, AtMost, Greater, AtLeast],
        }
    }

    /// Whether the field is public for all cards, so that terms with it find hidden cards, too.
    fn finds_hidden(self) -> bool {
        matches!(
            self,
            Self::Game
                | Self::Set
                | Self::Number
                | Self::Is
                | Self::Not
                | Self::Unlocked
                | Self::Submissions
        )
    }

    /// Why the field cannot be used for designs; `None`: it can.
    pub(super) fn why_not_of_designs(self) -> Option<NotOfDesigns> {
        match self {
            Self::Set | Self::Number | Self::Year | Self::Date => Some(NotOfDesigns::Sets),
            Self::Is | Self::Not | Self::Unlocked | Self::Submissions => Some(NotOfDesigns::Hidden),
            Self::Legal | Self::Restricted | Self::Banned => Some(NotOfDesigns::Formats),
            Self::Sort | Self::Order | Self::Unique => Some(NotOfDesigns::Sorting),
            _ => None,
        }
    }

    /// Whether the field controls the list instead of filtering it.
    pub(super) fn is_directive(self) -> bool {
        matches!(self, Self::Sort | Self::Order | Self::Unique)
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Its name; of an attribute, its code in the manifests, with or without the plural's s.
    pub(super) name: &'static str,
    /// Other names.
    pub(super) aliases: &'static [&'static str],
    pub(super) topic: Topic,
    /// Whether lists can be sorted by the field.
    pub(super) sortable: bool,
    /// Description.
    pub(super) text: &'static str,
    /// A query with it that finds something in the sample games.
    pub(super) example: &'static str,
}

macro_rules! fields {
    ($($name:literal [$($alias:literal)*] $topic:ident $($sortable:ident)?: $text:literal, $example:literal;)+) => {
        &[$(Field {
            name: $name,
            aliases: &[$($alias),*],
            topic: Topic::$topic,
            sortable: fields!(@ $($sortable)?),
            text: $text,
            example: $example,
        }),+]
    };
    (@ sortable) => { true };
    (@) => { false };
}

/// The whole table.
pub(super) const FIELDS: &[Field] = fields! {
    "game" ["g"] Game: "The game, by code or name.", "game:ttcg";
    "set" ["s" "e" "edition"] Set sortable: "The set, by code. Sorting by it means game, set and number: the order when nothing else is said.", "set:hearth";
    "number" ["cn" "nr"] Number sortable: "The number in the set. Zeros before it and case do not count.", "number<=12";
    "name" ["n" "title"] Name sortable: "Words of the name. `=` wants the whole name.", "name:tortoise";
    "text" ["o" "x"] Text: "Words of effects and lore.", "o:\"discard one card\"";
    "effect" ["fx"] Effect: "Words of one effect.", "effect:mill";
    "lore" ["a" "flavor" "flavour" "ft"] Lore: "Words of the background text.", "lore:market";
    "kind" ["k"] Kind sortable: "The kind of card, by code or name.", "kind:spell";
    "type" ["t"] Type sortable: "The type, one of the subtypes, or the kind.", "t:fire";
    "subtype" ["st" "subtypes"] Attribute: "A subtype.", "subtype:ghost";
    "rank" ["rk" "level"] Attribute sortable: "The rank.", "rank>=4";
    "attack" ["atk"] Attribute sortable: "Attack, in any printing.", "attack>700";
    "defense" ["def" "defence"] Attribute sortable: "Defense, in any printing.", "def>=800";
    "total" ["sum"] Total sortable: "What the game adds up on a card, attack and defense, in any printing.", "total>2500";
    "stage" [] Attribute sortable: "The stage; stages have an order.", "stage>=ultramoji";
    "power" ["pow"] Attribute sortable: "The power.", "power<2";
    "keyword" ["kw" "keywords"] Attribute: "A keyword.", "kw:mute";
    "style" [] Style: "The style of an effect.", "style:counter";
    "slot" [] Slot: "Where on the card an effect stands.", "slot:glitch";
    "rarity" ["r"] Rarity sortable: "A rarity in which the card exists; rarities have an order. Sorting is by the lowest.", "r>=mythic_rare unique:printings";
    "is" [] Is: "`hidden`: not yet unlocked. `unlocked`: was hidden once.", "is:hidden";
    "not" [] Not: "The contrary of `is`.", "not:hidden";
    "has" [] Has: "`effect`, `lore`, or the code of an attribute that the card has.", "has:lore";
    "unlocked" [] Unlocked sortable: "The day on which the community unlocked the card, `YYYY-MM-DD`, in UTC.", "unlocked>=2026-11-01 or is:hidden";
    "submissions" ["progress"] Submissions sortable: "How many submissions count towards unlocking, of cards that started hidden.", "submissions<5";
    "year" ["y"] Year sortable: "The year in which the set came out.", "year:2026";
    "date" ["released"] Date sortable: "The day on which the set came out, `YYYY-MM-DD`.", "date>=2026-01-01";
    "legal" ["format" "f"] Legal: "A format of which the card may be in decks: `FORMAT`, or `GAME/FORMAT`, with `:VARIANT` for another variant and `@YYYY-MM-DD` for the rules of that day instead of today's. Restricted cards are legal.", "f:standard@2026-11-01";
    "restricted" [] Restricted: "A format whose limit list names the card and allows some copies.", "-restricted:standard";
    "banned" [] Banned: "A format whose limit list forbids the card.", "-banned:ttcg/standard";
    "sort" [] Sort: "By which field the list is sorted. Cards without a value come last.", "t:fire sort:attack";
    "order" ["dir" "direction"] Order: "`asc` or `desc`; or a field, and means the same as `sort` then.", "t:fire sort:attack order:desc";
    "unique" ["u"] Unique: "`cards`: one entry for each card. `printings`: one for each rarity of it that fits.", "attack>1500 unique:printings";
};

/// Fields that only designs have. Queries for cards do not use these, because a game may have attributes with such
/// names.
pub(super) const DESIGN_FIELDS: &[Field] = fields! {
    "by" ["author"] Author: "The author, by name.", "by:ada";
    "status" [] Status: "How far it is: `shared`, `submitted`, `in_review`, `approved`, `declined` or `official`.", "status:shared";
    "rating" ["rated"] Rating: "How well players rate it, 1 to 5 with at most two decimals; of designs that somebody has rated.", "rating>=3.5";
    "comments" [] Comments: "How many comments there are about it.", "comments:0..9";
};

/// The documentation of a field for queries for cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldHelp {
    /// Its name; of an attribute, its code in the manifests, with or without the plural's s.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The operators that may follow the name.
    pub operators: Vec<&'static str>,
    /// Whether lists can be sorted by it, if the games have it.
    pub is_sortable: bool,
    /// Whether the field is public for all cards, so that terms with it find hidden cards, too.
    pub finds_hidden: bool,
    /// Description, with code in backticks.
    pub text: &'static str,
    /// A query with it.
    pub example: &'static str,
}

/// All fields of queries for cards, in the order of the documentation.
pub fn card_fields() -> impl Iterator<Item = FieldHelp> {
    FIELDS.iter().map(|field| FieldHelp {
        name: field.name,
        aliases: field.aliases,
        operators: field.topic.operators().iter().map(|operator| operator.as_str()).collect(),
        is_sortable: field.sortable,
        finds_hidden: field.topic.finds_hidden(),
        text: field.text,
        example: field.example,
    })
}

/// The field name for an attribute: its code, or `attributes.` and its code if a field with another meaning has that
/// name, or if the code begins with a hyphen, which would exclude.
pub fn attribute_field(code: &str) -> String {
    let means_it = |field: &Field| {
        field.topic == Topic::Attribute
            && (field.name == code || code.strip_suffix('s') == Some(field.name))
    };
    if !code.starts_with('-') && Subject::Cards.field(code).is_none_or(means_it) {
        code.to_owned()
    } else {
        format!("attributes.{code}")
    }
}

/// A query for each field, and the field's name: each finds something in the sample games.
pub fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    FIELDS.iter().map(|field| (field.name, field.example))
}

/// The same for the fields that only designs have.
pub fn design_examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    DESIGN_FIELDS.iter().map(|field| (field.name, field.example))
}

fn quoted(words: &mut dyn Iterator<Item = &str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
}

/// The parts of the reference that only concern designs, as Markdown: additional fields, and fields that cannot be
/// used.
pub fn design_reference() -> String {
    let mut page =
        String::from("| Field | Short | Operators | Meaning | Example |\n|---|---|---|---|---|\n");
    for field in DESIGN_FIELDS {
        page.push_str(&format!(
            "| `{}` | {} | {} | {} | `{}` |\n",
            field.name,
            quoted(&mut field.aliases.iter().copied()),
            quoted(&mut field.topic.operators().iter().map(|operator| operator.as_str())),
            field.text,
            field.example,
        ));
    }
    page.push_str("\n| Fields of cards alone | Why |\n|---|---|\n");
    let why = |field: &Field| field.topic.why_not_of_designs().map(NotOfDesigns::as_str);
    let reasons: BTreeSet<&str> = FIELDS.iter().filter_map(why).collect();
    for reason in reasons {
        let mut fields =
            FIELDS.iter().filter(|field| why(field) == Some(reason)).map(|field| field.name);
        page.push_str(&format!("| {} | {reason} |\n", quoted(&mut fields)));
    }
    page
}

/// The table of fields as Markdown, for the reference page.
pub fn reference() -> String {
    let mut page = String::from(
        "| Field | Short | Operators | Sorts | Finds hidden cards | Meaning | Example |\n|---|---|---|---|---|---|---|\n",
    );
    let yes = |is: bool| if is { "yes" } else { "" };
    for field in card_fields() {
        page.push_str(&format!(
            "| `{}` | {} | {} | {} | {} | {} | `{}` |\n",
            field.name,
            quoted(&mut field.aliases.iter().copied()),
            quoted(&mut field.operators.iter().copied()),
            yes(field.is_sortable),
            yes(field.finds_hidden),
            field.text,
            field.example,
        ));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_field() {
        let names = || {
            Subject::Designs
                .fields()
                .flat_map(|field| std::iter::once(field.name).chain(field.aliases.iter().copied()))
        };
        assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
        let find = |subject: Subject, name| subject.field(name).map(|field| field.name);
        assert_eq!(find(Subject::Cards, "ATK"), Some("attack"));
        assert_eq!(find(Subject::Cards, "attac"), None);
        assert_eq!(find(Subject::Cards, "by"), None);
        let codes = ["attack", "subtypes", "type", "number", "boost_attack", "level", "a-b", "-a"]
            .map(attribute_field);
        let fields = [
            "attack",
            "subtypes",
            "attributes.type",
            "attributes.number",
            "boost_attack",
            "attributes.level",
            "a-b",
            "attributes.-a",
        ];
        assert_eq!(codes, fields);
        assert_eq!(find(Subject::Designs, "BY"), Some("by"));
    }
}
