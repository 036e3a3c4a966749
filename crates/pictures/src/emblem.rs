//! The emblem in the artwork box of a card without artwork: a rosette derived from the card's name, which depicts
//! nothing.

use std::f64::consts::TAU;
use std::fmt::{self, Write as _};

use cardscape_engine::rng::{RandomNumbers as _, SplitMix64, text_number};

use crate::palette::Palette;
use crate::shapes::Area;

/// Shapes around the point 0,0, within 100 units of it; rays reach further.
#[derive(Debug)]
pub(crate) struct Emblem {
    rays: String,
    star: String,
    petals: [String; 2],
    rings: [u32; 2],
    palette: Palette,
}

impl Emblem {
    /// The emblem of a card: equal for the same theme and name.
    pub(crate) fn of(theme: &str, name: &str, palette: Palette) -> Self {
        let mut numbers = SplitMix64::new(text_number(theme).wrapping_add(text_number(name)));
        let mut draw = |from: u32, to: u32| {
            from + u32::try_from(numbers.below(u128::from(to - from + 1))).unwrap_or(0)
        };
        let fold = draw(5, 9);
        let step = draw(2, (fold - 1) / 2);
        let (outer, inner) = (draw(74, 90), draw(38, 54));
        let (wide, narrow) = (draw(28, 52), draw(30, 60));
        let rays = fold * draw(2, 3);
        let rings = [draw(60, 72), draw(93, 99)];
        Self {
            rays: rays_path(rays, 420.0),
            star: star_path(fold, step, f64::from(outer) + 8.0),
            petals: [
                petals_path(fold, f64::from(outer), f64::from(wide) / 100.0, 0.0),
                petals_path(fold, f64::from(inner), f64::from(narrow) / 100.0, 0.5),
            ],
            rings,
            palette,
        }
    }
}

impl fmt::Display for Emblem {
    /// Writes SVG that contains only numbers and colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [light, strong, neighbour] = self.palette.emblem();
        let [inner, outer] = self.rings;
        write!(f, r#"<path d="{}" fill="{light}" fill-opacity=".16"/>"#, self.rays)?;
        write!(
            f,
            r#"<g fill="none" stroke="{light}"><circle r="{outer}" stroke-width="2" stroke-opacity=".7"/>"#
        )?;
        write!(f, r#"<path d="{}" stroke-width="1.6" stroke-opacity=".8"/></g>"#, self.star)?;
        write!(
            f,
            r#"<path d="{}" fill="{light}" stroke="{strong}" stroke-width="1.5" fill-opacity=".92"/>"#,
            self.petals[0]
        )?;
        write!(
            f,
            r#"<circle r="{inner}" fill="none" stroke="{strong}" stroke-width="1" stroke-dasharray="1 5"/>"#
        )?;
        write!(
            f,
            r#"<path d="{}" fill="{neighbour}" stroke="{strong}" stroke-width="1.5"/>"#,
            self.petals[1]
        )?;
        write!(f, r#"<circle r="13" fill="{strong}"/><circle r="6" fill="{light}"/>"#)
    }
}

/// A point at an angle in turns; 0 is up.
fn point(turns: f64, radius: f64) -> (f64, f64) {
    let (sine, cosine) = (turns * TAU).sin_cos();
    (tenth(sine * radius), tenth(-cosine * radius))
}

/// A coordinate rounded to one decimal place. This is the same on every machine, although the last bits of a sine are
/// not.
fn tenth(number: f64) -> f64 {
    // Adding 0 converts −0 to 0.
    (number * 10.0).round() / 10.0 + 0.0
}

fn petals_path(fold: u32, length: f64, width: f64, shift: f64) -> String {
    let mut path = String::new();
    for petal in 0..fold {
        let turns = (f64::from(petal) + shift) / f64::from(fold);
        let side = width / f64::from(fold);
        let ((x, y), (left_x, left_y), (right_x, right_y)) = (
            point(turns, length),
            point(turns - side, length * 0.7),
            point(turns + side, length * 0.7),
        );
        let _ = write!(path, "M0 0Q{left_x} {left_y} {x} {y}Q{right_x} {right_y} 0 0");
    }
    path
}

fn star_path(fold: u32, step: u32, radius: f64) -> String {
    let mut path = String::new();
    for corner in 0..fold {
        for end in [corner, corner + step] {
            let (x, y) = point(f64::from(end) / f64::from(fold), radius);
            let _ = write!(path, "{}{x} {y}", if end == corner { 'M' } else { 'L' });
        }
    }
    path
}

/// Every second sector of a circle.
pub(crate) fn rays_path(count: u32, radius: f64) -> String {
    let mut path = String::new();
    for ray in 0..count {
        let turns = f64::from(ray) / f64::from(count);
        let (x, y) = point(turns, radius);
        let (end_x, end_y) = point(turns + 0.5 / f64::from(count), radius);
        let _ = write!(path, "M0 0L{x:.0} {y:.0} {end_x:.0} {end_y:.0}");
    }
    path
}

/// Diagonal bands over an area, alternately broad and narrow. Their distance is a whole number of units, so every row
/// of pixels is the previous one shifted by one.
pub(crate) fn hatch_path(area: Area) -> String {
    let mut path = String::new();
    let (top, height) = (f64::from(area.y), f64::from(area.height).ceil());
    let (mut x, end) = (f64::from(area.x), f64::from(area.x + area.width) + height);
    while x < end {
        for (from, width) in [(x, 10.0), (x + 19.0, 3.0)] {
            let _ = write!(path, "M{from} {top}h{width}l-{height} {height}h-{width}");
        }
        x += 32.0;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emblem_follows_from_theme_and_name() {
        let draw =
            |theme: &str, name: &str| Emblem::of(theme, name, Palette::of(theme)).to_string();
        assert_eq!(draw("unit fire", "Ember"), draw("unit fire", "Ember"));
        assert_ne!(draw("unit fire", "Ember"), draw("unit fire", "Cinder"));
        assert!(draw("a", "b").len() < 3_000);
    }
}
