//! Player-made card designs: what they say, revision by revision, who sees what of them, and designs that are like others.

pub mod abuse_reports;
pub mod artwork_files;
pub mod artworks;
pub mod authors;
pub mod design_changes;
pub mod design_lifecycle;
pub mod design_lists;
pub mod design_ratings;
pub mod design_releases;
pub mod design_reviews;
pub mod design_search;
pub mod designer_rewards;
pub mod gallery;
pub mod likeness;
pub mod revisions;
pub mod suggested_changes;
mod takedowns;

use crate::auth::permission::{GiveFeedback, ReadOwnDesigns, WriteOwnDesigns};

/// Whether everybody sees the newest revision of a design, from `designs d JOIN accounts a`: it is in the gallery, and takes feedback.
pub(super) const EVERYBODY_SEES: &str = "d.listed AND a.banned_at IS NULL";

/// Permissions with which the own designs are seen: to read them, and to change them, because a change is answered with the design.
pub trait SeesOwnDesigns {}

impl SeesOwnDesigns for ReadOwnDesigns {}
impl SeesOwnDesigns for WriteOwnDesigns {}
impl SeesOwnDesigns for GiveFeedback {}
