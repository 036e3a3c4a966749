//! Colours of a card.

use std::fmt;

use cardscape_engine::rng::text_number;

/// A colour as in CSS: hue in degrees, saturation and lightness in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hsl(u32, u32, u32);

impl fmt::Display for Hsl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(hue, saturation, lightness) = self;
        write!(f, "hsl({hue},{saturation}%,{lightness}%)")
    }
}

/// The colours of a card: one hue with different lightness. Letters have a contrast of at least 4.5 to their background
/// (WCAG 2.2 AA).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Palette {
    hue: u32,
    /// A factor for the saturation of all colours, in percent.
    strength: u32,
}

/// Words for colours and elements, with hue and strength. The first of these words in a card's theme determines its
/// colours.
const WORDS: [(&str, u32, u32); 44] = [
    ("red", 2, 120),
    ("crimson", 350, 110),
    ("orange", 26, 120),
    ("yellow", 48, 130),
    ("gold", 44, 110),
    ("green", 132, 100),
    ("teal", 174, 100),
    ("cyan", 188, 100),
    ("blue", 216, 120),
    ("indigo", 240, 90),
    ("purple", 276, 90),
    ("violet", 276, 90),
    ("pink", 332, 110),
    ("magenta", 312, 110),
    ("brown", 26, 60),
    ("white", 40, 22),
    ("silver", 214, 16),
    ("gray", 214, 12),
    ("grey", 214, 12),
    ("black", 250, 16),
    ("fire", 12, 120),
    ("flame", 12, 120),
    ("water", 208, 120),
    ("ocean", 208, 120),
    ("ice", 194, 90),
    ("earth", 34, 80),
    ("stone", 34, 40),
    ("air", 190, 60),
    ("wind", 190, 60),
    ("electric", 52, 130),
    ("lightning", 52, 130),
    ("light", 44, 90),
    ("holy", 44, 90),
    ("dark", 266, 60),
    ("shadow", 266, 60),
    ("nature", 108, 90),
    ("grass", 108, 90),
    ("plant", 108, 90),
    ("metal", 210, 24),
    ("steel", 210, 24),
    ("psychic", 300, 90),
    ("poison", 286, 90),
    ("colorless", 210, 10),
    ("neutral", 210, 10),
];

impl Palette {
    /// The colours of a theme.
    pub(crate) fn of(theme: &str) -> Self {
        Self::known(theme).unwrap_or_else(|| {
            // Eighteen hues that can be distinguished.
            Self::of_hue(u32::try_from(text_number(theme) % 18).unwrap_or_default() * 20)
        })
    }

    /// The colours of a theme that has a word for a colour or element.
    pub(crate) fn known(theme: &str) -> Option<Self> {
        let words = theme.split(|character: char| !character.is_alphanumeric());
        let mut known = words
            .filter_map(|word| WORDS.iter().find(|(known, _, _)| word.eq_ignore_ascii_case(known)));
        known.next().map(|(_, hue, strength)| Self { hue: *hue, strength: *strength })
    }

    /// The colours of a hue, from 0 to 359 degrees.
    pub(crate) fn of_hue(hue: u32) -> Self {
        Self { hue, strength: 90 }
    }

    fn shade(self, turn: u32, saturation: u32, lightness: u32) -> Hsl {
        let saturation = (saturation * self.strength / 100).min(100);
        Hsl((self.hue + turn) % 360, saturation, lightness)
    }

    /// The card's edge.
    pub(crate) fn edge(self) -> Hsl {
        self.shade(0, 38, 14)
    }

    pub(crate) fn edge_line(self) -> Hsl {
        self.shade(0, 36, 38)
    }

    /// The background of the plates, at the top and at the bottom of the card.
    pub(crate) fn panel(self) -> [Hsl; 2] {
        [self.shade(0, 44, 72), self.shade(0, 40, 46)]
    }

    /// Background of plates with dark letters.
    pub(crate) fn plate(self) -> Hsl {
        self.shade(0, 55, 95)
    }

    /// Background of plates with light letters.
    pub(crate) fn dark_plate(self) -> Hsl {
        self.shade(0, 45, 15)
    }

    /// Borders of plates, and labels.
    pub(crate) fn line(self) -> Hsl {
        self.shade(0, 50, 26)
    }

    /// Background of the artwork box, in the middle and at its borders.
    pub(crate) fn art(self) -> [Hsl; 2] {
        [self.shade(0, 70, 74), self.shade(340, 62, 26)]
    }

    /// A bar of a chart on a light background.
    pub(crate) fn bar_on_light(self) -> Hsl {
        // Yellow, green and cyan look lighter than other hues of the same lightness.
        let is_light = (36..200).contains(&self.hue);
        self.shade(0, 62, if is_light { 33 } else { 48 })
    }

    /// A bar of a chart on a dark background.
    pub(crate) fn bar_on_dark(self) -> Hsl {
        self.shade(0, 58, 64)
    }

    /// Colours of the emblem: a light one, a strong one, and one with a neighbouring hue.
    pub(crate) fn emblem(self) -> [Hsl; 3] {
        [self.shade(0, 80, 90), self.shade(0, 66, 42), self.shade(40, 70, 60)]
    }
}

#[cfg(test)]
pub(crate) mod contrast {
    //! Contrast of colours, as WCAG 2.2 defines it.

    use super::Hsl;

    /// Relative luminance, as WCAG defines it.
    fn luminance([red, green, blue]: [f64; 3]) -> f64 {
        let linear = |part: f64| {
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Red, green and blue as CSS defines them.
    pub(crate) fn rgb(Hsl(hue, saturation, lightness): Hsl) -> [f64; 3] {
        let [hue, saturation, lightness] =
            [hue, saturation, lightness].map(|number| f64::from(number) / 100.0);
        let part = |shift: f64| {
            let place = (shift + hue * 100.0 / 30.0) % 12.0;
            let room = saturation * lightness.min(1.0 - lightness);
            lightness - room * (place - 3.0).min(9.0 - place).clamp(-1.0, 1.0)
        };
        [part(0.0), part(8.0), part(4.0)]
    }

    /// Red, green and blue of a colour that is written as `#rrggbb`.
    pub(crate) fn written(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0)
    }

    /// The contrast ratio, from 1 (equal colours) to 21 (black and white).
    pub(crate) fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }
}

#[cfg(test)]
mod tests {
    use super::contrast::{contrast, rgb, written};
    use super::*;

    #[test]
    fn words_for_colours_determine_the_palette() {
        assert_eq!(Palette::of("unit fire").hue, 12);
        assert_eq!(Palette::of("number RED").hue, 2);
        assert_eq!(Palette::of("firework"), Palette::of("firework"));
        assert_ne!(Palette::of("firework").hue, Palette::of("fire").hue);
        assert_eq!(Palette::of("gray").edge().to_string(), "hsl(214,4%,14%)");
    }

    #[test]
    fn letters_can_be_read_in_every_colour() {
        let bytes = |colour: Hsl| format!("{:.0?}", rgb(colour).map(|part| part * 255.0));
        assert_eq!(bytes(Hsl(0, 100, 50)), "[255, 0, 0]");
        assert_eq!(bytes(Hsl(210, 50, 40)), "[51, 102, 153]");
        let (dark, light, metal) = (written("#1b1813"), written("#fbf7ec"), written("#a9b9ca"));
        for hue in (0..360).step_by(5) {
            for strength in [10, 60, 90, 120, 130] {
                let palette = Palette { hue, strength };
                let [plate, dark_plate, line] =
                    [palette.plate(), palette.dark_plate(), palette.line()].map(rgb);
                for (what, letters, ground) in [
                    ("texts", dark, plate),
                    ("labels of facts", line, plate),
                    ("labels of effects", light, line),
                    ("the foot", light, dark_plate),
                    ("the darkest of metal", metal, dark_plate),
                ] {
                    let seen = contrast(letters, ground);
                    assert!(seen >= 4.5, "{what} at {hue} {strength}: {seen:.2}");
                }
            }
        }
    }
}
