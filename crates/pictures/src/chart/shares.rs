//! Layout of charts of shares.

use std::cmp::Reverse;

use super::drawing::{Bar, Drawing, Look, Stroke};
use super::inks::series;
use super::input::{ChartOptions, SHARES_MAX, SharesChart};
use super::numbers::{brief, grouped, percent};
use super::page::{MARGIN, NAME_MAX, Page, SMALL, bound};
use crate::clean::clean;
use crate::metrics::{Style, measure};
use crate::palette::Palette;
use crate::shapes::{Anchor, Area, Block, Ink, Placed};
use crate::wrap::{Text, fit};

const ROW: f32 = 26.0;
const BAR_HEIGHT: f32 = 16.0;
/// Length of the longest bar, however long labels and numbers are.
const BAR_LENGTH_MIN: f32 = 40.0;
/// Length of the smallest bars, so that they are visible.
const LENGTH_MIN: f32 = 1.5;
const SIZE: f32 = 13.0;
const GAP: f32 = 8.0;

/// A value in its row.
struct Row {
    label: String,
    copies: u128,
    /// Copies and percent, as they are drawn and described.
    drawn: String,
    described: String,
    look: Look,
}

/// Lays shares out.
pub(super) fn shares(chart: &SharesChart<'_>, options: ChartOptions) -> Drawing {
    let mut page = Page::new(&chart.title, "Shares", options);
    page.y += 6.0;
    let rows = rows(chart);
    if rows.is_empty() {
        page.y += SMALL + 4.0;
        page.label("No cards", (MARGIN, Anchor::Start), page.y, page.room());
        page.describe("No cards");
        page.y += GAP;
    } else {
        page.describe(format!("Cards: {}", grouped(chart.total.into())));
        let descriptions = rows.iter().map(|row| format!("{}: {}", row.label, row.described));
        page.describe(descriptions.collect::<Vec<_>>().join("; "));
        draw(&mut page, &rows);
    }
    page.notes(chart.without, chart.unclear);
    page.finish()
}

/// The values with a bar, in order, and all others together.
fn rows(chart: &SharesChart<'_>) -> Vec<Row> {
    let mut places: Vec<usize> = (0..chart.bars.len()).collect();
    // The sort is stable: among equal values, the first are kept.
    places.sort_by_key(|place| Reverse(chart.bars[*place].copies));
    let left_out = places.split_off(places.len().min(SHARES_MAX));
    places.sort_unstable();

    let row = |label: String, copies: u128, look: Look| {
        let share = percent(copies, chart.total);
        let share = share.map(|share| format!(" · {share}")).unwrap_or_default();
        let [drawn, described] = [brief(copies), grouped(copies)].map(|copies| copies + &share);
        Row { label, copies, drawn, described, look }
    };
    let mut unnamed = 0;
    let mut rows = Vec::with_capacity(places.len() + 1);
    for place in places {
        let bar = &chart.bars[place];
        let label = clean(&bar.label, NAME_MAX);
        let label = if label.is_empty() { "(no name)".to_owned() } else { label };
        let palette = Palette::known(&bar.theme).unwrap_or_else(|| {
            unnamed += 1;
            series(unnamed - 1)
        });
        rows.push(row(label, bar.copies.into(), Look::Coloured(palette)));
    }
    let values = chart.other.values.saturating_add(left_out.len() as u64);
    if values > 0 {
        let copies = left_out.iter().map(|place| u128::from(chart.bars[*place].copies));
        let copies = copies.sum::<u128>() + u128::from(chart.other.copies);
        rows.push(row(format!("other ({})", grouped(values.into())), copies, Look::Hatched));
    }
    rows
}

/// Labels end where the bars begin; copies and percent follow the bars.
fn draw(page: &mut Page, rows: &[Row]) {
    let room = page.room();
    let number_widths = rows.iter().map(|row| measure(&row.drawn, Style::Regular).width * SIZE);
    let number_bounds = rows.iter().map(|row| bound(&row.drawn, SIZE));
    // If there is little room, numbers are fixed to the width that they have in the bundled font.
    let number_width =
        number_bounds.fold(0.0, f32::max).min(number_widths.fold(room * 0.3, f32::max));
    let labels = rows.iter().map(|row| bound(&row.label, SIZE)).fold(0.0, f32::max);
    let left = room - number_width - 2.0 * GAP;
    let labels = labels.min(left * 0.5).min(left - BAR_LENGTH_MIN).ceil();
    let x = MARGIN + labels + GAP;
    let length = left - labels;

    let most = rows.iter().map(|row| row.copies).max().unwrap_or_default();
    let top = page.y;
    let (mut names, mut numbers) = (Vec::new(), Vec::new());
    for row in rows {
        let middle = page.y + ROW / 2.0;
        let y = middle + SIZE * 0.36;
        let (_, lines, is_cut) = fit(&Text::new(&*row.label, Style::Regular), labels, &[(SIZE, 1)]);
        page.drawing.is_cut |= is_cut;
        let at = (MARGIN + labels, y);
        names
            .extend(lines.into_iter().map(|line| Placed::new(line, SIZE, at, Anchor::End, labels)));

        let width =
            if row.copies > 0 { (length * part(row.copies, most)).max(LENGTH_MIN) } else { 0.0 };
        if row.copies > 0 {
            let area = Area { x, y: middle - BAR_HEIGHT / 2.0, width, height: BAR_HEIGHT };
            page.drawing.bars.push(Bar { area, look: row.look });
        }
        let at = (x + width + GAP, y);
        let line = super::page::short_line(row.drawn.clone());
        numbers.push(Placed::new(line, SIZE, at, Anchor::Start, number_width));
        page.y += ROW;
    }
    page.drawing.base.push(Stroke::Upright { x: x - 1.0, y: top, to: page.y });
    page.add(Block::new(SIZE, Style::Regular, Ink::Dark, names));
    page.add(Block::new(SIZE, Style::Regular, Ink::Dark, numbers));
    page.y += GAP;
}

/// A fraction of the largest value, from 0 to 1.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "pixels need seven digits at most"
)]
fn part(copies: u128, most: u128) -> f32 {
    (copies as f64 / most.max(1) as f64) as f32
}
