//! Card designs of players: toolkit, suggestions, checks, the caller's designs with their revisions, and the gallery.

pub mod abuse_reports;
pub mod artworks;
pub mod authors;
pub mod design_checks;
pub mod design_comments;
pub mod design_facets;
pub mod design_lifecycle;
pub mod design_lists;
pub mod design_pictures;
pub mod design_ratings;
pub mod design_releases;
pub mod design_reviews;
pub mod design_revisions;
pub mod design_suggestions;
pub mod design_toolkit;
pub mod designer_perks;
pub mod gallery;
pub mod suggested_changes;

use super::route_table::routes;
use crate::app::problem::Problem;
use crate::domain::designs::identifier::DesignCode;

routes! {
    "/v1/games/{game}/design-toolkit" => get design_toolkit::find_design_toolkit;
    "/v1/design-suggestions" => post design_suggestions::create_design_suggestion;
    "/v1/design-checks" => post design_checks::check_design;
    "/v1/designs" => get gallery::list_shared_designs, post design_lifecycle::create_design;
    "/v1/designs/{design}" => get design_lifecycle::find_design, put design_lifecycle::replace_design, delete design_lifecycle::delete_design;
    "/v1/designs/{design}/picture" => get design_pictures::draw_design_picture;
    "/v1/designs/{design}/share" => post design_lifecycle::share_design;
    "/v1/designs/{design}/withdraw" => post design_lifecycle::withdraw_design;
    "/v1/designs/{design}/submit" => post design_reviews::submit_design;
    "/v1/designs/{design}/claim" => post design_reviews::claim_design;
    "/v1/designs/{design}/return" => post design_reviews::return_design;
    "/v1/designs/{design}/decide" => post design_reviews::decide_design;
    "/v1/designs/{design}/revoke" => post design_reviews::revoke_approval;
    "/v1/designs/{design}/release" => post design_releases::release_design;
    "/v1/designs/{design}/perk" => get designer_perks::find_designer_perk, post designer_perks::grant_reserved_copy;
    "/v1/designer-perks" => get designer_perks::list_designer_perks;
    "/v1/design-reviews" => get design_reviews::list_waiting_designs;
    "/v1/designs/{design}/restore" => post design_revisions::restore_design;
    "/v1/designs/{design}/revisions" => get design_revisions::list_design_revisions;
    "/v1/designs/{design}/revisions/{revision}" => get design_revisions::find_design_revision;
    "/v1/designs/{design}/diff" => get design_revisions::compare_design_revisions;
    "/v1/abuse-reports" => get abuse_reports::list_abuse_reports, post abuse_reports::report_abuse;
    "/v1/abuse-reports/{report}" => get abuse_reports::find_abuse_report;
    "/v1/abuse-reports/{report}/decide" => post abuse_reports::decide_abuse_report;
    "/v1/designs/{design}/comments" => get design_comments::list_comments, post design_comments::create_comment;
    "/v1/designs/{design}/comments/{comment}" => get design_comments::find_comment, put design_comments::replace_comment, delete design_comments::delete_comment;
    "/v1/designs/{design}/comments/{comment}/show" => post design_comments::show_comment;
    "/v1/designs/{design}/hidden-comments" => get design_comments::list_hidden_comments;
    "/v1/designs/{design}/rating" => get design_ratings::find_own_rating, put design_ratings::rate_design, delete design_ratings::delete_own_rating;
    "/v1/designs/{design}/ratings" => get design_ratings::find_design_ratings;
    "/v1/designs/{design}/suggestions" => get suggested_changes::list_suggested_changes, post suggested_changes::create_suggested_change;
    "/v1/designs/{design}/suggestions/{suggestion}" => get suggested_changes::find_suggested_change;
    "/v1/designs/{design}/suggestions/{suggestion}/take" => post suggested_changes::take_suggested_change;
    "/v1/designs/{design}/suggestions/{suggestion}/decline" => post suggested_changes::decline_suggested_change;
    "/v1/designs/{design}/suggestions/{suggestion}/withdraw" => post suggested_changes::withdraw_suggested_change;
    "/v1/games/{game}/design-facets" => get design_facets::list_design_facets;
    "/v1/authors/{author}" => get authors::find_author;
    "/v1/artworks" => post artworks::upload_artwork;
    "/v1/artworks/{artwork}" => get artworks::download_artwork;
    "/v1/me/artworks" => get artworks::list_own_artworks;
    "/v1/me/artworks/{artwork}" => delete artworks::delete_artwork;
    "/v1/me/designs" => get design_lists::list_own_designs;
}

/// Parses the identifier in a path, in any spelling; 404 with the reason when it is invalid.
fn identifier(typed: &str) -> Result<DesignCode, Problem> {
    let unreadable = |error| {
        Problem::not_found().detail(format!("This is not the identifier of a design: {error}."))
    };
    DesignCode::parse(typed).map_err(unreadable)
}
