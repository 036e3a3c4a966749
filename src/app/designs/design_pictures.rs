//! Pictures of designs: drawn from the revision that the reader may see.

use cardscape_pictures::{Artwork, CardFace, Picture};

use super::design_lifecycle::find_stored;
use crate::app::catalogue::card_pictures::{PictureForm, known_rarity, render};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns, ReviewDesigns};
use crate::domain::code::Code;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::release::to_card;
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::designs::artwork_files;

/// What stands where cards have their set.
const NO_SET: &str = "design";

/// Draws a design in a rarity, in the lowest one if none is named.
pub async fn draw(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDesigns>>,
    reviewer: Option<&Granted<ReviewDesigns>>,
    code: DesignCode,
    rarity: Option<&Code>,
    form: PictureForm,
) -> Result<Rendered, Problem> {
    let stored = find_stored(app, reader, reviewer, code).await?;
    let loaded = app.named_game(&stored.design.game_code).await?.map_err(Problem::internal)?;
    let rarity = rarity.map(|rarity| known_rarity(&loaded.game, rarity)).transpose()?;
    // What not everybody sees is in no cache. What was shared may be withdrawn or revised at any moment.
    let is_public = stored.design.public_revision == Some(stored.shown_revision)
        && stored.taken_down_at.is_none();
    let freshness = if is_public { Freshness::Private } else { Freshness::Never };
    let artwork = match stored.content().artwork {
        Some(_) => artwork_files::read_shown(&mut *app.store.connection().await?, &stored).await?,
        None => None,
    };
    let content = stored.into_content();
    let definition = to_card(&content, &loaded.game, &code.to_string());
    let mut face = CardFace::from_definition(&loaded.game, &definition, NO_SET, rarity.as_deref());
    let artwork = artwork.as_deref().map(Artwork::new).transpose();
    face.artwork = artwork.map_err(Problem::internal)?;
    render(app, Picture::card(&face), freshness, form).await
}
