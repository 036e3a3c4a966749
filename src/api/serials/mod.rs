//! Submissions, batches, reviews, unlocks, unlock policies, community.

pub mod community;
pub mod submission_batches;
pub mod submission_reviews;
pub mod submissions;
pub mod unlock_policies;
pub mod unlocks;

use super::routes::routes;

routes! {
    "/v1/me/leaderboard" => put community::change_listing;
    "/v1/submissions" => get submissions::list_submissions, post submissions::create_submission;
    "/v1/submissions/batch" => post submission_batches::create_submissions;
    "/v1/submissions/{submission}" => get submissions::find_submission;
    "/v1/submissions/{submission}/review" => put submission_reviews::review_submission;
    "/v1/submission-reviews" => get submission_reviews::list_waiting_submissions;
    "/v1/games/{game}/unlock-policy" => get unlock_policies::find_game_policy, put unlock_policies::set_game_policy, delete unlock_policies::remove_game_policy;
    "/v1/games/{game}/sets/{set}/unlock-policy" => get unlock_policies::find_set_policy, put unlock_policies::set_set_policy, delete unlock_policies::remove_set_policy;
    "/v1/games/{game}/sets/{set}/unlocks" => get unlocks::list_set_unlocks, post unlocks::unlock_set;
    "/v1/statistics/unlocks" => get community::find_unlock_statistics;
    "/v1/statistics/leaderboard" => get community::find_leaderboard;
    "/v1/unlocks" => get unlocks::list_unlocks;
    "/v1/cards/{card}/unlock" => get unlocks::find_unlock, post unlocks::unlock_card;
}
