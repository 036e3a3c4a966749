//! Regular work.

use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior, interval};

/// Ticks at once and then with `period` between them. After work that took longer than a period, ticks that were missed do
/// not follow one another without a pause.
#[expect(clippy::disallowed_methods, reason = "others use this function instead")]
pub fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn missed_ticks_are_left_out() {
        let mut ticks = ticks(Duration::from_mins(1));
        ticks.tick().await;
        assert!(ticks.tick().now_or_never().is_none());
        assert_eq!(ticks.missed_tick_behavior(), MissedTickBehavior::Delay);
    }
}
