//! Posts deliveries to webhooks and records the results. SQL is in `store`, the administration of webhooks in
//! `app/operations/`; `domain/operations/` decides which URLs may be posted to.

pub mod sender;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use crate::auth::keys::KeyRing;
use crate::auth::secret;
use crate::auth::webhook_secret::WebhookSecret;
use crate::domain::clock::Clock;
use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::{Failure, Outcome, wait_after};
use crate::domain::operations::webhook_target::origin_of;
use crate::store::operations::delivery_attempts::{
    self, AttemptEffect, DueDelivery, NextDelivery, WebhookEvent,
};
use crate::store::operations::webhook_leases::{self, Lease};
use crate::store::operations::{delivery_queue, webhook_deliveries};
use crate::store::{Store, StoreResult, in_time};
use crate::work::ticks::ticks;
use sender::{Message, Sender};

/// How often an instance looks for due deliveries.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Waiting deliveries are counted for the metrics once in this many ticks.
const TICKS_PER_COUNT: u32 = 15;
/// Webhooks that one instance posts to at once, one delivery at a time each.
const MAX_CONCURRENT: usize = 8;
/// How long one webhook is served before another one is.
const MAX_TURN: Duration = Duration::from_secs(20);
/// Time limit for the database. Committed work stays; the next tick continues from there.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);

/// Writes the body of a delivery.
pub type Render = fn(WebhookEvent) -> serde_json::Result<Vec<u8>>;

/// Posts due deliveries. Any number of instances may run: a lease gives each webhook to one task at a time.
pub struct Dispatcher {
    /// The database.
    pub store: Store,
    /// Keys that secrets are derived from.
    pub keys: KeyRing,
    /// The time.
    pub clock: Clock,
    /// Posts the messages.
    pub sender: Sender,
    /// Writes bodies.
    pub render: Render,
    /// Becomes true when the instance is stopping: running posts are finished, no new ones begin.
    pub stopping: watch::Receiver<bool>,
}

impl Dispatcher {
    /// Posts until the instance stops.
    pub async fn run(self: Arc<Self>) {
        let mut tick = ticks(POLL_INTERVAL);
        let mut stopping = self.stopping.clone();
        let mut running = JoinSet::new();
        let mut ticks: u32 = 0;
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                _ = stopping.wait_for(|stopping| *stopping) => break,
            }
            if let Err(error) = self.start_due(&mut running).await {
                tracing::warn!(%error, "cannot process the webhooks");
            }
            if ticks.is_multiple_of(TICKS_PER_COUNT) {
                self.count_waiting().await;
            }
            ticks = ticks.wrapping_add(1);
        }
        while let Some(result) = running.join_next().await {
            log_panic(result);
        }
    }

    /// Posts all due deliveries, and returns when there are no more.
    pub async fn run_once(self: &Arc<Self>) -> StoreResult<()> {
        let mut running = JoinSet::new();
        loop {
            let started = self.start_due(&mut running).await;
            let is_idle = running.is_empty();
            while let Some(result) = running.join_next().await {
                log_panic(result);
            }
            started?;
            if is_idle {
                return Ok(());
            }
        }
    }

    /// Writes deliveries for new events, and starts a task for each webhook with due deliveries.
    async fn start_due(self: &Arc<Self>, running: &mut JoinSet<()>) -> StoreResult<()> {
        while let Some(result) = running.try_join_next() {
            log_panic(result);
        }
        // If writing new deliveries fails, existing ones are still posted.
        let enqueued =
            in_time(DATABASE_TIMEOUT, delivery_queue::enqueue(&self.store, &self.clock)).await;
        while running.len() < MAX_CONCURRENT && !*self.stopping.borrow() {
            let leased = in_time(
                DATABASE_TIMEOUT,
                webhook_leases::lease_next(&self.store, self.clock.now()),
            )
            .await?;
            let Some(lease) = leased else { break };
            let this = self.clone();
            running.spawn(async move {
                if let Err(error) = this.serve(lease).await {
                    // The lease expires by itself; a delivery without a recorded result is posted once more.
                    tracing::warn!(%error, webhook = %lease.webhook, "cannot serve a webhook");
                }
            });
        }
        enqueued
    }

    async fn count_waiting(&self) {
        match in_time(DATABASE_TIMEOUT, webhook_deliveries::waiting(&self.store)).await {
            #[allow(clippy::cast_precision_loss, reason = "a figure for a diagram")]
            Ok(waiting) => metrics::gauge!("webhook_deliveries_waiting").set(waiting as f64),
            Err(error) => tracing::warn!(%error, "cannot count webhook deliveries"),
        }
    }

    /// Posts the due deliveries of a webhook one after the other, in the order of the feed.
    async fn serve(&self, lease: Lease) -> StoreResult<()> {
        let began = Instant::now();
        while began.elapsed() < MAX_TURN && !*self.stopping.borrow() {
            match delivery_attempts::take(&self.store, lease, self.clock.now()).await? {
                NextDelivery::Due(due) => self.deliver(lease, *due).await?,
                NextDelivery::GivenUp(failure) => count_attempt(failure.as_str()),
                NextDelivery::Nothing => break,
            }
        }
        webhook_leases::release(&self.store, lease, self.clock.now()).await
    }

    async fn deliver(&self, lease: Lease, due: DueDelivery) -> StoreResult<()> {
        let DueDelivery { delivery, url, attempts, .. } = &due;
        let (delivery, attempts) = (*delivery, *attempts);
        let kind = due.event.kind().to_owned();
        let origin = origin_of(url);
        let began = Instant::now();
        let outcome = match self.message(lease.webhook, &due) {
            Ok(message) => self.sender.post(url, message).await,
            Err(error) => {
                // Another attempt would fail in the same way, and block the deliveries after it.
                tracing::error!(%error, %delivery, kind, "cannot write the body of a delivery");
                let (failure, now) = (Failure::Unreadable, self.clock.now());
                count_attempt(failure.as_str());
                return delivery_attempts::give_up(&self.store, (delivery, attempts), failure, now)
                    .await;
            }
        };
        metrics::histogram!("webhook_attempt_seconds").record(began.elapsed().as_secs_f64());
        let result = outcome.failure.map_or("delivered", |failure| failure.as_str());
        count_attempt(result);
        let [jitter] = secret::random::<1>();
        let wait = wait_after(attempts, &kind, jitter);
        let now = self.clock.now();
        let settled =
            delivery_attempts::settle(&self.store, lease, &due, outcome, wait, now).await?;
        let webhook = lease.webhook;
        let Outcome { status, .. } = outcome;
        if outcome.failure.is_none() {
            tracing::debug!(%webhook, %delivery, %origin, %kind, status, attempts, "webhook delivered");
        } else {
            tracing::info!(%webhook, %delivery, %origin, %kind, status, failure = result, attempts, "webhook attempt failed");
        }
        if let AttemptEffect::Disabled(reason) = settled {
            metrics::counter!("webhooks_disabled_total", "reason" => reason.as_str()).increment(1);
            tracing::warn!(%webhook, %origin, reason = reason.as_str(), "webhook disabled");
        }
        Ok(())
    }

    fn message(&self, webhook: WebhookId, due: &DueDelivery) -> serde_json::Result<Message> {
        let now = self.clock.now();
        let id = due.delivery.to_string();
        let body = (self.render)(due.event.clone())?;
        let signatures: Vec<String> = due
            .generations(now)
            .map(|generation| WebhookSecret::derive(&self.keys, webhook, generation))
            .map(|secret| secret.sign(&id, now, &body))
            .collect();
        Ok(Message { timestamp: now.timestamp(), signature: signatures.join(" "), id, body })
    }
}

fn count_attempt(outcome: &'static str) {
    metrics::counter!("webhook_attempts_total", "outcome" => outcome).increment(1);
}

/// Logs a panic of a task. Its lease expires by itself, and then the webhook is served again.
fn log_panic(result: Result<(), JoinError>) {
    if let Err(error) = result {
        tracing::error!(%error, "posting to a webhook panicked");
        metrics::counter!("background_task_restarts_total", "task" => "webhook_turn").increment(1);
    }
}
