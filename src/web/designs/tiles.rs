//! Designs in grids.

use cardscape_engine::Game;

use super::design_path;
use super::words as design_words;
use crate::app::designs::design_lists::DesignSummaryResponse;
use crate::web::catalogue::kind_name;

/// A design in a grid.
pub(super) struct DesignTile {
    pub(super) path: String,
    pub(super) picture: String,
    pub(super) name: String,
    /// The kind; on own designs, also the status.
    pub(super) about: String,
    pub(super) author: String,
    /// A summary of ratings and comments; empty: there are none.
    pub(super) feedback: String,
}

impl DesignTile {
    /// The tile of a shared design.
    pub(super) fn new(game: Option<&Game>, design: DesignSummaryResponse) -> Self {
        let kind = match game {
            Some(game) => kind_name(game, &design.kind),
            None => design.kind.clone(),
        };
        let about = match design.status {
            "official" | "approved" => design_words::kind_and_status(&kind, design.status),
            _ => kind,
        };
        Self {
            path: design_path(&design.id),
            picture: design.image_uris.svg,
            about,
            author: design_words::by(&design.author),
            feedback: design_words::feedback(
                design.rating,
                design.rating_count,
                design.comment_count,
            ),
            name: design.name,
        }
    }

    /// The tile of a design for its author, with its status.
    pub(super) fn own(game: Option<&Game>, design: DesignSummaryResponse) -> Self {
        let (id, status) = (design.id.clone(), design.status);
        let tile = Self::new(game, design);
        Self {
            picture: format!("{}/picture", design_path(&id)),
            about: design_words::status(status).to_owned(),
            author: String::new(),
            name: design_words::name_of(&tile.name),
            ..tile
        }
    }
}
