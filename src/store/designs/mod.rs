//! Card designs of players: their revisions, who may see what, and similar designs.

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
pub mod first_evidence;
pub mod gallery;
pub mod gallery_entries;
pub mod likeness;
pub(super) mod released_cards;
pub mod reported_decks;
pub mod reported_designs;
pub mod reserved_names;
pub mod revisions;
pub mod suggested_changes;
mod takedowns;

use crate::auth::permission::{
    GiveFeedback, Granted, ReadOwnDesigns, ReviewDesigns, Viewer, WriteOwnDesigns,
};

/// Whether the newest revision of a design is public, from `designs d JOIN accounts a`: then it is in the gallery, and
/// accepts feedback.
pub(super) const EVERYBODY_SEES: &str = "d.listed AND a.banned_at IS NULL";

/// The revision of `designs d` that moderators see, also while the author is banned, because they decide reports about
/// it; NULL: none. What was submitted cannot be changed meanwhile; what was taken down may never have been shared.
const MODERATORS_SEE: &str = "CASE WHEN d.status IN ('submitted', 'in_review', 'approved') THEN d.revision \
     WHEN d.taken_down_at IS NOT NULL THEN coalesce(d.public_revision, d.revision) ELSE d.public_revision END";

/// A moderator who reads a design, and what this moderator sees of hidden cards: with a token that does not show hidden
/// cards, a design does not show which hidden card it became.
#[derive(Clone, Copy, Debug)]
pub struct DesignReviewer(Viewer);

impl DesignReviewer {
    /// A moderator who sees the cards that `viewer` sees.
    pub fn new(_by: &Granted<ReviewDesigns>, viewer: Viewer) -> Self {
        Self(viewer)
    }

    /// Whether the moderator sees all hidden cards.
    fn sees_all_cards(self) -> bool {
        self.0.sees_all()
    }
}

/// Permissions with which accounts see their own designs: for reading, and for changing, because a change returns the
/// design.
pub trait SeesOwnDesigns {}

impl SeesOwnDesigns for ReadOwnDesigns {}
impl SeesOwnDesigns for WriteOwnDesigns {}
impl SeesOwnDesigns for GiveFeedback {}
