//! Pictures of designs: drawn from the revision that the reader may see.

use cardscape_pictures::{CardFace, Picture};

use super::design_lifecycle::find_stored;
use crate::app::catalogue::card_pictures::{PictureForm, known_rarity, render};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns};
use crate::domain::code::Code;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::markup::to_text;
use crate::memory::rendered::{Freshness, Rendered};

/// What stands where cards have their set.
const NO_SET: &str = "design";

/// Draws a design in a rarity, in the lowest one if none is named.
pub async fn draw(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDesigns>>,
    code: DesignCode,
    rarity: Option<&Code>,
    form: PictureForm,
) -> Result<Rendered, Problem> {
    let stored = find_stored(app, reader, code).await?;
    let is_own = reader.is_some_and(|reader| reader.account() == stored.design.account_id);
    let loaded = app.named_game(&stored.design.game_code).await?.map_err(Problem::internal)?;
    let rarity = rarity.map(|rarity| known_rarity(&loaded.game, rarity)).transpose()?;
    let content = stored.into_content();
    let mut definition = content.definition(&loaded.game);
    definition.number = code.to_string();
    // What is printed in italics: the line of flavour, or, without one, the background.
    definition.lore = content.flavour.or_else(|| content.lore.as_deref().map(to_text));
    let face = CardFace::from_definition(&loaded.game, &definition, NO_SET, rarity.as_deref());
    // What only its author sees is in no cache. Others see what may be withdrawn or revised at any moment.
    let freshness = if is_own { Freshness::Never } else { Freshness::Private };
    render(app, Picture::card(&face), freshness, form).await
}
