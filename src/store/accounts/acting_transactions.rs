//! Transactions on behalf of callers: they commit only if the credential is still valid.
//!
//! They are beside the credentials, not in `db`: the connections know nothing of accounts.

use chrono::{DateTime, Utc};

use super::credentials;
use crate::auth::permission::{Acting, Confirm, Granted, Permission};
use crate::store::db::pool::send_begin;
use crate::store::{AsStoreError, Connection, OpenTransaction, Store, StoreError, StoreResult};

impl Store {
    /// Runs `work` in a transaction on behalf of a caller: it commits only if the credential that `by` was granted for
    /// is still valid, its account is not banned, and its role still has the permission; otherwise
    /// [`StoreError::Revoked`], and nothing is written. One statement more than [`Self::transaction`].
    pub async fn transaction_by<P: Permission, T, E>(
        &self,
        by: &Granted<P>,
        now: DateTime<Utc>,
        work: impl AsyncFn(&mut Connection, &Acting<P>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        let acting = Acting::in_transaction(by);
        self.transaction(async |conn| {
            if P::CONFIRM == Confirm::First {
                credentials::lock_account(conn, by.account()).await?;
                credentials::confirm(conn, by, now).await?;
                return work(conn, &acting).await;
            }
            let done = work(conn, &acting).await?;
            credentials::confirm(conn, by, now).await?;
            Ok(done)
        })
        .await
    }

    /// Like [`Self::transaction_by`], for a permission that is confirmed last, and for work that reads something first:
    /// the statements of `first` go to the database together with the BEGIN, in one round trip, unless `first` waits
    /// for each of them.
    pub async fn transaction_by_reading<P: Permission, A, T, E>(
        &self,
        by: &Granted<P>,
        now: DateTime<Utc>,
        first: impl AsyncFn(&Connection, &Acting<P>) -> Result<A, E>,
        work: impl AsyncFn(&mut Connection, &Acting<P>, A) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        const { assert!(matches!(P::CONFIRM, Confirm::Last), "the permission is confirmed first") };
        let acting = Acting::in_transaction(by);
        let mut tries = 0;
        loop {
            tries += 1;
            let (mut begun, found) = self.begin_with(&acting, &first).await?;
            let result = async {
                let conn = begun.conn();
                let done = work(conn, &acting, found?).await?;
                credentials::confirm(conn, by, now).await?;
                Ok(done)
            };
            let result: Result<T, E> = result.await;
            match begun.end(result).await {
                Err(error)
                    if tries < 3
                        && error.as_store_error().is_some_and(StoreError::is_transient) => {}
                result => return result,
            }
        }
    }

    /// Like [`Self::transaction_by_reading`], for work that locks and reads everything in `first` and then writes with one
    /// statement: the check of the credential goes to the database together with the statement of `last`. So the
    /// transaction needs three round trips: for what it reads, for what it writes, and for the COMMIT.
    pub async fn transaction_by_steps<P: Permission, A, T, E>(
        &self,
        by: &Granted<P>,
        now: DateTime<Utc>,
        first: impl AsyncFn(&Connection, &Acting<P>) -> Result<A, E>,
        last: impl AsyncFn(&Connection, &Acting<P>, A) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        const { assert!(matches!(P::CONFIRM, Confirm::Last), "the permission is confirmed first") };
        let acting = Acting::in_transaction(by);
        let mut tries = 0;
        loop {
            tries += 1;
            let (mut begun, found) = self.begin_with(&acting, &first).await?;
            let result = match found {
                Ok(found) => {
                    let conn: &Connection = begun.conn();
                    // Sent in this order, so that the credential is locked last.
                    let (done, confirmed) = tokio::join!(
                        biased;
                        last(conn, &acting, found),
                        credentials::confirm(conn, by, now)
                    );
                    // If the statement of `last` failed, so did the check, because the transaction is aborted.
                    done.and_then(|done| confirmed.map(|()| done).map_err(E::from))
                }
                Err(error) => Err(error),
            };
            match begun.end(result).await {
                Err(error)
                    if tries < 3
                        && error.as_store_error().is_some_and(StoreError::is_transient) => {}
                result => return result,
            }
        }
    }

    /// Begins a transaction; the first statement of `first` goes to the database together with the BEGIN.
    async fn begin_with<P: Permission, A, E: From<StoreError>>(
        &self,
        acting: &Acting<P>,
        first: &impl AsyncFn(&Connection, &Acting<P>) -> Result<A, E>,
    ) -> Result<(OpenTransaction, Result<A, E>), E> {
        let conn = self.lend_for_transaction().await?;
        let shared: &Connection = &conn;
        // The statements are sent in this order, and answered in the same order.
        let (begun, found) = tokio::join!(biased; send_begin(shared), first(shared, acting));
        // If it fails, the connection is closed, as in `begin`.
        begun?;
        Ok((self.open_transaction(conn), found))
    }

    /// Begins a transaction on behalf of several callers, which the caller of this function ends: for spawned tasks
    /// ([`Self::begin`]). `None`: the credential has ended or is locked: there is no waiting.
    pub(in crate::store) async fn begin_by_all<P: Permission>(
        &self,
        by: &[&Granted<P>],
        now: DateTime<Utc>,
    ) -> StoreResult<(OpenTransaction, Vec<Option<Acting<P>>>)> {
        const { assert!(matches!(P::CONFIRM, Confirm::Last), "the permission is confirmed first") };
        let conn = self.lend_for_transaction().await?;
        let (opened, confirmed) = tokio::join!(
            biased;
            send_begin(&conn),
            credentials::confirm_free(&conn, by, now)
        );
        opened?;
        let begun = self.open_transaction(conn);
        let confirmed = match confirmed {
            Ok(confirmed) => confirmed,
            Err(error) => return begun.end(Err(error)).await,
        };
        let acting = by.iter().zip(confirmed);
        let acting = acting.map(|(by, alive)| alive.then(|| Acting::in_transaction(by)));
        Ok((begun, acting.collect()))
    }
}
