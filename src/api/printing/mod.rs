//! Print runs, plans, commitments, statistics, minting.

pub mod print_commitments;
pub mod print_plans;
pub mod print_runs;
pub mod print_statistics;

use super::routes::routes;

routes! {
    "/v1/print-runs" => get print_runs::list_print_runs;
    "/v1/print-runs/{run}" => get print_runs::find_print_run;
    "/v1/games/{game}/sets/{set}/print-plans" => post print_plans::create_print_plan;
    "/v1/games/{game}/sets/{set}/print-commitments" => get print_commitments::list_print_commitments, post print_commitments::create_print_commitment;
    "/v1/games/{game}/sets/{set}/print-statistics" => get print_statistics::find_print_statistics;
    "/v1/print-commitments/{commitment}" => get print_commitments::find_print_commitment;
    "/v1/print-commitments/{commitment}/reveal" => put print_commitments::reveal_print_commitment;
}
