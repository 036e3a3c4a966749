//! Waits that grow while something keeps failing.

use std::time::Duration;

/// How long to wait before something that has failed is tried again.
#[derive(Clone, Copy, Debug)]
pub struct BackOff {
    /// The wait after the next failure.
    next: Duration,
    first: Duration,
    longest: Duration,
}

impl BackOff {
    /// Waits `first` after a failure, and twice as long after each further one, but `longest` at most.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { next: first, first, longest }
    }

    /// The wait after a failure.
    pub fn next_wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = (wait * 2).min(self.longest);
        wait
    }

    /// Begins with the first wait again, after a success.
    pub fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_until_a_success() {
        let mut waits = BackOff::new(Duration::from_secs(10), Duration::from_mins(1));
        for _ in 0..2 {
            let seconds = [(); 5].map(|()| waits.next_wait().as_secs());
            assert_eq!(seconds, [10, 20, 40, 60, 60]);
            waits.reset();
        }
    }
}
