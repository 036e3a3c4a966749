//! Measures one row of the cost table.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use cardscape::auth::keys::KeyRing;
use serde::{Deserialize, Serialize};
use tokio_postgres::Client;

use crate::cpu;
use crate::load::{self, Connection, Outcome, count};
use crate::recipes::{Goal, Measure, Recipe, Row, Special, Yardstick};
use crate::requests::Requests;
use crate::rows;
use crate::second_factors;
use crate::service::{Home, Service};
use crate::thin::{self, ThinServer};
use crate::wire::{MessageCounts, Relay};
use crate::yardsticks::{self, Pgbench};

/// Number of requests whose statements are counted one by one; the table contains the medians.
const LOOKED_AT: usize = 9;
/// If each request can be sent only once, one in this many is used for the warm-up.
const WARM_UP: usize = 4;

/// The figures of a row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub operation: String,
    pub title: String,
    pub cards: u32,
    /// Requests per second that were answered with 2xx.
    pub rate: f64,
    pub median_ms: f64,
    pub p99_ms: f64,
    /// Processor time of one request, in microseconds.
    pub service_us: f64,
    pub postgres_us: f64,
    /// Messages to Postgres for one request, unless there were too few items to count them.
    pub messages: Option<MessageCounts>,
    /// Rate of the yardstick per second.
    pub yardstick: Option<f64>,
    /// Description of the yardstick.
    pub measured_by: String,
    /// Rate of the service divided by that of the yardstick, measured alternately.
    pub ratio: Option<f64>,
    pub goal: Option<String>,
    /// Reached fraction of the goal: 1 means just reached.
    pub reached: Option<f64>,
    /// Percentage of answers that were not 2xx.
    pub refused_percent: f64,
    /// A remark: why the row is far from its goal, or what failed.
    pub note: String,
}

/// The data that all rows of one size share.
pub(crate) struct Bench<'a> {
    pub home: &'a Home,
    pub cards: u32,
    pub keys: &'a KeyRing,
    pub client: Client,
    /// The service that is measured.
    pub service: &'a Service,
    /// The service whose messages to Postgres are counted, with the relay that counts them.
    pub watched: Option<(&'a Service, &'a Relay)>,
    pub thin: &'a ThinServer,
    pub pgbench: Option<std::path::PathBuf>,
    pub socket: std::path::PathBuf,
    pub connections: usize,
    pub time: Duration,
    pub rounds: usize,
}

impl Bench<'_> {
    /// Measures one recipe. A failure is reported in its note.
    pub(crate) async fn measure(&self, recipe: &Recipe) -> Cost {
        let mut cost = Cost {
            operation: recipe.operation.to_owned(),
            title: recipe.title.to_owned(),
            cards: self.cards,
            note: recipe.why.to_owned(),
            ..Cost::default()
        };
        if let Err(error) = self.fill_in(recipe, &mut cost).await {
            cost.note = not_measured(&error);
        }
        cost.note += &rows::restore(&self.client, recipe).await;
        cost
    }

    async fn fill_in(&self, recipe: &Recipe, cost: &mut Cost) -> anyhow::Result<()> {
        let mut rows = rows::draw(&self.client, recipe).await?;
        match recipe.special {
            Special::Nothing => {}
            Special::SecondFactor(confirmed) => {
                second_factors::prepare(&self.client, self.keys, &mut rows, confirmed).await?;
            }
        }
        let others = match rows.len() {
            0 | 1 => Vec::new(),
            many if recipe.divides_rows => rows.split_off(many.div_ceil(2)),
            _ => Vec::new(),
        };
        let requests = Requests::new(recipe, &rows, self.keys)?;
        anyhow::ensure!(requests.len() > 0, "no row to ask with: {}", recipe.rows);
        let (looked_at, warm_up, requests) = if !recipe.spends {
            let few = Requests::new(recipe, &rows[..rows.len().min(LOOKED_AT)], self.keys)?;
            let requests = Arc::new(requests);
            (Some(few), Some(requests.clone()), requests)
        } else if requests.len() > 4 * LOOKED_AT {
            let (few, rest) = requests.split(LOOKED_AT);
            let share = rest.len() / WARM_UP;
            let (warm_up, rest) = rest.split(share);
            (Some(few), Some(Arc::new(warm_up)), Arc::new(rest))
        } else {
            (None, None, Arc::new(requests))
        };
        if let (Some((service, relay)), Some(looked_at)) = (self.watched, looked_at) {
            cost.messages = Some(watch(service, relay, &looked_at).await?);
        }
        // The warm-up opens connections, plans statements and reads pages, so that the service is measured as if it had run for a
        // while.
        if let Some(warm_up) = warm_up {
            let connections = self.connections_of(recipe)?;
            load::run(self.service.address, &warm_up, connections, self.time / 2).await?;
        }
        let rows_of_yardstick = if others.is_empty() { &rows } else { &others };
        self.compare(recipe, rows_of_yardstick, &requests, cost).await
    }

    async fn compare(
        &self,
        recipe: &Recipe,
        rows_of_yardstick: &[Row],
        requests: &Arc<Requests>,
        cost: &mut Cost,
    ) -> anyhow::Result<()> {
        let connections = self.connections_of(recipe)?;
        let address = self.service.address;
        let pgbench = match &self.pgbench {
            Some(program) => {
                Pgbench::new(
                    program,
                    &self.socket,
                    &self.home.data,
                    &self.client,
                    &recipe.yardstick,
                    rows_of_yardstick,
                )
                .await?
            }
            None => None,
        };
        let rounds = if recipe.spends { 1 } else { self.rounds };
        let (mut ours, mut ratios, mut theirs) = (Outcome::default(), Vec::new(), Vec::new());
        let (mut service, mut postgres) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..rounds {
            let before = self.processor_time()?;
            let round = load::run(address, requests, connections, self.time).await?;
            let after = self.processor_time()?;
            service += after.0.saturating_sub(before.0);
            postgres += after.1.saturating_sub(before.1);
            let size = round.bytes / u64::try_from(round.answered().max(1))?;
            if let Some(rate) = self.yardstick(recipe, pgbench.as_ref(), connections, size).await? {
                theirs.push(rate);
                ratios.push(round.rate() / rate);
            }
            ours.add(round);
        }
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / count(ours.answered().max(1));
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        cost.rate = ours.rate();
        (cost.median_ms, cost.p99_ms) = (millis(ours.percentile(50)), millis(ours.percentile(99)));
        (cost.service_us, cost.postgres_us) = (micros(service), micros(postgres));
        cost.ratio = middle(ratios);
        cost.yardstick = middle(theirs);
        cost.measured_by = description_of(recipe.yardstick);
        (cost.goal, cost.reached) = reached(recipe.goal, cost.rate, cost.ratio);
        let refused: usize = ours.refused.values().sum();
        cost.refused_percent = 100.0 * count(refused) / count(ours.answered().max(1));
        let mib = count(usize::try_from(ours.bytes / 1024)?) / 1024.0;
        if mib > 0.25 * count(ours.latencies.len()) && recipe.measure == Measure::Requests {
            cost.note += &format!("{:.0} MiB/s", mib / ours.time.as_secs_f64());
        }
        if 2 * ours.empty > ours.latencies.len() {
            let separator = if cost.note.is_empty() { "" } else { "; " };
            cost.note += &format!("{separator}most answers are empty lists");
        }
        if let Some(complaint) = &ours.complaint {
            let separator = if cost.note.is_empty() { "" } else { "; " };
            cost.note +=
                &format!("{separator}{refused} answers were {:?}: {complaint}", ours.refused);
        }
        Ok(())
    }

    fn connections_of(&self, recipe: &Recipe) -> anyhow::Result<usize> {
        // The service accepts only as many passwords as it can hash soon. More of them are measured by the overload row.
        let most = match recipe.yardstick {
            Yardstick::Argon2 => 4 * std::thread::available_parallelism()?.get(),
            _ => usize::MAX,
        };
        Ok(recipe.connections.unwrap_or(self.connections).min(most))
    }

    /// The rate of the yardstick; `size` is the average size of an answer of the service in bytes.
    async fn yardstick(
        &self,
        recipe: &Recipe,
        pgbench: Option<&Pgbench>,
        connections: usize,
        size: u64,
    ) -> anyhow::Result<Option<f64>> {
        Ok(match recipe.yardstick {
            Yardstick::Reads(_) | Yardstick::Writes(_) | Yardstick::OwnWrites(_) => match pgbench {
                Some(pgbench) => Some(pgbench.run(connections, self.time).await?),
                None => None,
            },
            Yardstick::Static => Some(self.thin_rate(connections).await?.0),
            Yardstick::StaticFile => {
                let requests = Arc::new(Requests::get(&thin::file_of(size)));
                let found = load::run(self.thin.address, &requests, connections, self.time).await?;
                Some(found.rate())
            }
            Yardstick::Argon2 => Some(yardsticks::hash_passwords(self.time).await?),
            Yardstick::None(_) => None,
        })
    }

    /// Requests per second of the thin static route, and its processor time per request in microseconds.
    pub(crate) async fn thin_rate(&self, connections: usize) -> anyhow::Result<(f64, f64)> {
        let recipe = crate::recipes::all().find(|recipe| recipe.operation == "healthz");
        let row = [Row::new()];
        let requests = Arc::new(Requests::new(recipe.context("healthz")?, &row, self.keys)?);
        let before = cpu::of_process(self.thin.pid())?;
        let found = load::run(self.thin.address, &requests, connections, self.time).await?;
        let used = cpu::of_process(self.thin.pid())?.saturating_sub(before);
        Ok((found.rate(), used.as_secs_f64() * 1e6 / count(found.answered().max(1))))
    }

    pub(crate) fn processor_time(&self) -> anyhow::Result<(Duration, Duration)> {
        let postmaster = cpu::postmaster(&self.home.data)?;
        Ok((cpu::of_process(self.service.pid())?, cpu::of_postgres(postmaster)?))
    }
}

/// The messages of the service to Postgres for one request: the median of several requests, so that work in the background
/// does not count.
async fn watch(
    service: &Service,
    relay: &Relay,
    requests: &Requests,
) -> anyhow::Result<MessageCounts> {
    let mut connection = Connection::open(service.address).await?;
    let (mut message, mut all) = (Vec::new(), Vec::new());
    // Repeated even if all requests are equal, because the first use of a statement is always parsed and planned.
    for at in (0..requests.len()).cycle().take(LOOKED_AT) {
        let before = relay.counts();
        let unique_number = Requests::first_unique_number();
        requests.write(at, unique_number, &mut message);
        let answer = connection.ask(&message, requests.wants_first_bytes()).await?;
        if requests.wants_first_bytes() || !answer.is_reusable() {
            connection = Connection::open(service.address).await?;
        }
        all.push(relay.counts().since(before));
    }
    let middle = |of: fn(&MessageCounts) -> u64| {
        let mut values: Vec<u64> = all.iter().map(of).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    Ok(MessageCounts {
        executed: middle(|messages| messages.executed),
        prepared: middle(|messages| messages.prepared),
        round_trips: middle(|messages| messages.round_trips),
    })
}

/// The note of a row that could not be measured: the first line of the error.
pub(crate) fn not_measured(error: &anyhow::Error) -> String {
    let error = format!("{error:#}");
    let line: String = error.lines().next().unwrap_or_default().chars().take(300).collect();
    format!("not measured: {line}")
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn description_of(yardstick: Yardstick) -> String {
    match yardstick {
        Yardstick::Reads(_) => "pgbench".to_owned(),
        Yardstick::Writes(_) => "pgbench, one transaction".to_owned(),
        Yardstick::OwnWrites(_) => "pgbench, the service's statements".to_owned(),
        Yardstick::Static => "static route".to_owned(),
        Yardstick::StaticFile => "static route, as many bytes".to_owned(),
        Yardstick::Argon2 => "argon2".to_owned(),
        Yardstick::None(reason) => format!("none: {reason}"),
    }
}

fn reached(goal: Option<Goal>, rate: f64, ratio: Option<f64>) -> (Option<String>, Option<f64>) {
    match goal {
        None => (None, None),
        Some(Goal::Rate(goal)) => (Some(format!("≥ {goal:.0}/s")), Some(rate / goal)),
        Some(Goal::Ratio(goal)) => (Some(format!("≥ {goal} ×")), ratio.map(|ratio| ratio / goal)),
    }
}
