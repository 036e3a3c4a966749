//! Rows that are not about a single operation: an overload of log-ins, the basic cost of any request, and imports.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::costs::{Bench, Cost};
use crate::cpu;
use crate::load::{self, Outcome};
use crate::page;
use crate::recipes::{self, Recipe, Row};
use crate::requests::Requests;
use crate::rows;
use crate::service::Home;

pub(crate) const FRAME: &str = "frame: what a request costs beyond the static route";
pub(crate) const OVERLOAD: &str = "log-in at twice the capacity";
/// Goal for the processor time of the frame (everything around an operation), in microseconds per request.
const FRAME_GOAL: f64 = 20.0;
/// Goal for the 99th percentile of the latency of accepted log-ins, in milliseconds.
const OVERLOAD_GOAL: f64 = 1_000.0;
/// Most log-ins in progress at the same time: more than a service should accept.
const UNDER_WAY: usize = 1_000;

fn recipe(title: &str) -> anyhow::Result<&'static Recipe> {
    recipes::all()
        .find(|recipe| recipe.title == title)
        .with_context(|| format!("the recipe {title:?}"))
}

/// Processor time of `/healthz` minus that of the static route, measured alternately.
pub(crate) async fn measure_frame(bench: &Bench<'_>) -> anyhow::Result<Cost> {
    let healthz = recipe("frame of a request (healthz)")?;
    let requests = Arc::new(Requests::new(healthz, &[Row::new()], bench.keys)?);
    load::run(bench.service.address, &requests, bench.connections, bench.time / 2).await?;
    bench.thin_rate(bench.connections).await?;
    let (mut ours, mut beyond) = (Outcome::default(), Vec::new());
    for _ in 0..3 {
        let (_, thin) = bench.thin_rate(bench.connections).await?;
        let before = cpu::of_process(bench.service.pid())?;
        let round =
            load::run(bench.service.address, &requests, bench.connections, bench.time).await?;
        let used = cpu::of_process(bench.service.pid())?.saturating_sub(before);
        beyond.push(used.as_secs_f64() * 1e6 / load::count(round.answered().max(1)) - thin);
        ours.add(round);
    }
    beyond.sort_by(f64::total_cmp);
    let beyond = beyond[beyond.len() / 2];
    Ok(Cost {
        operation: "healthz".to_owned(),
        title: FRAME.to_owned(),
        cards: bench.cards,
        rate: ours.rate(),
        p99_ms: ours.percentile(99).as_secs_f64() * 1e3,
        service_us: beyond,
        measured_by: "none: the static route is taken away".to_owned(),
        goal: Some(format!("≤ {FRAME_GOAL} µs")),
        reached: Some(FRAME_GOAL / beyond.max(1.0)),
        note: "µs service is the difference".to_owned(),
        ..Cost::default()
    })
}

/// Sends log-ins at twice the rate at which they can be answered, without waiting for answers.
pub(crate) async fn measure_overload(bench: &Bench<'_>) -> anyhow::Result<Cost> {
    let log_in = recipe("log-in")?;
    let rows = rows::draw(&bench.client, log_in).await?;
    let requests = Arc::new(Requests::new(log_in, &rows, bench.keys)?);
    let alone = load::run(bench.service.address, &requests, 4, bench.time).await?;
    let rate = (2.0 * alone.rate()).clamp(1.0, 400.0);
    let time = bench.time.max(Duration::from_secs(1)) * 4;
    let found = load::arrive(bench.service.address, &requests, rate, time, UNDER_WAY).await?;
    let refused: usize = found.refused.values().sum();
    let p99 = found.percentile(99).as_secs_f64() * 1e3;
    Ok(Cost {
        operation: "log_in".to_owned(),
        title: OVERLOAD.to_owned(),
        cards: bench.cards,
        rate: found.rate(),
        median_ms: found.percentile(50).as_secs_f64() * 1e3,
        p99_ms: p99,
        measured_by: "none: the log-in row has it".to_owned(),
        goal: Some(format!("p99 ≤ {OVERLOAD_GOAL} ms")),
        reached: (!found.latencies.is_empty()).then(|| OVERLOAD_GOAL / p99),
        refused_percent: 100.0 * load::count(refused) / load::count(found.answered().max(1)),
        note: format!(
            "{rate:.0} came each second, {:.0}/s is the capacity; accepted {}, refused {:?}; p99 is of the accepted",
            alone.rate(),
            found.latencies.len(),
            found.refused
        ),
        ..Cost::default()
    })
}

/// Measures an import of this many cards into an empty database.
pub(crate) fn measure_import(cards: u32) -> anyhow::Result<Cost> {
    let home = Home::new(None, "import")?;
    home.seed(1, 0)?;
    let began = Instant::now();
    let seeded = home.seed(cards, 0)?;
    let seconds = began.elapsed().as_secs_f64();
    // 200 seconds for a million cards.
    let goal = 200.0 * f64::from(cards) / 1_000_000.0;
    Ok(Cost {
        operation: page::IMPORT.to_owned(),
        title: format!("import of {cards} cards"),
        cards,
        rate: f64::from(cards) / seconds,
        measured_by: "none: the goal is a time".to_owned(),
        goal: Some(format!("≤ {goal:.0} s")),
        reached: Some(goal / seconds),
        note: format!("{seconds:.1} s, cards in a second; {seeded}"),
        ..Cost::default()
    })
}
