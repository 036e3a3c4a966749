//! Tasks that run besides the requests for as long as the process.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;

/// Pause before an ended task is restarted.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Runs a task until `is_over`. If the task panics or ends before, this is logged, counted in the metric
/// `background_task_restarts_total` under its name, and the task is restarted after a second.
pub async fn supervise<F: Future<Output = ()>>(
    name: &'static str,
    is_over: impl Fn() -> bool,
    start: impl Fn() -> F,
) {
    loop {
        let result = AssertUnwindSafe(async { start().await }).catch_unwind().await;
        match &result {
            Err(panic) => {
                tracing::error!(
                    task = name,
                    message = text(&**panic),
                    "a background task panicked"
                );
            }
            Ok(()) if is_over() => {}
            Ok(()) => tracing::error!(task = name, "a background task ended"),
        }
        if is_over() {
            return;
        }
        metrics::counter!("background_task_restarts_total", "task" => name).increment(1);
        tokio::time::sleep(RESTART_DELAY).await;
        if is_over() {
            return;
        }
    }
}

/// The message of a panic.
fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_or_ends_is_counted_and_restarted_until_the_service_stops() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _counts_here = metrics::set_default_local_recorder(&recorder);
        let (starts, over) = (Cell::new(0), Cell::new(false));
        supervise(
            "of_a_test",
            || over.get(),
            async || {
                starts.set(starts.get() + 1);
                match starts.get() {
                    1 => panic!("the first time"),
                    2 => {}
                    _ => over.set(true),
                }
            },
        )
        .await;
        assert_eq!(starts.get(), 3);
        let counted = "background_task_restarts_total{task=\"of_a_test\"} 2";
        let metrics = recorder.handle().render();
        assert!(metrics.contains(counted), "{metrics}");
    }

    #[tokio::test]
    async fn a_task_that_panics_while_the_service_stops_is_not_restarted() {
        let starts = Cell::new(0);
        let start = async || {
            starts.set(starts.get() + 1);
            panic!("at the end");
        };
        supervise("of_a_stop", || true, start).await;
        assert_eq!(starts.get(), 1);
    }
}
