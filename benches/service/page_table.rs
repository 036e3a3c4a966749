//! The table of pages in `docs/PERFORMANCE.md`.

use std::fmt::Write as _;

use crate::page::{self, Machine};
use crate::recipes::PageRecipe;

const BEGIN: &str = "<!-- pages: written by `make bench-pages` -->\n";
const END: &str = "<!-- /pages -->";
/// The highest ratio of a page's median to the sum of the medians of its answers.
const GOAL: f64 = 1.5;

/// The figures of a page.
pub(crate) struct PageTime {
    pub recipe: &'static PageRecipe,
    /// `None`: it could not be measured.
    pub medians: Option<Medians>,
    /// A remark: what the page is, or what failed.
    pub note: String,
}

/// Median latencies, in milliseconds.
pub(crate) struct Medians {
    pub page: f64,
    /// In the order of the recipe.
    pub answers: Vec<f64>,
}

impl Medians {
    /// The median of the page divided by the sum of those of its answers; `None`: it has no answers.
    fn ratio(&self) -> Option<f64> {
        (!self.answers.is_empty()).then(|| self.page / self.together())
    }

    /// The sum of the medians of the answers.
    fn together(&self) -> f64 {
        self.answers.iter().sum()
    }
}

/// The reached fraction of the goal: 1 means just reached.
fn reached(medians: &Medians) -> Option<f64> {
    medians.ratio().map(|ratio| GOAL / ratio)
}

/// Pages are sorted by it: first those that could not be measured, then those farthest from the goal, last those without answers.
fn standing(time: &PageTime) -> f64 {
    time.medians.as_ref().map_or(0.0, |medians| reached(medians).unwrap_or(f64::INFINITY))
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.2}"))
}

/// One page as text for a terminal.
pub(crate) fn line(PageTime { recipe, medians, note }: &PageTime) -> String {
    let medians = medians.as_ref();
    format!(
        "{:<32} {:>8} ms  answers {:>8} ms  ratio {:>5}  reached {:>5}  {note}",
        recipe.page.title,
        number(medians.map(|medians| medians.page)),
        number(medians.map(Medians::together)),
        number(medians.and_then(Medians::ratio)),
        number(medians.and_then(reached)),
    )
}

/// Writes the tables of all sizes into `docs/PERFORMANCE.md`.
pub(crate) fn write(machine: &Machine, of_sizes: Vec<(u32, Vec<PageTime>)>) -> anyhow::Result<()> {
    let mut text = format!("\n{}\n", machine.line());
    for (cards, mut times) in of_sizes {
        times.sort_by(|one, other| standing(one).total_cmp(&standing(other)));
        write_table(&mut text, cards, &times)?;
    }
    page::replace_part(BEGIN, END, &text)
}

fn write_table(text: &mut String, cards: u32, times: &[PageTime]) -> anyhow::Result<()> {
    writeln!(text, "\n### Pages with {cards} cards\n")?;
    writeln!(
        text,
        "| Page | p50 ms | answers' p50 ms together | ratio | reached | answers | note |"
    )?;
    writeln!(text, "|---|--:|--:|--:|--:|---|---|")?;
    for time in times {
        let (page, medians) = (time.recipe.page, time.medians.as_ref());
        let has_answers = !time.recipe.answers.is_empty();
        writeln!(
            text,
            "| {} `{}` | {} | {} | {} | {} | {} | {} |",
            page.title,
            page.path,
            number(medians.map(|medians| medians.page)),
            number(medians.filter(|_| has_answers).map(Medians::together)),
            number(medians.and_then(Medians::ratio)),
            number(medians.and_then(reached)),
            list_answers(time),
            time.note.replace('|', "\\|").replace('\n', " "),
        )?;
    }
    Ok(())
}

/// The operations of the answers with their medians in milliseconds; of several answers of one operation, their number and sum.
fn list_answers(PageTime { recipe, medians, .. }: &PageTime) -> String {
    let mut by_operation: Vec<(&str, usize, f64)> = Vec::new();
    for (at, answer) in recipe.answers.iter().enumerate() {
        let median = medians.as_ref().and_then(|medians| medians.answers.get(at));
        let median = median.copied().unwrap_or_default();
        match by_operation.iter_mut().find(|(operation, ..)| *operation == answer.operation) {
            Some((_, count, sum)) => (*count, *sum) = (*count + 1, *sum + median),
            None => by_operation.push((answer.operation, 1, median)),
        }
    }
    let one = |(operation, count, sum): (&str, usize, f64)| {
        let times = if count > 1 { format!("{count} × ") } else { String::new() };
        let sum = if medians.is_some() { format!(" {sum:.2}") } else { String::new() };
        format!("{times}`{operation}`{sum}")
    };
    if by_operation.is_empty() {
        return "none".to_owned();
    }
    by_operation.into_iter().map(one).collect::<Vec<_>>().join(", ")
}
