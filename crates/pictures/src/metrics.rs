//! Widths of texts in the bundled fonts, with which PNGs are drawn.
//!
//! An SVG is drawn with the fonts of its reader. For these there is a second number: the width that a text may have in a
//! wide font.

use std::sync::LazyLock;

use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider, charmap::Charmap};
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// A style of the bundled font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Regular,
    Bold,
    Italic,
}

/// The bundled fonts, in the order of [`Style`], and the one with symbols.
pub(crate) const BUNDLED: [&[u8]; 4] = [
    include_bytes!("../fonts/CardscapeSans-Regular.ttf"),
    include_bytes!("../fonts/CardscapeSans-Bold.ttf"),
    include_bytes!("../fonts/CardscapeSans-Italic.ttf"),
    include_bytes!("../fonts/CardscapeSymbols.ttf"),
];

/// Index of the symbol font among the bundled fonts.
pub(crate) const SYMBOLS: usize = 3;

/// Width of a text in units of its font size (em).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Extent {
    /// In the bundled font.
    pub(crate) width: f32,
    /// In the widest font that a reader is likely to have.
    pub(crate) bound: f32,
}

impl Extent {
    fn new(width: f32, bound: f32) -> Self {
        Self { width, bound }
    }
}

impl std::ops::AddAssign for Extent {
    fn add_assign(&mut self, other: Self) {
        self.width += other.width;
        self.bound += other.bound;
    }
}

/// Width of an emoji. Noto Color Emoji has 1.245, Apple's font 1.25, Segoe's 1.37.
const EMOJI: Extent = Extent { width: 1.25, bound: 1.4 };

struct Font {
    letters: Charmap<'static>,
    advances: GlyphMetrics<'static>,
    ascii: [f32; 128],
}

impl Font {
    fn new(data: &'static [u8]) -> Option<Self> {
        let font = FontRef::new(data).ok()?;
        let (letters, size) = (font.charmap(), Size::new(1.0));
        let advances = font.glyph_metrics(size, LocationRef::default());
        let mut result = Self { letters, advances, ascii: [0.0; 128] };
        for code in 0_u8..128 {
            result.ascii[usize::from(code)] = result.look_up(char::from(code)).unwrap_or(0.6);
        }
        Some(result)
    }

    fn look_up(&self, character: char) -> Option<f32> {
        self.letters.map(character).and_then(|glyph| self.advances.advance_width(glyph))
    }
}

static FONTS: LazyLock<Vec<Font>> =
    LazyLock::new(|| BUNDLED.iter().filter_map(|data| Font::new(data)).collect());

/// Width of a text.
pub(crate) fn measure(text: &str, style: Style) -> Extent {
    let mut whole = Extent::default();
    for cluster in clusters(text) {
        whole += cluster_extent(cluster, style);
    }
    whole
}

/// The grapheme clusters of a text: what readers see as single characters.
pub(crate) fn clusters(text: &str) -> impl Iterator<Item = &str> {
    text.graphemes(true)
}

/// Width of one cluster.
pub(crate) fn cluster_extent(cluster: &str, style: Style) -> Extent {
    let font = FONTS.get(style as usize);
    if let [byte] = cluster.as_bytes() {
        let width = font.map_or(0.6, |font| font.ascii[usize::from(byte & 0x7F)]);
        return Extent::new(width, wide(width));
    }
    if is_emoji(cluster) {
        let pictures = cluster.chars().filter(|character| is_drawn(*character)).count().max(1);
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        return Extent::new(EMOJI.width, EMOJI.bound * pictures as f32);
    }
    let mut whole = Extent::default();
    for character in cluster.chars() {
        if let Some(width) = font.and_then(|font| font.look_up(character)) {
            let marks = is_combining_mark(character);
            whole += if marks { Extent::default() } else { Extent::new(width, wide(width)) };
        } else if let Some(width) = FONTS.get(SYMBOLS).and_then(|font| font.look_up(character)) {
            whole += Extent::new(width, width.max(1.0) * 1.3);
        } else {
            // The width in the reader's font is unknown. A very large bound gives such lines a fixed length.
            whole += Extent::new(guess(character), 20.0);
        }
    }
    whole
}

/// The width of a letter in a wide font. Bold letters of wide fonts (Verdana, DejaVu) are a quarter wider than the bundled
/// ones; all letters of monospaced fonts are about 0.6 wide.
fn wide(width: f32) -> f32 {
    (width * 1.25).max(0.65)
}

/// Estimated width of a letter that the bundled fonts do not have.
fn guess(character: char) -> f32 {
    match character {
        _ if is_combining_mark(character) => 0.0,
        '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E01EF}' => 0.0,
        '\u{FDFA}'..='\u{FDFD}' | '\u{12000}'..='\u{1254F}' => 3.0,
        '\u{0530}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}' => 0.6,
        '\u{0900}'..='\u{10FF}' | '\u{1200}'..='\u{1FFF}' => 0.75,
        _ => 1.0,
    }
}

/// Whether emoji fonts draw the cluster as a picture in colour.
pub(crate) fn is_emoji(cluster: &str) -> bool {
    let Some(first) = cluster.chars().next() else { return false };
    is_picture(first) || (!cluster.is_ascii() && cluster.contains('\u{FE0F}'))
}

/// Whether a font that does not combine the characters of a cluster draws this one.
fn is_drawn(character: char) -> bool {
    !is_ignorable(character) && !is_combining_mark(character)
}

/// Whether a character has no glyph of its own: it joins others, or selects one.
pub(crate) fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E01EF}')
}

/// Whether a character is a picture: those of the emoji blocks, and those of older blocks that emoji fonts contain.
pub(crate) fn is_picture(character: char) -> bool {
    matches!(
        character,
        '\u{1F000}'..='\u{1FAFF}' | '\u{231A}' | '\u{231B}' | '\u{23E9}'..='\u{23FA}' | '\u{2600}'..='\u{2604}' | '\u{260E}'
            | '\u{2611}' | '\u{2614}' | '\u{2615}' | '\u{2618}' | '\u{261D}' | '\u{2620}' | '\u{2622}' | '\u{2623}' | '\u{2626}'
            | '\u{262A}' | '\u{262E}' | '\u{262F}' | '\u{2638}'..='\u{263A}' | '\u{2640}' | '\u{2642}' | '\u{2648}'..='\u{2653}'
            | '\u{265F}' | '\u{2660}' | '\u{2663}' | '\u{2665}' | '\u{2666}' | '\u{2668}' | '\u{267B}' | '\u{267E}' | '\u{267F}'
            | '\u{2692}'..='\u{2697}' | '\u{2699}' | '\u{269B}' | '\u{269C}' | '\u{26A0}' | '\u{26A1}' | '\u{26A7}' | '\u{26AA}'
            | '\u{26AB}' | '\u{26B0}' | '\u{26B1}' | '\u{26BD}' | '\u{26BE}' | '\u{26C4}' | '\u{26C5}' | '\u{26C8}' | '\u{26CE}'
            | '\u{26CF}' | '\u{26D1}' | '\u{26D3}' | '\u{26D4}' | '\u{26E9}' | '\u{26EA}' | '\u{26F0}'..='\u{26F5}'
            | '\u{26F7}'..='\u{26FA}' | '\u{26FD}' | '\u{2702}' | '\u{2705}' | '\u{2708}'..='\u{270D}' | '\u{270F}' | '\u{2712}'
            | '\u{2714}' | '\u{2716}' | '\u{271D}' | '\u{2721}' | '\u{2728}' | '\u{2733}' | '\u{2734}' | '\u{2744}' | '\u{2747}'
            | '\u{274C}' | '\u{274E}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}' | '\u{2764}' | '\u{2795}'..='\u{2797}'
            | '\u{27B0}' | '\u{27BF}' | '\u{2B1B}' | '\u{2B1C}' | '\u{2B50}' | '\u{2B55}' | '\u{3030}' | '\u{303D}' | '\u{3297}'
            | '\u{3299}'
    )
}

/// Whether a text is written from right to left, which its first letter determines.
pub(crate) fn is_rtl(text: &str) -> bool {
    let mut letters = text.chars().filter(|character| character.is_alphabetic());
    letters.next().is_some_and(is_rtl_letter)
}

fn is_rtl_letter(character: char) -> bool {
    matches!(
        character,
        '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}' | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        assert_eq!(FONTS.len(), BUNDLED.len());
        let width = measure("Hi", Style::Regular).width;
        assert!((width - (0.741 + 0.258)).abs() < 0.002, "{width}");
        assert!(measure("Hi", Style::Bold).width > width);
        assert!(measure("e\u{301}", Style::Regular) == measure("e", Style::Regular));
        // A family emoji is one picture, but three in a font without it.
        let family = measure("👨\u{200D}👩\u{200D}👧", Style::Regular);
        assert!(family.width < 1.3 && family.bound > 3.0, "{family:?}");
        // So are letters that a variation selector joins.
        let joined = measure(&format!("{}\u{FE0F}", "\u{1100}".repeat(100)), Style::Regular);
        assert!(joined.bound > 100.0, "{joined:?}");
        let flag = measure("\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}", Style::Regular);
        assert!(flag.bound < 2.0, "{flag:?}");
        assert!(measure("日本", Style::Regular).bound > 20.0);
        assert_eq!(measure("", Style::Bold), Extent::default());
    }

    #[test]
    fn emoji_are_distinguished_from_letters() {
        for picture in ["🙂", "❤\u{FE0F}", "❤", "🇩🇪", "1\u{FE0F}\u{20E3}", "👨\u{200D}👩\u{200D}👧"]
        {
            assert!(is_emoji(picture), "{picture}");
        }
        for character in ["a", "é", "→", "★", "1", ""] {
            assert!(!is_emoji(character), "{character}");
        }
    }
}
