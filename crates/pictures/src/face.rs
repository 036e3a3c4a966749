//! The content of a card's face.

use std::borrow::Cow;

use crate::artwork::Artwork;
use crate::finish::Finish;

/// The face of a card, a printing or a design: its content, not its look.
///
/// [`CardFace::from_definition`] makes one for any card of any game; every field may be changed afterwards. Empty texts
/// are not drawn. Texts may contain anything that players write: they are cleaned when they are drawn.
#[derive(Debug, Clone, Default)]
pub struct CardFace<'a> {
    /// Name of the game.
    pub game: Cow<'a, str>,
    /// Name of the card.
    pub title: Cow<'a, str>,
    /// Kind and types, for example `Unit — Earth · Reptile`.
    pub type_line: Cow<'a, str>,
    /// The number in the corner of the name, for example the rank.
    pub badge: Option<Figure<'a>>,
    /// One emoji that is drawn large where there is no artwork.
    pub glyph: Option<Cow<'a, str>>,
    /// Numbers of the boxes below the text, for example attack and defense; at most [`STATS_MAX`] are drawn.
    pub stats: Vec<Figure<'a>>,
    /// Other attributes; short ones are two on a line. At most [`FACTS_MAX`] are drawn.
    pub facts: Vec<Fact<'a>>,
    /// Effects in printed order; at most [`EFFECTS_MAX`] are drawn.
    pub effects: Vec<EffectText<'a>>,
    /// Background text, in italics.
    pub lore: Option<Cow<'a, str>>,
    /// Who designed it: `designed by …`.
    pub designer: Option<Cow<'a, str>>,
    /// Set, by code or name.
    pub set: Cow<'a, str>,
    /// Number in the set.
    pub number: Cow<'a, str>,
    /// Name of the rarity.
    pub rarity: Cow<'a, str>,
    /// Number of rarities in the game: as many pips are in the foot, at most six.
    pub tiers: u32,
    /// The basis of the colours: words for a colour or element in this text, else a hash of it. Related cards have the
    /// same theme.
    pub theme: Cow<'a, str>,
    /// The finish of the printing.
    pub finish: Finish,
    /// The artwork. Without one, the box contains an emblem derived from theme and name.
    pub artwork: Option<Artwork<'a>>,
}

/// Most boxes with numbers.
pub const STATS_MAX: usize = 4;
/// Most facts.
pub const FACTS_MAX: usize = 8;
/// Most effects.
pub const EFFECTS_MAX: usize = 12;

/// A number with its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figure<'a> {
    /// What it is, for example `Attack`.
    pub label: Cow<'a, str>,
    /// The number as it is drawn, for example `250` or `+20`.
    pub value: Cow<'a, str>,
}

/// An attribute with its value in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact<'a> {
    /// What it is, for example `Keywords`.
    pub label: Cow<'a, str>,
    /// Its value, for example `Boost · Viral`.
    pub value: Cow<'a, str>,
}

/// An effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectText<'a> {
    /// Style, slot or both; empty: none.
    pub label: Cow<'a, str>,
    /// What it does.
    pub text: Cow<'a, str>,
}
