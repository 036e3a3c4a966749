//! Measures searches: a hundred queries as players type them, each separately, with a summary for each class.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::costs::{Bench, Cost};
use crate::load::{self, Outcome};
use crate::requests::Requests;

/// The goals of one class of queries.
struct Class {
    name: &'static str,
    /// Rates of the median query and of the slowest query, per second.
    median: f64,
    slowest: f64,
    /// Highest 99th percentile of the latency, in milliseconds: for up to 100,000 cards, and for more.
    p99: (f64, f64),
}

const CLASSES: [Class; 2] = [
    Class { name: "natural", median: 2_000.0, slowest: 500.0, p99: (40.0, 80.0) },
    Class { name: "costly", median: 30.0, slowest: 30.0, p99: (300.0, 300.0) },
];
/// A catalogue with more cards than this is large.
const LARGE: u32 = 100_000;

/// The titles of the rows for searches.
pub(crate) fn titles() -> impl Iterator<Item = String> {
    CLASSES.iter().flat_map(|class| ["median", "slowest"].map(|which| title(class.name, which)))
}

fn title(class: &str, which: &str) -> String {
    format!("search: the {which} of the {class} questions")
}

/// A measured query, with processor times.
struct Answered {
    question: String,
    found: Outcome,
    cpu: (Duration, Duration),
}

/// Measures all queries, and returns a row for the median and the slowest query of each class.
pub(crate) async fn measure(bench: &Bench<'_>, time: Duration) -> anyhow::Result<Vec<Cost>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/service/queries.txt");
    let text = std::fs::read_to_string(path)?;
    let mut costs = Vec::new();
    for class in &CLASSES {
        let prefix = format!("{}: ", class.name);
        let mut answered = Vec::new();
        for question in text.lines().filter_map(|line| line.strip_prefix(&prefix)) {
            answered.push(ask(bench, question, time).await?);
        }
        answered.sort_by(|one, other| one.found.rate().total_cmp(&other.found.rate()));
        costs.extend(summarise(bench, class, &answered));
    }
    Ok(costs)
}

async fn ask(bench: &Bench<'_>, question: &str, time: Duration) -> anyhow::Result<Answered> {
    let mut parts = question.split(" & ");
    let query = parts.next().unwrap_or_default();
    let mut path = format!("/v1/cards?q={}", utf8_percent_encode(query, NON_ALPHANUMERIC));
    for parameter in parts {
        path += &format!("&{parameter}");
    }
    let requests = Arc::new(Requests::get(&path));
    let (before, found) = (
        bench.processor_time()?,
        load::run(bench.service.address, &requests, bench.connections, time).await?,
    );
    let after = bench.processor_time()?;
    let cpu = (after.0.saturating_sub(before.0), after.1.saturating_sub(before.1));
    println!(
        "  {:>8.0}/s p99 {:>8.2} ms  refused {:?}  {question}",
        found.rate(),
        millis(found.percentile(99)),
        found.refused
    );
    Ok(Answered { question: question.to_owned(), found, cpu })
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The rows of one class; the queries must be sorted, the slowest first.
fn summarise(bench: &Bench<'_>, class: &Class, answered: &[Answered]) -> Vec<Cost> {
    let worst = answered.iter().map(|one| millis(one.found.percentile(99))).fold(0.0, f64::max);
    let limit = if bench.cards > LARGE { class.p99.1 } else { class.p99.0 };
    let refusing: Vec<&Answered> =
        answered.iter().filter(|one| !one.found.refused.is_empty()).collect();
    let below = answered.iter().filter(|one| one.found.rate() < class.slowest).count();
    let slow: Vec<String> = answered
        .iter()
        .take(8)
        .map(|one| format!("`{}` {:.0}/s", one.question.replace('|', "\\|"), one.found.rate()))
        .collect();
    let places = [("median", answered.len() / 2, class.median), ("slowest", 0, class.slowest)];
    let rows = places.map(|(which, place, goal)| {
        let one = answered.get(place)?;
        let each = |time: Duration| time.as_secs_f64() * 1e6 / load::count(one.found.answered().max(1));
        let note = match which {
            "median" => format!(
                "of {} questions; the worst p99 is {worst:.0} ms (at most {limit:.0}); {} were refused at times",
                answered.len(),
                refusing.len()
            ),
            _ => format!("{below} below {:.0}/s; the slowest: {}", class.slowest, slow.join(", ")),
        };
        let rate = one.found.rate();
        Some(Cost {
            operation: "list_cards".to_owned(),
            title: title(class.name, which),
            cards: bench.cards,
            rate,
            median_ms: millis(one.found.percentile(50)),
            p99_ms: millis(one.found.percentile(99)),
            service_us: each(one.cpu.0),
            postgres_us: each(one.cpu.1),
            measured_by: "none: the questions are of all sorts".to_owned(),
            goal: Some(format!("≥ {goal:.0}/s")),
            reached: Some(rate / goal),
            refused_percent: 100.0 * load::count(one.found.refused.values().sum()) / load::count(one.found.answered().max(1)),
            note,
            ..Cost::default()
        })
    });
    rows.into_iter().flatten().collect()
}
