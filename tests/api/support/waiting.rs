//! Waiting for what happens in the background.

use std::time::Duration;

/// Repeats a check until it succeeds, for at most ten seconds; the argument is the number of earlier checks.
pub async fn until(what: &str, mut done: impl AsyncFnMut(usize) -> bool) {
    for round in 0..200 {
        if done(round).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}");
}
