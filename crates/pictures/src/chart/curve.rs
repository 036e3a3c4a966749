//! Layout of curves.

use super::axis::Axis;
use super::drawing::{Bar, Drawing, Look, Stroke};
use super::inks::series;
use super::input::{CURVE_BARS_MAX, ChartOptions, CurveChart};
use super::numbers::{grouped, short};
use super::page::{MARGIN, NAME_MAX, Page, SMALL, bound, short_line};
use crate::clean::clean;
use crate::metrics::Style;
use crate::shapes::{Anchor, Area, Block, Ink, Placed};

/// Height of the tallest bar.
const PLOT_HEIGHT: f32 = 180.0;
/// Width of the bars for values outside the span, with their margins.
const SIDE: f32 = 44.0;
const BAR_MAX: f32 = 64.0;
/// Height of the smallest bars, so that they are visible.
const BAR_HEIGHT_MIN: f32 = 1.5;
/// From this width on, positions and bars are rounded to whole pixels.
const WHOLE_FROM: f32 = 8.0;
/// Gap between numbers under the axis.
const GAP: f32 = 5.0;

/// A slot on the axis.
struct Slot {
    /// Left edge and width.
    x: f32,
    width: f32,
    copies: u64,
    label: String,
    /// The number; `None` for values outside the span.
    value: Option<i128>,
}

impl Slot {
    fn middle(&self) -> f32 {
        let middle = self.x + self.width / 2.0;
        if self.width < WHOLE_FROM { middle } else { middle.floor() }
    }
}

/// Lays a curve out.
pub(super) fn curve(chart: &CurveChart<'_>, options: ChartOptions) -> Drawing {
    let (shown, behind) = chart.counts.split_at(chart.counts.len().min(CURVE_BARS_MAX));
    let more = behind.iter().fold(chart.more, |sum, copies| sum.saturating_add(*copies));
    let most = shown.iter().copied().chain([chart.fewer, more]).max().unwrap_or_default();
    let axis = Axis::of(most);

    let mut page = Page::new(&chart.title, "Curve", options);
    page.y += SMALL + 4.0;
    page.label("Cards", (MARGIN, Anchor::Start), page.y, page.room());
    // Room for the number on the tallest bar.
    page.y += SMALL + 9.0;
    let marks = axis.marks().map(|mark| bound(&short(mark), SMALL));
    // Whole pixels give sharp edges and short numbers in the SVG.
    let left = (MARGIN + marks.fold(0.0, f32::max) + 6.0).ceil();
    let width = page.width - MARGIN - left;
    let plot = Area { x: left, y: page.y, width, height: PLOT_HEIGHT };

    let name = clean(&chart.axis, NAME_MAX);
    let slots = slots(chart, shown, more, plot);
    describe(&mut page, &name, &slots);
    copies_axis(&mut page, axis, plot);
    bars(&mut page, axis, plot, &slots);
    numbers(&mut page, plot, &slots);
    page.y = plot.y + plot.height + 18.0;
    if most == 0 {
        let (x, y) = (plot.x + plot.width / 2.0, plot.y + plot.height / 2.0);
        page.label("No cards", (x, Anchor::Middle), y, plot.width);
    }
    if !name.is_empty() {
        page.y += 14.0;
        page.label(&name, (plot.x + plot.width / 2.0, Anchor::Middle), page.y, plot.width);
        page.y += 4.0;
    }
    page.y += 4.0;
    page.notes(chart.without, chart.unclear);
    page.finish()
}

/// The slots from left to right. Those for values outside the span have the same width in every chart, so that their
/// labels fit.
fn slots(chart: &CurveChart<'_>, shown: &[u64], more: u64, plot: Area) -> Vec<Slot> {
    let side = |copies: u64| if copies > 0 { SIDE } else { 0.0 };
    let room = plot.width - side(chart.fewer) - side(more);
    #[allow(clippy::cast_precision_loss, reason = "at most fifty")]
    let count = shown.len().max(1) as f32;
    let exact = room / count;
    let width = if exact < WHOLE_FROM { exact } else { exact.floor() };
    let first = i128::from(chart.first);
    let outside = |x: f32, copies: u64, label: &str| Slot {
        x,
        width: SIDE,
        copies,
        label: label.to_owned(),
        value: None,
    };
    let mut slots = Vec::with_capacity(shown.len() + 2);
    if chart.fewer > 0 {
        slots.push(outside(plot.x, chart.fewer, "fewer"));
    }
    let mut x = plot.x + side(chart.fewer) + ((room - width * count) / 2.0).floor();
    for (value, copies) in (first..).zip(shown) {
        let label = value.to_string();
        slots.push(Slot { x, width, copies: *copies, label, value: Some(value) });
        x += width;
    }
    if more > 0 {
        slots.push(outside(plot.x + plot.width - SIDE, more, "more"));
    }
    slots
}

fn describe(page: &mut Page, name: &str, slots: &[Slot]) {
    let total: u128 = slots.iter().map(|slot| u128::from(slot.copies)).sum();
    let by = if name.is_empty() { String::new() } else { format!(" by {name}") };
    page.describe(format!("Cards{by}: {}", grouped(total)));
    let first = slots.iter().find_map(|slot| slot.value);
    let last = slots.iter().rev().find_map(|slot| slot.value);
    let counts = slots.iter().enumerate().map(|(place, slot)| {
        // Values outside the span are before the first and after the last number.
        let than = if place == 0 { first } else { last };
        let than = than.filter(|_| slot.value.is_none());
        let than = than.map(|value| format!(" than {value}")).unwrap_or_default();
        format!("{}{than}: {}", slot.label, grouped(slot.copies.into()))
    });
    let counts: Vec<String> = counts.collect();
    if !counts.is_empty() {
        page.describe(counts.join("; "));
    }
}

fn copies_axis(page: &mut Page, axis: Axis, plot: Area) {
    let (foot, right) = (plot.y + plot.height, plot.x + plot.width);
    let mut lines = Vec::new();
    for mark in axis.marks() {
        let y = foot - plot.height * axis.share(mark);
        if mark > 0 {
            page.drawing.grid.push(Stroke::Across { x: plot.x, y, to: right });
        }
        let at = (plot.x - 6.0, y + SMALL * 0.36);
        let room = plot.x - 6.0 - MARGIN;
        // The widest label has exactly this room.
        lines.push(Placed::new(short_line(short(mark)), SMALL, at, Anchor::End, room + 0.5));
    }
    page.add(Block::new(SMALL, Style::Regular, Ink::Label, lines));
    page.drawing.base.push(Stroke::Across { x: plot.x, y: foot, to: right });
}

/// The bars, with the number of copies above them where there is room.
fn bars(page: &mut Page, axis: Axis, plot: Area, slots: &[Slot]) {
    let foot = plot.y + plot.height;
    let mut lines = Vec::new();
    for slot in slots.iter().filter(|slot| slot.copies > 0) {
        let height = plot.height * axis.share(slot.copies.into());
        let height = (height.max(BAR_HEIGHT_MIN) * 10.0).round() / 10.0;
        let (width, look) = match slot.value {
            Some(_) => ((slot.width * 0.76).min(BAR_MAX), Look::Coloured(series(0))),
            None => (SIDE * 0.5, Look::Hatched),
        };
        let (mut x, mut width) = (slot.middle() - width / 2.0, width);
        if slot.width >= WHOLE_FROM {
            (x, width) = (x.floor(), width.floor());
        }
        let area = Area { x, y: foot - height, width, height };
        page.drawing.bars.push(Bar { area, look });
        let copies = grouped(slot.copies.into());
        if bound(&copies, SMALL) <= slot.width {
            let at = (slot.middle(), (area.y - 4.0).round());
            lines.push(Placed::new(short_line(copies), SMALL, at, Anchor::Middle, slot.width));
        }
    }
    page.add(Block::new(SMALL, Style::Regular, Ink::Dark, lines));
}

/// Numbers under the axis: all of them if there is room, else multiples of 2, 5, 10 and so on.
fn numbers(page: &mut Page, plot: Area, slots: &[Slot]) {
    let y = (plot.y + plot.height + 15.0).round();
    let mut lines = Vec::new();
    for slot in slots.iter().filter(|slot| slot.value.is_none()) {
        let line = short_line(slot.label.clone());
        lines.push(Placed::new(line, SMALL, (slot.middle(), y), Anchor::Middle, SIDE));
    }
    let inside: Vec<&Slot> = slots.iter().filter(|slot| slot.value.is_some()).collect();
    if let [first, .., last] | [first @ last] = inside[..] {
        // The labels of both sides leave this much of their room free.
        let spare = 4.0;
        let (left, right) = (first.x - spare, last.x + last.width + spare);
        let widths = inside.iter().map(|slot| bound(&slot.label, SMALL) + GAP);
        let widest = widths.fold(0.0, f32::max);
        let steps = [1_u8, 2, 5, 10, 20, 50];
        let fits = |step: &u8| f32::from(*step) * first.width >= widest;
        let step = i128::from(steps.into_iter().find(fits).unwrap_or(50));
        let is_marked = |slot: &Slot| slot.value.is_some_and(|value| value.rem_euclid(step) == 0);
        // A few long numbers may contain no multiple.
        let any = inside.iter().any(|slot| is_marked(slot));
        let mut free = left;
        for slot in inside.iter().filter(|slot| is_marked(slot) || !any) {
            let width = bound(&slot.label, SMALL);
            let middle = slot.middle().min(right - width / 2.0).max(left + width / 2.0);
            if middle - width / 2.0 >= free && middle + width / 2.0 <= right + 0.5 {
                let line = short_line(slot.label.clone());
                let at = (middle, y);
                lines.push(Placed::new(line, SMALL, at, Anchor::Middle, width + 0.5));
                free = middle + width / 2.0 + GAP;
            }
        }
    }
    page.add(Block::new(SMALL, Style::Regular, Ink::Label, lines));
}
