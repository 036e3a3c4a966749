//! Work of many requests that one task of the process does together: what comes while it works on some orders it takes next, all at once. So a
//! commit, or a lock that all of them need, is paid for once, and the busier the service is, the more share it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::Notify;

/// Who works on orders.
pub(in crate::store) trait Clerk: Clone + Send + 'static {
    /// What a request wants, and where it hears of it.
    type Order: Send + 'static;
    /// Most orders that are worked on together.
    const MOST: usize;

    /// Waits until it is worth while to take the next orders.
    fn ready(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Works on some, and tells each request what became of its own. An order that is dropped tells so, too.
    fn serve(&self, orders: Vec<Self::Order>) -> impl Future<Output = ()> + Send;
}

/// Orders that wait. One for a process, whatever its worker threads.
pub(in crate::store) struct Orders<T>(Arc<Shared<T>>);

struct Shared<T> {
    /// Where the task runs. Not with the request that ordered first: its worker thread may end before those of others.
    runtime: Handle,
    waiting: Mutex<Waiting<T>>,
    /// All orders are done.
    done: Notify,
}

struct Waiting<T> {
    orders: Vec<T>,
    /// A task works on them.
    is_served: bool,
}

impl<T> Clone for Orders<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Orders<T> {
    /// None yet. They are worked on where this is called, which must be in a runtime of tokio.
    pub(in crate::store) fn new() -> Self {
        let runtime = Handle::current();
        let waiting = Mutex::new(Waiting { orders: Vec::new(), is_served: false });
        Self(Arc::new(Shared { runtime, waiting, done: Notify::new() }))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<T>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + 'static> Orders<T> {
    /// Adds an order, and begins to serve if nobody does.
    pub(in crate::store) fn push<C: Clerk<Order = T>>(&self, order: T, clerk: &C) {
        let mut waiting = self.waiting();
        waiting.orders.push(order);
        if !std::mem::replace(&mut waiting.is_served, true) {
            drop(waiting);
            // Not part of the request: others wait for it, too. Made here, so that it ends even if it never begins.
            let serving = Serving { orders: self.clone(), ended: false };
            self.0.runtime.spawn(serving.run(clerk.clone()));
        }
    }

    /// Adds orders of the task that serves, which takes them next.
    pub(in crate::store) fn add(&self, orders: impl IntoIterator<Item = T>) {
        self.waiting().orders.extend(orders);
    }

    /// Waits until there is no order that waits or is worked on.
    pub(in crate::store) async fn are_done(&self) {
        loop {
            let done = self.0.done.notified();
            tokio::pin!(done);
            done.as_mut().enable();
            if !self.waiting().is_served {
                return;
            }
            done.await;
        }
    }

    /// The next orders; `None`: there are none, and nobody serves any more.
    fn next(&self, most: usize) -> Option<Vec<T>> {
        let mut waiting = self.waiting();
        if waiting.orders.is_empty() {
            waiting.is_served = false;
            self.0.done.notify_waiters();
            return None;
        }
        let most = waiting.orders.len().min(most);
        Some(waiting.orders.drain(..most).collect())
    }
}

/// A task that works on the orders. When it is dropped half-way, with its runtime, those it worked on are told, and the next order starts another.
struct Serving<T> {
    orders: Orders<T>,
    ended: bool,
}

impl<T: Send + 'static> Serving<T> {
    async fn run<C: Clerk<Order = T>>(mut self, clerk: C) {
        // Requests that are ready to order come first.
        tokio::task::yield_now().await;
        loop {
            clerk.ready().await;
            let Some(orders) = self.orders.next(C::MOST) else { break };
            clerk.serve(orders).await;
        }
        self.ended = true;
    }
}

impl<T> Drop for Serving<T> {
    fn drop(&mut self) {
        if !self.ended {
            let mut waiting = self.orders.waiting();
            waiting.is_served = false;
            waiting.orders.clear();
            self.orders.0.done.notify_waiters();
        }
    }
}
