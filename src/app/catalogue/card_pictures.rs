//! Pictures of cards: drawn from what the viewer may see of them.

use bytes::Bytes;
use cardscape_engine::{CardDefinition, Game, PrintingDefinition};
use cardscape_pictures::{Artwork, CardFace, Picture};
use serde::Deserialize;
use utoipa::ToSchema;

use super::card_lookups::bad_query;
use super::card_migrations::{Located, follow_id};
use super::cards::freshness;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::words::must_be_one_of;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::memory::pictures::PictureChoice;
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::catalogue::cards::{self, CardView, OpenCard, Printing};
use crate::store::designs::artwork_files;

/// Format of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PictureForm {
    /// `image/svg+xml`, for browsers, in any size.
    #[default]
    Svg,
    /// `image/png`, 500 × 700 pixels.
    Png,
}

/// Draws a card in a rarity (the lowest one if none is given), with the artwork of the design it came from. All cards
/// that are hidden from the viewer have the same picture in every rarity: the back.
pub async fn draw(
    app: &AppState,
    viewer: Viewer,
    card: CardId,
    rarity: Option<&Code>,
    form: PictureForm,
) -> Result<Located<Rendered>, Problem> {
    let choice = PictureChoice {
        rarity: rarity.map(|rarity| rarity.lower_case().into_string()),
        is_png: form == PictureForm::Png,
    };
    // Open cards look the same to everybody. Editors must see their changes at once.
    let is_cacheable = !viewer.sees_all();
    if is_cacheable
        && app.card_cache.clock().is_current()
        && let Some(kept) = app.card_pictures.find(card, &choice)
    {
        return Ok(Located::Here(for_viewer(kept, viewer)));
    }
    let ticket = app.card_pictures.ticket();
    let mut conn = app.store.connection().await?;
    let Some(found) = cards::find(&conn, viewer, card).await? else {
        return follow_id(&mut conn, card).await;
    };
    let loaded = app.games.find(&mut conn, &found.place().game).await?;
    let loaded = loaded.ok_or_else(Problem::not_found)?;
    let rarity = rarity.map(|rarity| known_rarity(&loaded.game, rarity)).transpose()?;
    let open = match found {
        CardView::Open(open) => open,
        CardView::Hidden(_) => {
            let freshness = freshness(viewer, true);
            return Ok(Located::Here(render(app, Picture::back(), freshness, form).await?));
        }
    };
    let printings = cards::list_printings(&mut conn, viewer, card).await?;
    let artwork = artwork_files::read_shown_by_card(&mut conn, &open).await?;
    // Drawing needs no connection.
    drop(conn);
    let picture = face(&loaded.game, &open, printings, rarity.as_deref(), artwork.as_deref())?;
    if open.is_hidden() {
        // Content that only holders of the card may see must not be cached.
        return Ok(Located::Here(render(app, picture, Freshness::Never, form).await?));
    }
    let picture = render(app, picture, freshness(Viewer::stranger(), false), form).await?;
    // An artwork that is taken down must not be drawn even for the moment until the change feed says so.
    if is_cacheable && open.artwork.is_none() {
        app.card_pictures.insert(ticket, card, choice, picture.clone());
    }
    Ok(Located::Here(for_viewer(picture, viewer)))
}

/// The picture of an open card for a viewer: shared caches must not store responses to clients that are logged in.
fn for_viewer(picture: Rendered, viewer: Viewer) -> Rendered {
    if viewer.is_stranger() { picture } else { picture.into_private() }
}

/// Draws a picture in a form.
pub(crate) async fn render(
    app: &AppState,
    picture: Picture,
    freshness: Freshness,
    form: PictureForm,
) -> Result<Rendered, Problem> {
    let svg = picture.svg();
    let (media_type, body) = match form {
        PictureForm::Svg => ("image/svg+xml", Bytes::from(svg)),
        PictureForm::Png => ("image/png", app.pictures.png(picture, &svg).await?),
    };
    // The response has no Last-Modified: the picture changes with the game's manifest, too.
    Ok(Rendered::file(freshness, media_type, body))
}

/// Normalises a rarity code; 400 when the game has no such rarity, whether or not the card is hidden.
pub(crate) fn known_rarity(game: &Game, rarity: &Code) -> Result<String, Problem> {
    let code = rarity.lower_case().into_string();
    if game.rarity(&code).is_some() {
        return Ok(code);
    }
    let known = game.rarities().iter().map(|rarity| rarity.code.as_str());
    Err(bad_query("?rarity", must_be_one_of(&code, known)))
}

/// Draws the face of a card; 404 when the card has no printing of that rarity.
fn face(
    game: &Game,
    card: &OpenCard,
    printings: Vec<Printing>,
    rarity: Option<&str>,
    artwork: Option<&[u8]>,
) -> Result<Picture, Problem> {
    let printings = printings.into_iter().map(|Printing { rarity, attributes, .. }| {
        PrintingDefinition { rarity, attributes: attributes.into() }
    });
    let definition = CardDefinition {
        number: card.place.number.as_str().to_owned(),
        name: card.name.clone(),
        kind: card.kind.to_string(),
        attributes: card.attributes.read().map_err(Problem::internal)?.into(),
        effects: card.effects.read().map_err(Problem::internal)?,
        lore: card.lore.clone(),
        printings: printings.collect(),
    };
    let mut rarities = definition.printings.iter().map(|printing| printing.rarity.as_str());
    let rarity = match rarity {
        None => rarities.next(),
        Some(named) => {
            let found = rarities.find(|rarity| *rarity == named);
            let lacking =
                "The card does not exist in this rarity: its printings list its rarities.";
            Some(found.ok_or_else(|| Problem::not_found().detail(lacking))?)
        }
    };
    let mut face = CardFace::from_definition(game, &definition, &card.place.set, rarity);
    face.artwork = artwork.map(Artwork::new).transpose().map_err(Problem::internal)?;
    Ok(Picture::card(&face))
}
