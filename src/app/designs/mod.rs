//! Card designs of players: checking, storing revisions, sharing, review, feedback and the gallery.

pub mod abuse_reports;
pub mod alike;
pub mod artwork_files;
pub mod artworks;
pub mod authors;
pub mod design_bodies;
pub mod design_checks;
pub mod design_facets;
pub mod design_lifecycle;
pub mod design_lists;
pub mod design_pictures;
pub mod design_ratings;
pub mod design_releases;
pub mod design_reviews;
pub mod design_revisions;
pub mod design_sentences;
pub mod design_suggestions;
pub mod design_toolkit;
pub mod designer_perks;
pub mod gallery;
pub mod likeness;
pub mod reported_designs;
mod step_problems;
pub mod suggested_changes;
pub mod toolkit_parts;
