//! The text plate: facts, effects, lore. It is as high as its texts need, up to a limit; beyond that the texts get
//! smaller, and at the smallest size the longest ones are cut.

use crate::clean::{clean, clean_lines};
use crate::face::{CardFace, EFFECTS_MAX, FACTS_MAX};
use crate::metrics::{Style, is_rtl};
use crate::shapes::{Anchor, Area, Block, Ink, Placed};
use crate::sheet::{LEFT, PLATE_WIDTH};
use crate::wrap::Text;

const PADDING_X: f32 = 13.0;
const PADDING_Y: f32 = 10.0;
const INNER: f32 = PLATE_WIDTH - 2.0 * PADDING_X;
/// Font sizes of the effects.
const SIZES: [f32; 8] = [20.0, 19.0, 18.0, 17.0, 16.0, 15.0, 14.0, 13.0];
/// Most characters of an effect or of lore that are used: more cannot fit on a card.
const TEXT_MAX: usize = 2_000;

/// The plate, laid out.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) area: Area,
    pub(crate) blocks: Vec<Block>,
    /// Backgrounds of the labels of effects.
    pub(crate) pills: Vec<Area>,
    /// Horizontal lines: start, end, height.
    pub(crate) rules: Vec<(f32, f32, f32)>,
    pub(crate) is_cut: bool,
}

/// A part of the body.
enum Piece {
    /// One or two facts next to each other.
    Facts(Vec<[Text; 2]>),
    Paragraph {
        label: Text,
        text: Text,
    },
    Lore(Text),
}

impl Piece {
    /// Number of lines at this size.
    fn count(&self, size: f32) -> usize {
        match self {
            Self::Facts(_) => 1,
            Self::Paragraph { text, .. } => text.count(INNER / size),
            Self::Lore(text) => text.count(INNER / lore_size(size)),
        }
    }

    /// Height with this many lines, including the gap above.
    #[allow(clippy::cast_precision_loss, reason = "lines of a card")]
    fn height(&self, size: f32, lines: usize, is_first: bool) -> f32 {
        let (gap, height) = match self {
            Self::Facts(_) => (0.0, fact_size(size) * 1.5),
            Self::Paragraph { label, .. } => {
                let head = if label.is_empty() { 0.0 } else { head_height(size) };
                (size * 0.4, head + size * 1.25 * lines as f32)
            }
            Self::Lore(_) => (size * 0.7, lore_size(size) * 1.25 * lines as f32),
        };
        if is_first { height } else { gap + height }
    }
}

fn fact_size(size: f32) -> f32 {
    (size * 0.78).max(12.0)
}

fn label_size(size: f32) -> f32 {
    (size * 0.6).max(10.5)
}

fn head_height(size: f32) -> f32 {
    label_size(size) * 1.75
}

fn lore_size(size: f32) -> f32 {
    (size * 0.86).max(12.0)
}

/// Lays out the plate: its bottom is at the height `end`, and it is at most `most` high. `None`: the card has no texts.
pub(crate) fn body(face: &CardFace<'_>, end: f32, most: f32) -> Option<Body> {
    let mut pieces = pieces(face);
    if pieces.is_empty() {
        return None;
    }
    let room = most - 2.0 * PADDING_Y;
    let all = |pieces: &[Piece], size: f32, lines: &[usize]| -> f32 {
        let each = pieces.iter().zip(lines).enumerate();
        each.map(|(place, (piece, lines))| piece.height(size, *lines, place == 0)).sum()
    };
    let natural = |pieces: &[Piece], size: f32| -> Vec<usize> {
        pieces.iter().map(|piece| piece.count(size)).collect()
    };
    let fits = |size: &&f32| all(&pieces, **size, &natural(&pieces, **size)) <= room;
    let size = SIZES.iter().find(fits).copied().unwrap_or(SIZES[SIZES.len() - 1]);
    let mut lines = natural(&pieces, size);
    let mut is_cut = false;
    while all(&pieces, size, &lines) > room {
        is_cut = true;
        // Lore is cut first, because it does not matter in play.
        let weight = |place: &usize| match pieces[*place] {
            Piece::Lore(_) => lines[*place] * 3,
            _ => lines[*place],
        };
        let longest = (0..pieces.len()).filter(|place| lines[*place] > 1).max_by_key(weight);
        if let Some(longest) = longest {
            lines[longest] -= 1;
        } else {
            pieces.pop();
            lines.pop();
        }
    }
    let height = (all(&pieces, size, &lines) + 2.0 * PADDING_Y).max(56.0);
    let area = Area { x: LEFT, y: end - height, width: PLATE_WIDTH, height };
    let mut body = Body { area, blocks: Vec::new(), pills: Vec::new(), rules: Vec::new(), is_cut };
    let free = height - 2.0 * PADDING_Y - all(&pieces, size, &lines);
    let mut top = area.y + PADDING_Y + free / 2.0;
    for (place, (piece, lines)) in pieces.iter().zip(lines).enumerate() {
        let bottom = top + piece.height(size, lines, place == 0);
        body.draw(piece, size, lines, (top, bottom), place == 0);
        top = bottom;
    }
    Some(body)
}

/// The texts in order.
fn pieces(face: &CardFace<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut paragraphs = Vec::new();
    for fact in face.facts.iter().take(FACTS_MAX) {
        let label = Text::new(clean(&fact.label, 40), Style::Bold);
        let value = Text::new(clean(&fact.value, TEXT_MAX), Style::Regular);
        let width = (label.width() + value.width()) * fact_size(SIZES[0]) + 8.0;
        if value.is_empty() {
            continue;
        }
        if width > INNER {
            let label = Text::new(clean(&fact.label, 40).to_uppercase(), Style::Bold);
            paragraphs.push(Piece::Paragraph { label, text: value });
            continue;
        }
        let is_short = width <= INNER / 2.0 - 8.0;
        match pieces.last_mut() {
            Some(Piece::Facts(row)) if is_short && row.len() == 1 && is_half(&row[0]) => {
                row.push([label, value]);
            }
            _ => pieces.push(Piece::Facts(vec![[label, value]])),
        }
    }
    pieces.append(&mut paragraphs);
    for effect in face.effects.iter().take(EFFECTS_MAX) {
        let label = Text::new(clean(&effect.label, 60).to_uppercase(), Style::Bold);
        let text = Text::new(clean_lines(&effect.text, TEXT_MAX), Style::Regular);
        if !text.is_empty() {
            pieces.push(Piece::Paragraph { label, text });
        }
    }
    let lore = face.lore.as_ref();
    let lore = lore.map(|lore| Text::new(clean_lines(lore, TEXT_MAX), Style::Italic));
    pieces.extend(lore.filter(|lore| !lore.is_empty()).map(Piece::Lore));
    pieces
}

fn is_half([label, value]: &[Text; 2]) -> bool {
    (label.width() + value.width()) * fact_size(SIZES[0]) + 8.0 <= INNER / 2.0 - 8.0
}

impl Body {
    fn draw(
        &mut self,
        piece: &Piece,
        size: f32,
        lines: usize,
        (mut top, bottom): (f32, f32),
        is_first: bool,
    ) {
        let left = LEFT + PADDING_X;
        match piece {
            Piece::Facts(row) => {
                for (place, fact) in row.iter().enumerate() {
                    let x = if place == 0 { left } else { left + INNER / 2.0 + 8.0 };
                    self.draw_fact(fact, fact_size(size), x, f32::midpoint(top, bottom));
                }
            }
            Piece::Paragraph { label, text } => {
                if !is_first {
                    top += size * 0.4;
                }
                if !label.is_empty() {
                    self.draw_label(label, label_size(size), top);
                    top += head_height(size);
                }
                self.draw_text(text, Style::Regular, size, lines, top);
            }
            Piece::Lore(text) => {
                if !is_first {
                    let middle = LEFT + PLATE_WIDTH / 2.0;
                    self.rules.push((middle - 60.0, middle + 60.0, top + size * 0.35));
                    top += size * 0.7;
                }
                self.draw_text(text, Style::Italic, lore_size(size), lines, top);
            }
        }
    }

    fn draw_text(&mut self, text: &Text, style: Style, size: f32, most: usize, top: f32) {
        let (lines, is_cut) = text.lines(INNER / size, most);
        self.is_cut |= is_cut;
        let left = LEFT + PADDING_X;
        let mut y = top + size - size * 1.25;
        let lines = lines.into_iter().map(|line| {
            y += size * 1.25;
            let (x, anchor) = if is_rtl(&line.text) {
                (left + INNER, Anchor::End)
            } else {
                (left, Anchor::Start)
            };
            Placed::new(line, size, (x, y), anchor, INNER)
        });
        self.blocks.push(Block::new(size, style, Ink::Dark, lines.collect()));
    }

    fn draw_label(&mut self, label: &Text, size: f32, top: f32) {
        let room = INNER - 24.0;
        let (lines, _) = label.lines(room / size, 1);
        let Some(line) = lines.into_iter().next() else { return };
        let left = LEFT + PADDING_X;
        let width = line.extent.width * size;
        let pill = Area { x: left, y: top, width: width + 14.0, height: size * 1.45 };
        let (middle, end) = (top + pill.height / 2.0, left + INNER);
        if pill.x + pill.width + 24.0 < end {
            self.rules.push((pill.x + pill.width + 6.0, end, middle));
        }
        self.pills.push(pill);
        let line =
            Placed::new(line, size, (left + 7.0, middle + size * 0.36), Anchor::Start, width);
        self.blocks.push(Block { size, style: Style::Bold, ink: Ink::Light, lines: vec![line] });
    }

    fn draw_fact(&mut self, [label, value]: &[Text; 2], size: f32, x: f32, middle: f32) {
        let y = middle + size * 0.36;
        let gap = if label.is_empty() { 0.0 } else { 8.0 };
        let label_width = label.width() * size;
        let texts = [
            (label, Style::Bold, Ink::Label, x, label_width),
            (value, Style::Regular, Ink::Dark, x + label_width + gap, value.width() * size),
        ];
        for (text, style, ink, x, room) in texts {
            // With a small tolerance: the same sum in another order may differ in its last bit.
            let (lines, _) = text.lines(room / size + 0.01, 1);
            let place = |line| Placed::new(line, size, (x, y), Anchor::Start, room);
            self.blocks.push(Block {
                size,
                style,
                ink,
                lines: lines.into_iter().map(place).collect(),
            });
        }
    }
}
