//! Measures the service and a yardstick alternately.

use std::time::Duration;

use crate::http::Target;
use crate::pgbench::Script;

/// The load of a comparison: connections, rounds and time.
pub(crate) struct Load {
    pub connections: usize,
    pub rounds: usize,
    pub time: Duration,
}

/// One half of a round.
pub(crate) struct Round {
    /// Requests per second.
    pub rate: f64,
    latencies: Vec<Duration>,
}

impl Round {
    pub(crate) fn of_requests(latencies: Vec<Duration>, time: Duration) -> Self {
        Self { rate: count(latencies.len()) / time.as_secs_f64(), latencies }
    }

    /// A round of a program that reports only its rate per second.
    pub(crate) fn of_rate(rate: f64) -> Self {
        Self { rate, latencies: Vec::new() }
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::INFINITY, f64::from)
}

/// Something to compare with.
pub(crate) trait Yardstick {
    async fn run(&self, connections: usize, time: Duration) -> anyhow::Result<Round>;
}

impl Yardstick for Target {
    async fn run(&self, connections: usize, time: Duration) -> anyhow::Result<Round> {
        Self::run(self, connections, time).await
    }
}

impl Yardstick for Script {
    async fn run(&self, connections: usize, time: Duration) -> anyhow::Result<Round> {
        Self::run(self, connections, time).await
    }
}

/// The results of all rounds of a comparison.
#[derive(Default)]
pub(crate) struct Comparison {
    /// Requests per second of the service and of the yardstick, for each round.
    rates: Vec<(f64, Option<f64>)>,
    latencies: Vec<Duration>,
    yardstick_latencies: Vec<Duration>,
}

impl Load {
    /// Measures the service and the yardstick alternately, after a short warm-up of both.
    pub(crate) async fn compare(
        &self,
        service: &Target,
        yardstick: &impl Yardstick,
    ) -> anyhow::Result<Comparison> {
        service.run(self.connections, self.time / 2).await?;
        yardstick.run(self.connections, self.time / 2).await?;
        let mut found = Comparison::default();
        for round in 0..self.rounds {
            // The first measurement of a round affects the second (caches, checkpoints), so the order alternates.
            let (one, other) = if round % 2 == 0 {
                let one = service.run(self.connections, self.time).await?;
                (one, yardstick.run(self.connections, self.time).await?)
            } else {
                let other = yardstick.run(self.connections, self.time).await?;
                (service.run(self.connections, self.time).await?, other)
            };
            found.add(one, Some(other));
        }
        Ok(found)
    }

    /// Measures the service alternately alone and while two more connections send other requests.
    pub(crate) async fn beside(
        &self,
        service: &Target,
        nuisance: &Target,
    ) -> anyhow::Result<Comparison> {
        let mut found = Comparison::default();
        for _ in 0..self.rounds {
            let alone = service.run(self.connections, self.time).await?;
            let (one, _nuisance) =
                tokio::join!(service.run(self.connections, self.time), nuisance.run(2, self.time));
            found.add(one?, Some(alone));
        }
        Ok(found)
    }
}

impl Comparison {
    pub(crate) async fn without_yardstick(load: &Load, service: &Target) -> anyhow::Result<Self> {
        let mut found = Self::default();
        for _ in 0..load.rounds {
            found.add(service.run(load.connections, load.time).await?, None);
        }
        Ok(found)
    }

    fn add(&mut self, service: Round, yardstick: Option<Round>) {
        self.rates.push((service.rate, yardstick.as_ref().map(|round| round.rate)));
        self.latencies.extend(service.latencies);
        self.yardstick_latencies.extend(yardstick.into_iter().flat_map(|round| round.latencies));
    }

    /// The median of the rounds' ratios; `None`: there was no yardstick.
    pub(crate) fn ratio(&self) -> Option<f64> {
        median(self.rates.iter().filter_map(|(one, other)| Some(one / (*other)?)).collect())
    }

    /// Median requests per second of the service and of the yardstick.
    pub(crate) fn rates(&self) -> (f64, Option<f64>) {
        let service = median(self.rates.iter().map(|(one, _)| *one).collect());
        let yardstick = median(self.rates.iter().filter_map(|(_, other)| *other).collect());
        (service.unwrap_or_default(), yardstick)
    }

    /// 99th percentile of the latency of the service and of the yardstick.
    pub(crate) fn p99(&self) -> (Duration, Option<Duration>) {
        let of = |latencies: &[Duration]| part_of(latencies, 99);
        (of(&self.latencies).unwrap_or_default(), of(&self.yardstick_latencies))
    }

    /// Median latency of the service.
    pub(crate) fn median(&self) -> Duration {
        part_of(&self.latencies, 50).unwrap_or_default()
    }
}

/// The latency at a percentile.
fn part_of(latencies: &[Duration], percent: usize) -> Option<Duration> {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
