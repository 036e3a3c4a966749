//! The layout of a card, which the template draws. In units of the card, which is 500 wide and 700 high.

use crate::body::{Body, body};
use crate::clean::clean;
use crate::emblem::Emblem;
use crate::face::{CardFace, EFFECTS_MAX, FACTS_MAX, Figure, STATS_MAX};
use crate::metrics::Style;
use crate::palette::Palette;
use crate::shapes::{Anchor, Area, Block, Ink};
use crate::wrap::{Line, Text, fit};

/// Width of a card in units, and of its PNG in pixels.
pub const CARD_WIDTH: u32 = 500;
/// Height of a card in units, and of its PNG in pixels.
pub const CARD_HEIGHT: u32 = 700;

/// x of the left border of all plates, and their width.
pub(crate) const LEFT: f32 = 28.0;
pub(crate) const PLATE_WIDTH: f32 = 444.0;
const CENTRE: f32 = 250.0;
/// y of the top of the artwork, and of the bottom of the body without and with boxes for numbers.
const ART_TOP: f32 = 84.0;
const BODY_END: f32 = 642.0;
const BODY_END_ABOVE_STATS: f32 = 588.0;
const ART_HEIGHT_MIN: f32 = 190.0;
const TYPES_HEIGHT: f32 = 32.0;
const GAP: f32 = 6.0;

/// The layout of a card.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) palette: Palette,
    pub(crate) title: Block,
    pub(crate) badge: Option<(Block, Option<(Area, Block)>)>,
    pub(crate) art: Area,
    pub(crate) emblem: Option<Emblem>,
    pub(crate) glyph: Option<Block>,
    pub(crate) types: Area,
    pub(crate) type_line: Block,
    pub(crate) body: Option<Body>,
    pub(crate) stats: Vec<(Area, [Block; 2])>,
    pub(crate) foot: Vec<Block>,
    /// Whether a text did not fit and was cut.
    pub(crate) is_cut: bool,
}

impl Sheet {
    /// Lays a card out.
    pub(crate) fn new(face: &CardFace<'_>) -> Self {
        let palette = Palette::of(&face.theme);
        let name = clean(&face.title, 200);
        let has_badge = face.badge.is_some();
        let room = if has_badge { 362.0 } else { 420.0 };
        let sizes = [
            (28.0, 1),
            (26.0, 1),
            (24.0, 1),
            (22.0, 1),
            (20.0, 1),
            (17.0, 2),
            (14.0, 2),
            (12.0, 3),
        ];
        let mut is_cut = face.facts.len() > FACTS_MAX
            || face.effects.len() > EFFECTS_MAX
            || face.stats.len() > STATS_MAX;
        let mut fit_text = |text: &str, style, room: f32, sizes: &[(f32, usize)]| {
            let (size, lines, cut) = fit(&Text::new(text, style), room, sizes);
            is_cut |= cut;
            (size, lines, style)
        };
        let fitted = fit_text(&name, Style::Bold, room, &sizes);
        let title = Block::around(fitted, Ink::Shiny, (40.0, Anchor::Start), 53.0, room);
        let badge = face.badge.as_ref().map(|figure| {
            let value = clean(&figure.value, 24);
            let sizes = [(30.0, 1), (25.0, 1), (20.0, 1), (15.0, 1), (11.0, 1)];
            let fitted = fit_text(&value, Style::Bold, 42.0, &sizes);
            let number = Block::around(fitted, Ink::Shiny, (444.0, Anchor::Middle), 53.0, 42.0);
            (number, pennant(&figure.label, &mut fit_text))
        });

        let stats = stats(&face.stats, &mut fit_text);
        let body_end = if stats.is_empty() { BODY_END } else { BODY_END_ABOVE_STATS };
        let above = TYPES_HEIGHT + 2.0 * GAP;
        let most = body_end - ART_TOP - above - ART_HEIGHT_MIN;
        let body = body(face, body_end, most);
        let art_end = match &body {
            Some(body) => body.area.y - above,
            None => body_end - TYPES_HEIGHT - GAP,
        };
        let art = Area { x: LEFT, y: ART_TOP, width: PLATE_WIDTH, height: art_end - ART_TOP };
        let types = Area { y: art_end + GAP, height: TYPES_HEIGHT, ..art };
        let sizes = [(17.0, 1), (16.0, 1), (15.0, 1), (14.0, 1), (13.0, 1), (11.0, 2)];
        let fitted = fit_text(&clean(&face.type_line, 300), Style::Bold, 420.0, &sizes);
        let middle = types.y + types.height / 2.0;
        let type_line = Block::around(fitted, Ink::Dark, (40.0, Anchor::Start), middle, 420.0);

        let glyph = face.glyph.as_ref().filter(|_| face.artwork.is_none());
        let glyph = glyph.map(|glyph| clean(glyph, 16)).filter(|glyph| !glyph.is_empty());
        let glyph = glyph.map(|glyph| {
            let size = (art.height * 0.5).min(200.0);
            let fitted = fit(&Text::new(glyph, Style::Regular), size * 1.4, &[(size, 1)]);
            let fitted = (fitted.0, fitted.1, Style::Regular);
            let middle = art.y + art.height / 2.0;
            Block::around(fitted, Ink::Dark, (CENTRE, Anchor::Middle), middle, size * 1.4)
        });
        let emblem = face.artwork.is_none().then(|| Emblem::of(&face.theme, &face.title, palette));
        let foot = foot(face, &mut fit_text);
        is_cut |= body.as_ref().is_some_and(|body| body.is_cut);
        Self {
            palette,
            title,
            badge,
            art,
            emblem,
            glyph,
            types,
            type_line,
            body,
            stats,
            foot,
            is_cut,
        }
    }
}

/// Fits a text into a width ([`fit`]): returns size, lines and style.
type FitText<'a> = dyn FnMut(&str, Style, f32, &[(f32, usize)]) -> (f32, Vec<Line>, Style) + 'a;

/// The label that hangs below the badge.
fn pennant(label: &str, fit_text: &mut FitText<'_>) -> Option<(Area, Block)> {
    let label = clean(label, 40).to_uppercase();
    let fitted = fit_text(&label, Style::Bold, 66.0, &[(11.0, 1), (10.0, 1), (9.0, 1)]);
    let width = fitted.1.first()?.extent.width * fitted.0;
    let area = Area { x: 444.0 - width / 2.0 - 6.0, y: 76.0, width: width + 12.0, height: 16.0 };
    let block = Block::around(fitted, Ink::Light, (444.0, Anchor::Middle), 84.0, width);
    Some((area, block))
}

/// The boxes with numbers, next to each other.
fn stats(figures: &[Figure<'_>], fit_text: &mut FitText<'_>) -> Vec<(Area, [Block; 2])> {
    let count = figures.len().min(STATS_MAX);
    #[allow(clippy::cast_precision_loss, reason = "at most four")]
    let shares = count.max(2) as f32;
    let gap = 8.0;
    let width = (PLATE_WIDTH - gap * (shares - 1.0)) / shares;
    let first = if count == 1 { CENTRE - width / 2.0 } else { LEFT };
    let is_wide = count <= 2;
    let numbers = [(32.0, 1), (26.0, 1), (22.0, 1), (18.0, 1), (14.0, 1), (11.0, 1)];
    let numbers = &numbers[if is_wide { 0 } else { 2 }..];
    let room = if is_wide { 92.0 } else { width - 16.0 };
    let values: Vec<_> = figures
        .iter()
        .take(count)
        .map(|figure| fit_text(&clean(&figure.value, 24), Style::Bold, room, numbers))
        .collect();
    let widest = values
        .iter()
        .flat_map(|(size, lines, _)| lines.iter().map(move |line| line.extent.width * size));
    let label_room = if is_wide { width - 38.0 - widest.fold(0.0, f32::max) } else { room };
    // All labels have the font size that the longest needs.
    let labels: Vec<String> =
        figures.iter().take(count).map(|figure| clean(&figure.label, 40)).collect();
    let mut sizes = &[(16.0, 1), (14.0, 1), (12.0, 1), (11.0, 2)][..];
    if !is_wide {
        sizes = &[(11.0, 1), (10.0, 1)];
    }
    for label in &labels {
        let (size, _, _) = fit(&Text::new(label, Style::Bold), label_room, sizes);
        sizes = sizes.iter().position(|known| known.0 <= size).map_or(sizes, |at| &sizes[at..]);
    }
    let mut boxes = Vec::new();
    let mut x = first;
    for (label, value) in labels.iter().zip(values) {
        let area = Area { x, y: 594.0, width, height: 48.0 };
        let label = fit_text(label, Style::Bold, label_room, sizes);
        let places = if is_wide {
            [(x + 15.0, Anchor::Start, 618.0), (x + width - 15.0, Anchor::End, 618.0)]
        } else {
            let middle = x + width / 2.0;
            [(middle, Anchor::Middle, 608.5), (middle, Anchor::Middle, 626.5)]
        };
        let [(label_x, label_anchor, label_y), (value_x, value_anchor, value_y)] = places;
        let label = Block::around(label, Ink::Shiny, (label_x, label_anchor), label_y, label_room);
        let value = Block::around(value, Ink::Shiny, (value_x, value_anchor), value_y, room);
        boxes.push((area, [label, value]));
        x += width + gap;
    }
    boxes
}

/// The lines of the foot: set and number at the left, rarity at the right, game and designer below.
fn foot(face: &CardFace<'_>, fit_text: &mut FitText<'_>) -> Vec<Block> {
    let joined = |parts: [String; 2]| {
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    let origin = joined([clean(&face.set, 60).to_uppercase(), clean(&face.number, 24)]);
    let rarity = clean(&face.rarity, 60);
    let designer = face.designer.as_ref().map(|designer| clean(designer, 80));
    let designer = designer.filter(|name| !name.is_empty());
    let credit = designer.map(|name| format!("designed by {name}")).unwrap_or_default();
    let last = joined([clean(&face.game, 80), credit]);
    let sizes = [(12.5, 1), (11.0, 1), (10.0, 1)];
    let mut line = |text: &str, style, at: (f32, Anchor), y: f32, room: f32| {
        let fitted = fit_text(text, style, room, &sizes[usize::from(y > 670.0)..]);
        Block::around(fitted, Ink::Light, at, y, room)
    };
    vec![
        line(&origin, Style::Bold, (LEFT + 10.0, Anchor::Start), 658.0, 158.0),
        line(&rarity, Style::Bold, (LEFT + PLATE_WIDTH - 10.0, Anchor::End), 658.0, 158.0),
        line(&last, Style::Regular, (CENTRE, Anchor::Middle), 673.5, 420.0),
    ]
}
