//! Parallel work: this library starts no threads, so the caller who builds an index decides where tasks run.

/// A task that does not depend on other tasks.
pub type Task<'t> = Box<dyn FnOnce() + Send + 't>;

/// Runs the tasks of building an index.
///
/// The resulting index does not depend on the runner: neither on its number of threads nor on the order in which tasks
/// end.
pub trait Runner {
    /// How many tasks may run at the same time: cards are split into at most this many parts, because each part takes
    /// memory.
    fn threads(&self) -> usize;

    /// Runs all tasks, in any order, and returns when all have ended. Must propagate the panic of a task to the caller.
    fn run(&self, tasks: Vec<Task<'_>>);
}

/// Runs the tasks one after the other on the calling thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequential;

impl Runner for Sequential {
    /// In tests, even the smallest segments are split.
    fn threads(&self) -> usize {
        if cfg!(test) { 3 } else { 1 }
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        for task in tasks {
            task();
        }
    }
}

/// A task with its result.
enum Job<W, T> {
    Waiting(W),
    Running,
    Done(T),
}

impl<T: Send, W: FnOnce() -> T + Send> Job<W, T> {
    fn run(&mut self) {
        if let Self::Waiting(work) = std::mem::replace(self, Self::Running) {
            *self = Self::Done(work());
        }
    }

    fn task(&mut self) -> Task<'_> {
        Box::new(|| self.run())
    }

    fn result(self) -> T {
        match self {
            Self::Done(result) => result,
            // The runner dropped the task.
            Self::Waiting(work) => work(),
            Self::Running => unreachable!("the runner hid the panic of a task"),
        }
    }
}

/// Runs both, and returns their results.
pub(super) fn both<A: Send, B: Send>(
    runner: &dyn Runner,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut one, mut other) = (Job::Waiting(one), Job::Waiting(other));
    runner.run(vec![one.task(), other.task()]);
    (one.result(), other.result())
}

/// Runs all of them, and returns their results in the same order.
pub(super) fn all<T: Send, W: FnOnce() -> T + Send>(
    runner: &dyn Runner,
    work: impl IntoIterator<Item = W>,
) -> Vec<T> {
    let mut jobs: Vec<Job<W, T>> = work.into_iter().map(Job::Waiting).collect();
    runner.run(jobs.iter_mut().map(Job::task).collect());
    jobs.into_iter().map(Job::result).collect()
}

/// Runs the last task first.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Backwards(pub(super) usize);

#[cfg(test)]
impl Runner for Backwards {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        for task in tasks.into_iter().rev() {
            task();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs every other task, and drops the rest.
    struct DroppingRunner;

    impl Runner for DroppingRunner {
        fn threads(&self) -> usize {
            2
        }

        fn run(&self, tasks: Vec<Task<'_>>) {
            for task in tasks.into_iter().step_by(2) {
                task();
            }
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_work() {
        let runners: [&dyn Runner; 3] = [&Sequential, &Backwards(2), &DroppingRunner];
        for runner in runners {
            for many in 0..5 {
                let work = (0..many).map(|at| move || at * 10);
                assert_eq!(all(runner, work), (0..many).map(|at| at * 10).collect::<Vec<_>>());
            }
            assert_eq!(both(runner, || 1, || "two"), (1, "two"));
        }
    }
}
