//! Player-made card designs: what they say, revision by revision, who sees what of them, and designs that are like others.

pub mod artwork_files;
pub mod artworks;
pub mod daily_counts;
pub mod design_lifecycle;
pub mod design_lists;
pub mod design_releases;
pub mod design_reviews;
pub mod likeness;
pub mod revisions;

use crate::auth::permission::{ReadOwnDesigns, WriteOwnDesigns};

/// Permissions with which the own designs are seen: to read them, and to change them, because a change is answered with the design.
pub trait SeesOwnDesigns {}

impl SeesOwnDesigns for ReadOwnDesigns {}
impl SeesOwnDesigns for WriteOwnDesigns {}
