//! The id of the request in progress.

use std::fmt;

use uuid::Uuid;

/// Length of a UUID as text.
const LENGTH: usize = uuid::fmt::Hyphenated::LENGTH;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// The id of a request, as in the header `X-Request-Id`, the log and problems: a UUID of version 7.
///
/// The id is available to all code that runs for the request, without a tracing span: most requests log nothing, and a span for each would cost as much as the
/// routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId([u8; LENGTH]);

impl RequestId {
    /// Creates a new id.
    pub fn generate() -> Self {
        let mut text = [0; LENGTH];
        Uuid::now_v7().hyphenated().encode_lower(&mut text);
        Self(text)
    }

    /// The id of the request that the current task runs for. Tasks that a request spawns have none.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(|id| *id).ok()
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Runs the future that answers the request with this id.
    pub async fn scope<T>(self, answer: impl Future<Output = T>) -> T {
        CURRENT.scope(self, answer).await
    }

    /// Runs code for the request with this id: a body is produced piece by piece after the response has started.
    pub fn enter<T>(self, go_on: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, go_on)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_request_has_its_own_id_and_spawned_work_has_none() {
        let (one, other) = (RequestId::generate(), RequestId::generate());
        assert_ne!(one, other);
        let version = Uuid::parse_str(one.as_str()).unwrap().get_version_num();
        assert_eq!(version, 7);
        let look = || async {
            tokio::task::yield_now().await;
            RequestId::current()
        };
        let (first, second) = tokio::join!(one.scope(look()), other.scope(look()));
        assert_eq!((first, second), (Some(one), Some(other)));
        let spawned = one.scope(async { tokio::spawn(look()).await.unwrap() });
        assert_eq!(spawned.await, None);
        assert_eq!(one.enter(RequestId::current), Some(one));
        assert_eq!(look().await, None);
    }
}
