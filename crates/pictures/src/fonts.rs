//! Fonts for PNGs.

use std::borrow::Cow;
use std::sync::Arc;

use resvg::usvg::fontdb::{Database, ID, Source};
use resvg::usvg::{FontResolver, FontStyle};
use skrifa::charmap::Charmap;
use skrifa::{FontRef, MetadataProvider};
use thiserror::Error;

use crate::clean::clean;
use crate::metrics::{BUNDLED, SYMBOLS, Style, clusters, is_emoji, is_ignorable, is_picture};

/// The placeholder for characters that no font has; a glyph of the bundled symbol font.
const PLACEHOLDER: &str = "\u{E000}";

/// The fonts for PNGs: the bundled ones (Latin, Greek, Cyrillic, symbols), and optionally an emoji font and others.
///
/// Loading takes milliseconds, and an emoji font ten megabytes: create one instance and keep it. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Fonts {
    database: Arc<Database>,
    bundled: Vec<ID>,
    emoji: Option<Loaded>,
    more: Vec<Loaded>,
}

#[derive(Debug, Clone)]
struct Loaded {
    id: ID,
    data: Arc<Vec<u8>>,
}

impl Loaded {
    /// The glyph of each character.
    fn letters(&self) -> Option<Charmap<'_>> {
        Some(FontRef::from_index(&self.data, 0).ok()?.charmap())
    }
}

/// The bytes are not a font.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the bytes are not a TrueType or OpenType font")]
pub struct FontError;

impl Fonts {
    /// Only the bundled fonts. Without an emoji font, most emoji are drawn as a rounded outline.
    pub fn bundled() -> Self {
        let mut database = Database::new();
        let mut bundled = Vec::new();
        for data in BUNDLED {
            bundled.extend(database.load_font_source(Source::Binary(Arc::new(data))));
        }
        Self { database: Arc::new(database), bundled, emoji: None, more: Vec::new() }
    }

    /// Adds an emoji font, for example the bytes of `NotoColorEmoji.ttf` (Debian's `fonts-noto-color-emoji`). Supported are
    /// bitmaps (CBDT, sbix), layers (COLR) and plain outlines.
    ///
    /// # Errors
    /// When the bytes are not a font.
    pub fn with_emoji(mut self, bytes: Vec<u8>) -> Result<Self, FontError> {
        self.emoji = Some(self.load(bytes)?);
        Ok(self)
    }

    /// Whether there is an emoji font.
    pub fn has_emoji(&self) -> bool {
        self.emoji.is_some()
    }

    /// Adds a font for characters that none of the fonts before it has, for example Chinese or Arabic ones.
    ///
    /// # Errors
    /// When the bytes are not a font.
    pub fn with_more(mut self, bytes: Vec<u8>) -> Result<Self, FontError> {
        let loaded = self.load(bytes)?;
        self.more.push(loaded);
        Ok(self)
    }

    /// Whether [`Picture::png`](crate::Picture::png) draws outlines in place of letters of this text, because none of the
    /// fonts has them. Emoji do not count.
    ///
    /// ```
    /// use cardscape_pictures::Fonts;
    ///
    /// let fonts = Fonts::bundled();
    /// assert!(fonts.lack_letters_of("水の鷺"));
    /// assert!(!fonts.lack_letters_of("Reiher Ωδή Цапля 🔥"));
    /// ```
    pub fn lack_letters_of(&self, text: &str) -> bool {
        if text.is_ascii() {
            return false;
        }
        let (text, coverage) = (clean(text, usize::MAX), self.coverage());
        clusters(&text).any(|cluster| {
            !is_emoji(cluster) && coverage.slot(cluster, Style::Regular, None) == Slot::Missing
        })
    }

    fn load(&mut self, bytes: Vec<u8>) -> Result<Loaded, FontError> {
        let data = Arc::new(bytes);
        FontRef::from_index(&data, 0).map_err(|_| FontError)?;
        let database = Arc::make_mut(&mut self.database);
        let ids = database.load_font_source(Source::Binary(data.clone()));
        let id = ids.first().copied().ok_or(FontError)?;
        Ok(Loaded { id, data })
    }

    pub(crate) fn database(&self) -> Arc<Database> {
        self.database.clone()
    }

    /// A resolver that uses only these fonts, regardless of the font families that an SVG names.
    pub(crate) fn resolver(&self) -> FontResolver<'_> {
        let coverage = self.coverage();
        FontResolver {
            select_font: Box::new(|font, _| {
                let style = match (font.weight() >= 600, font.style()) {
                    (true, _) => Style::Bold,
                    (false, FontStyle::Normal) => Style::Regular,
                    (false, _) => Style::Italic,
                };
                self.bundled.get(style as usize).copied()
            }),
            select_fallback: Box::new(move |character, used, _| {
                let symbols = (self.bundled.get(SYMBOLS).copied(), coverage.bundled.get(SYMBOLS));
                let symbols = symbols.0.zip(symbols.1);
                let emoji = self.emoji.as_ref().map(|font| font.id).zip(coverage.emoji.as_ref());
                let more = self.more.iter().map(|font| font.id).zip(&coverage.more);
                let (first, last) =
                    if is_picture(character) { (emoji, symbols) } else { (symbols, emoji) };
                let mut fonts = first.into_iter().chain(last).chain(more);
                let has = |(id, letters): &(ID, &Charmap<'_>)| {
                    !used.contains(id) && letters.map(character).is_some()
                };
                fonts.find(has).map(|(id, _)| id)
            }),
        }
    }

    pub(crate) fn coverage(&self) -> Coverage<'_> {
        Coverage {
            bundled: BUNDLED
                .iter()
                .filter_map(|data| FontRef::new(data).ok())
                .map(|font| font.charmap())
                .collect(),
            emoji: self.emoji.as_ref().and_then(Loaded::letters),
            more: self.more.iter().filter_map(Loaded::letters).collect(),
        }
    }
}

/// The characters that the fonts have.
pub(crate) struct Coverage<'a> {
    bundled: Vec<Charmap<'a>>,
    emoji: Option<Charmap<'a>>,
    more: Vec<Charmap<'a>>,
}

/// The font for a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Text,
    Symbols,
    Emoji,
    More(usize),
    /// No font has it: the placeholder is drawn.
    Missing,
}

impl Slot {
    /// The text that is drawn for a cluster.
    pub(crate) fn drawn(self, cluster: &str) -> Cow<'_, str> {
        match self {
            Self::Missing => PLACEHOLDER.into(),
            Self::Symbols => {
                cluster.chars().filter(|character| !is_ignorable(*character)).collect()
            }
            _ => cluster.into(),
        }
    }
}

impl Coverage<'_> {
    /// The font for a cluster that follows one in the font `before`.
    pub(crate) fn slot(&self, cluster: &str, style: Style, before: Option<Slot>) -> Slot {
        let has = |letters: &Charmap<'_>| {
            let mut seen = cluster.chars().filter(|character| !is_ignorable(*character));
            seen.all(|character| letters.map(character).is_some())
        };
        // Spaces between words of another script use the same font, so that their order is kept.
        if let (true, Some(Slot::More(place))) = (cluster.is_ascii(), before)
            && self.more.get(place).is_some_and(has)
        {
            return Slot::More(place);
        }
        if is_emoji(cluster) && self.emoji.as_ref().is_some_and(has) {
            return Slot::Emoji;
        }
        if self.bundled.get(style as usize).is_some_and(has) {
            return Slot::Text;
        }
        if self.bundled.get(SYMBOLS).is_some_and(has) {
            return Slot::Symbols;
        }
        match self.more.iter().position(has) {
            Some(place) => Slot::More(place),
            None if self.emoji.as_ref().is_some_and(has) => Slot::Emoji,
            None => Slot::Missing,
        }
    }
}
