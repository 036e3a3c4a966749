//! Counts, imports, progress.

pub mod collection_imports;
pub mod collection_progress;
pub mod counts;

use super::routes::routes;

routes! {
    "/v1/collection" => get counts::list_collection;
    "/v1/collection/changes" => post counts::change_counts;
    "/v1/collection/imports" => post collection_imports::read_import;
    "/v1/collection/imports/{import}/commit" => post collection_imports::commit_import;
    "/v1/collection/export" => get collection_imports::export_collection;
    "/v1/collection/completion" => get collection_progress::find_completion;
    "/v1/collection/duplicates" => get collection_progress::list_duplicates;
    "/v1/collection/{printing}" => put counts::set_count;
}
