//! Waiting for what happens in the background.

use std::time::Duration;

/// Asks until the answer is yes, for ten seconds at most; each time it is told how often it was asked before.
pub async fn until(what: &str, mut done: impl AsyncFnMut(usize) -> bool) {
    for round in 0..200 {
        if done(round).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}");
}
