//! Pages of the counted collection: counts, completion of sets, duplicates, import and export.

mod changes;
mod counted;
mod counts;
mod duplicates;
mod files;
mod import;
mod progress;
mod unclear;
mod verdicts;
pub(in crate::web) mod words;

use crate::http::router::Mounts;

use counts::{change_count, list_counts};
use duplicates::list_duplicates;
use files::export;
use import::{commit, edit_again, read_file, show_import};
use progress::find_progress;

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config
        .service(form!("/my/collection", list_counts, change_count))
        .service(page!("/my/collection/progress", find_progress))
        .service(page!("/my/collection/duplicates", list_duplicates))
        .service(page!("/my/collection/export", export))
        .service(form!("/my/collection/import", show_import, read_file))
        .service(action!("/my/collection/import/edit", edit_again))
        .service(action!("/my/collection/import/{import}", commit));
}
