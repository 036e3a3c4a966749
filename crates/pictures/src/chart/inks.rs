//! Colours of charts.

use super::input::ChartTheme;
use crate::palette::{Hsl, Palette};

/// Colours of everything except bars. Letters have a contrast of at least 4.5 to the background (WCAG 2.2 AA).
#[derive(Debug, Clone, Copy)]
pub(super) struct Inks {
    pub(super) ground: &'static str,
    pub(super) text: &'static str,
    pub(super) label: &'static str,
    /// Lines behind the bars, which are only an aid, because the numbers are written beside the bars.
    pub(super) line: &'static str,
}

/// Hues for values without a colour of their own, in degrees; neighbours differ strongly.
const SERIES: [u32; 12] = [216, 30, 168, 330, 90, 270, 192, 0, 132, 300, 48, 240];

/// The colours of the value at an index.
pub(super) fn series(place: usize) -> Palette {
    Palette::of_hue(SERIES[place % SERIES.len()])
}

impl ChartTheme {
    pub(super) fn inks(self) -> Inks {
        match self {
            Self::Light => {
                Inks { ground: "#fffefb", text: "#1b1813", label: "#5c564b", line: "#e2ddd2" }
            }
            Self::Dark => {
                Inks { ground: "#17181c", text: "#f4f0e6", label: "#b7b1a5", line: "#34363d" }
            }
        }
    }

    /// The colour of a bar, with a contrast of at least 3 to the background (WCAG 2.2 AA, 1.4.11).
    pub(super) fn bar(self, palette: Palette) -> Hsl {
        match self {
            Self::Light => palette.bar_on_light(),
            Self::Dark => palette.bar_on_dark(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::contrast::{contrast, rgb, written};

    #[test]
    fn letters_and_bars_have_enough_contrast_to_the_background() {
        for theme in [ChartTheme::Light, ChartTheme::Dark] {
            let inks = theme.inks();
            let ground = written(inks.ground);
            for letters in [inks.text, inks.label] {
                let seen = contrast(written(letters), ground);
                assert!(seen >= 4.5, "{letters} on {}: {seen:.2}", inks.ground);
            }
            let words = ["gray", "yellow", "gold", "electric", "blue", "colorless", "black", "red"];
            let hues = (0..360).map(Palette::of_hue);
            for palette in hues.chain(words.iter().filter_map(|word| Palette::known(word))) {
                let seen = contrast(rgb(theme.bar(palette)), ground);
                assert!(seen >= 3.0, "{palette:?} on {}: {seen:.2}", inks.ground);
            }
        }
    }

    #[test]
    fn values_without_a_colour_have_different_ones() {
        let mut colours: Vec<String> =
            (0..12).map(|place| ChartTheme::Light.bar(series(place)).to_string()).collect();
        assert_eq!(series(12), series(0));
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), 12);
    }
}
