//! Places for catalogue files that admins send with a form: a few at a time, so that they and their copies fit into memory.

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::network::Network;
use crate::memory::file_limiter::{FilePlace, FileTurn};

/// A file that may be sent.
pub struct ExpectedImport(FilePlace);

/// A file that is being checked or stored. The next one waits until this is dropped.
pub struct ImportTurn {
    _turn: FileTurn,
}

/// Takes a place; must be called before the file is received.
pub fn expect(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    network: Network,
) -> Result<ExpectedImport, Problem> {
    let place =
        app.catalogue_limiter.enter(by.account(), network).map_err(Problem::no_file_place)?;
    Ok(ExpectedImport(place))
}

impl ExpectedImport {
    /// Reads what was received, when it is its turn, on a thread that answers no requests.
    pub async fn read<T: Send + 'static>(
        self,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(ImportTurn, T), Problem> {
        let (turn, read) = self.0.turn().await?.work(read).await?;
        Ok((ImportTurn { _turn: turn }, read))
    }
}
