//! Paths of the pages for moderators and admins of designs.

use crate::app::designs::design_bodies::DesignResponse;
use crate::domain::designs::status::{DesignStatus, DesignStep};

pub(super) const QUEUE: &str = "/reviews/designs";
pub(super) const APPROVED: &str = "/reviews/designs?status=approved";

pub(super) fn review_path(design: &str) -> String {
    format!("{QUEUE}/{design}")
}

/// The page that releases a design.
pub(super) fn release_path(design: &str) -> String {
    format!("{}/release", review_path(design))
}

/// Whether the design can be released, by the table of statuses. A design that is a hidden card already keeps the status.
pub(super) fn may_be_released(design: &DesignResponse) -> bool {
    let status = DesignStatus::parse(design.status);
    let after = status.and_then(|status| status.after(DesignStep::Release));
    design.card.is_none() && after.is_some()
}
