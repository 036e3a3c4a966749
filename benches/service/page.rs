//! Writes `docs/PERFORMANCE.md`, and stores the figures for comparison with the next run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::costs::Cost;
use crate::wire::MessageCounts;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/PERFORMANCE.md");
const BEGIN: &str = "<!-- costs: written by `make bench` -->\n";
const END: &str = "<!-- /costs -->";
/// A ratio below this fraction of its earlier value is reported.
const SLOWER: f64 = 0.75;

/// The operation name of imports.
pub(crate) const IMPORT: &str = "cardscape seed";

/// The machine on which the figures were measured.
pub(crate) struct Machine {
    cores: usize,
    memory_gib: u64,
    load: String,
    day: String,
}

impl Machine {
    pub(crate) fn look() -> anyhow::Result<Self> {
        let memory = std::fs::read_to_string("/proc/meminfo")?;
        let total = memory.lines().next().and_then(|line| line.split_whitespace().nth(1));
        let load = std::fs::read_to_string("/proc/loadavg")?;
        Ok(Self {
            cores: std::thread::available_parallelism()?.get(),
            memory_gib: total.context("the memory")?.parse::<u64>()? / 1024 / 1024,
            load: load.split_whitespace().next().unwrap_or_default().to_owned(),
            day: chrono::Utc::now().format("%Y-%m-%d").to_string(),
        })
    }

    /// The line above a table: when and where its figures were measured.
    pub(crate) fn line(&self) -> String {
        let Self { cores, memory_gib, load, day } = self;
        format!("Measured on {day}: {cores} cores, {memory_gib} GiB, load {load} before it began.")
    }
}

/// Figures of an earlier run, by size and title.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct StoredCosts(BTreeMap<String, Cost>);

impl StoredCosts {
    pub(crate) fn load(folder: &Path) -> anyhow::Result<Self> {
        match std::fs::read(folder.join("last.json")) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder)?;
        Ok(std::fs::write(folder.join("last.json"), serde_json::to_vec_pretty(self)?)?)
    }

    /// Stores rows that were measured separately, until the page is written the next time.
    pub(crate) fn store(folder: &Path, costs: &[Cost]) -> anyhow::Result<()> {
        let mut stored = Self::load(folder)?;
        print_slower(&stored, costs);
        stored.replace(costs);
        stored.save(folder)
    }

    /// The imports, which are measured separately.
    pub(crate) fn imports(&self) -> impl Iterator<Item = &Cost> {
        self.0.values().filter(|cost| cost.operation == IMPORT)
    }

    pub(crate) fn replace(&mut self, costs: &[Cost]) {
        for cost in costs {
            self.0.insert(key(cost), cost.clone());
        }
    }
}

fn key(cost: &Cost) -> String {
    format!("{}/{}", cost.cards, cost.title)
}

/// Prints the rows that became slower by more than a quarter. Ratios to a yardstick of the same run are compared, because
/// other load on the machine slows both; for rows without a yardstick, processor times.
pub(crate) fn print_slower(stored: &StoredCosts, costs: &[Cost]) {
    let mut slower_rows = 0;
    for cost in costs {
        let Some(before) = stored.0.get(&key(cost)) else { continue };
        let of = |cost: &Cost| cost.service_us + cost.postgres_us;
        let (what, was, is, part) = match (before.ratio, cost.ratio) {
            (Some(was), Some(is)) => ("ratio", was, is, is / was),
            _ => ("µs", of(before), of(cost), of(before) / of(cost)),
        };
        if part < SLOWER {
            println!("slower: {} cards, {}: {what} {was:.2}, now {is:.2}", cost.cards, cost.title);
            slower_rows += 1;
        }
    }
    println!(
        "{slower_rows} rows are slower by more than a quarter than when the table was last written"
    );
}

/// The reached fraction of a row's goal, or of half its yardstick if it has no goal. Rows are sorted by it, the lowest first.
fn standing(cost: &Cost) -> f64 {
    if cost.rate == 0.0 {
        return 0.0;
    }
    cost.reached.or(cost.ratio.map(|ratio| ratio / 0.5)).unwrap_or(f64::INFINITY)
}

fn sorted(costs: &[Cost]) -> Vec<&Cost> {
    let mut sorted: Vec<&Cost> = costs.iter().collect();
    sorted.sort_by(|one, other| standing(one).total_cmp(&standing(other)));
    sorted
}

/// One row as text for a terminal.
pub(crate) fn line(cost: &Cost) -> String {
    let or_none = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let messages = cost.messages.map_or_else(String::new, |counts| {
        format!(
            "{:>3} statements ({} new) {:>3} trips",
            counts.executed, counts.prepared, counts.round_trips
        )
    });
    format!(
        "{:<44} {:>8.0}/s p99 {:>8.2} ms  {:>7.0} + {:>7.0} µs  {messages}  ratio {:>6}  goal {:>6}  {}",
        cost.title,
        cost.rate,
        cost.p99_ms,
        cost.service_us,
        cost.postgres_us,
        or_none(cost.ratio),
        or_none(cost.reached),
        cost.note
    )
}

/// Prints the rows, those farthest from their goal first.
pub(crate) fn print(costs: &[Cost]) {
    println!("\nFarthest from their goals:");
    for cost in sorted(costs).into_iter().take(20) {
        println!("{}", line(cost));
    }
}

/// Writes the tables into the page, between its markers. The tables of other sizes stay as they are.
pub(crate) fn write(stored: &StoredCosts, costs: &[Cost], machine: &Machine) -> anyhow::Result<()> {
    let mut text = String::new();
    for import in stored.imports() {
        writeln!(
            text,
            "\n{}: {}; goal {}.",
            import.title,
            import.note,
            import.goal.as_deref().unwrap_or("none")
        )?;
    }
    let mut tables = tables_of(&std::fs::read_to_string(PAGE)?);
    let mut sizes: Vec<u32> = costs.iter().map(|cost| cost.cards).collect();
    sizes.dedup();
    for cards in sizes {
        let of_size: Vec<Cost> = costs.iter().filter(|cost| cost.cards == cards).cloned().collect();
        let mut table = format!("\n{}\n\n", machine.line());
        writeln!(
            table,
            "| Row | Operation | /s | p99 ms | µs service | µs Postgres | statements | trips | yardstick /s | ratio | goal | reached | |"
        )?;
        writeln!(table, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|---|")?;
        for cost in sorted(&of_size) {
            writeln!(table, "{}", table_row(cost))?;
        }
        tables.insert(cards, table);
    }
    for (cards, table) in tables {
        write!(text, "\n{}{table}", heading(cards))?;
    }
    replace_part(BEGIN, END, &text)
}

/// The heading of the table of a size.
fn heading(cards: u32) -> String {
    format!("### {cards} cards\n")
}

/// The tables in a page, by size, each with the line that states when it was measured.
fn tables_of(page: &str) -> BTreeMap<u32, String> {
    let part = page.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    let sections = part.map_or("", |(part, _)| part).split("\n### ").skip(1);
    let table = |section: &str| {
        let (size, table) = section.split_once(" cards\n")?;
        Some((size.parse().ok()?, format!("{}\n", table.trim_end())))
    };
    sections.filter_map(table).collect()
}

/// Replaces the part of the page between two markers.
pub(crate) fn replace_part(begin: &str, end: &str, text: &str) -> anyhow::Result<()> {
    let page = std::fs::read_to_string(PAGE)?;
    let (before, rest) =
        page.split_once(begin).context("docs/PERFORMANCE.md has no place for the table")?;
    let (_, after) = rest.split_once(end).context("docs/PERFORMANCE.md has no end of the table")?;
    Ok(std::fs::write(PAGE, format!("{before}{begin}{text}\n{end}{after}"))?)
}

fn table_row(cost: &Cost) -> String {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or(String::new(), |value| format!("{value:.digits$}"))
    };
    let (statements, trips) = match cost.messages {
        None => (String::new(), String::new()),
        Some(MessageCounts { executed, prepared: 0, round_trips }) => {
            (executed.to_string(), round_trips.to_string())
        }
        Some(MessageCounts { executed, prepared, round_trips }) => {
            (format!("{executed} ({prepared} planned)"), round_trips.to_string())
        }
    };
    let mut note = cost.note.replace('|', "\\|").replace('\n', " ");
    if let Some(reason) = cost.measured_by.strip_prefix("none: ") {
        note = if note.is_empty() { reason.to_owned() } else { format!("{reason}; {note}") };
    }
    let yardstick = match (&cost.yardstick, cost.measured_by.as_str()) {
        (Some(rate), measured_by) => format!("{rate:.0} {measured_by}"),
        (None, _) => String::new(),
    };
    format!(
        "| {} | `{}` | {:.0} | {:.2} | {:.0} | {:.0} | {statements} | {trips} | {yardstick} | {} | {} | {} | {note} |",
        cost.title,
        cost.operation,
        cost.rate,
        cost.p99_ms,
        cost.service_us,
        cost.postgres_us,
        number(cost.ratio, 2),
        cost.goal.as_deref().unwrap_or_default(),
        number(cost.reached, 2),
    )
}
