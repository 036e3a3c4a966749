//! Support for tests: a private Postgres, a database for each test, the service in this process, and accounts that use
//! it. Tests use the public API; only actions without an API (creating an admin) use the store.

mod app;
mod bouncer;
mod catalogue;
mod db;
mod device;
mod documented;
mod hands;
mod http;
mod press;
mod proxy;
mod receiver;
mod tls_postgres;
mod waiting;
mod wiretap;

pub use app::{PASSWORD, Player, TestApp, in_memory};
pub use bouncer::{Bouncer, PoolMode};
pub use catalogue::{
    edit_set, effect_files, game_files, import_into, seed_data, set_file, store_of,
};
pub use db::{TestDb, postgres_log, sql};
pub use device::{Device, next_step};
pub use documented::{is_undocumented, undocumented_headers};
pub use hands::text;
pub use http::{Answer, RequestExt};
pub use press::{
    PaperCard, Program, card_name, fresh_path, new_run, numbered_set, read_print_file, run, sha256,
};
pub use proxy::{Proxy, ProxyMode};
pub use receiver::{Hook, Received, Receiver};
pub use tls_postgres::TlsPostgres;
pub use waiting::until;
pub use wiretap::Wiretap;
