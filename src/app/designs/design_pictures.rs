//! Pictures of designs, drawn from the revision that the reader may see.

use cardscape_pictures::{Artwork, CardFace, Picture};

use super::design_bodies::{DesignRequest, ParsedDesign, parse};
use super::design_lifecycle::find_stored;
use crate::app::catalogue::card_pictures::{PictureForm, known_rarity, render};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnDesigns, Viewer};
use crate::domain::code::Code;
use crate::domain::designs::artwork::{ArtworkId, RenditionSize};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::release::to_card;
use crate::memory::pictures::PictureKey;
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::designs::{DesignReviewer, artwork_files};

/// Text in place of a card's set.
const NO_SET: &str = "design";

/// Draws a design in a rarity; without one, in the lowest rarity.
pub async fn draw(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDesigns>>,
    reviewer: Option<DesignReviewer>,
    code: DesignCode,
    rarity: Option<&Code>,
    form: PictureForm,
) -> Result<Rendered, Problem> {
    let key = cache_key(app, code, rarity, form).await?;
    if let Some(kept) = key.as_ref().and_then(|key| app.design_pictures.find(key)) {
        return Ok(kept);
    }
    let mut conn = StepConnection::new(&app.store);
    let stored = find_stored(&mut conn, reader, reviewer, code).await?;
    let loaded = app.named_game_on(&mut conn, &stored.design.game_code).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    let rarity = rarity.map(|rarity| known_rarity(&loaded.game, rarity)).transpose()?;
    // Pictures that not everybody may see must not be cached. A shared design may be withdrawn or revised at any time,
    // so only private caches may keep its picture.
    let is_public = stored.is_public();
    let freshness = if is_public { Freshness::Private } else { Freshness::Never };
    let artwork = match stored.content().artwork {
        Some(_) => artwork_files::read_shown(conn.get().await?, &stored).await?,
        None => None,
    };
    drop(conn);
    let (stored_revision, has_artwork) =
        (stored.shown_revision, stored.content().artwork.is_some());
    let content = stored.into_content();
    let definition = to_card(&content, &loaded.game, &code.to_string());
    let mut face = CardFace::from_definition(&loaded.game, &definition, NO_SET, rarity.as_deref());
    let artwork = artwork.as_deref().map(Artwork::new).transpose();
    face.artwork = artwork.map_err(Problem::internal)?;
    let picture = render(app, Picture::card(&face), freshness, form).await?;
    // The artwork of a design may be taken down, so a picture that contains one is not cached.
    let is_of = |key: &PictureKey| {
        key.revision == stored_revision && key.game_revision == loaded.revision && !has_artwork
    };
    if let Some(key) = key.filter(|key| is_public && is_of(key)) {
        app.design_pictures.insert(key, picture.clone().into_cached());
    }
    Ok(picture)
}

/// Draws a design that is not stored, in its author's current state. The picture must not be cached.
pub async fn sketch(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    request: DesignRequest,
    rarity: Option<&Code>,
) -> Result<Rendered, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let ParsedDesign { game, content } = parse(app, &mut conn, request).await?;
    drop(conn);
    let rarity = rarity.map(|rarity| known_rarity(&game.game, rarity)).transpose()?;
    let artwork = match &content.artwork {
        Some(artwork) => read_own_artwork(app, by, artwork.id).await?,
        None => None,
    };
    let definition = to_card(&content, &game.game, "");
    let mut face = CardFace::from_definition(&game.game, &definition, NO_SET, rarity.as_deref());
    let artwork = artwork.as_deref().map(Artwork::new).transpose();
    face.artwork = artwork.map_err(Problem::internal)?;
    render(app, Picture::card(&face), Freshness::Never, PictureForm::Svg).await
}

/// The small file of an artwork that this reader may see; `None`: there is none.
async fn read_own_artwork(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    id: ArtworkId,
) -> Result<Option<Vec<u8>>, Problem> {
    let mut conn = app.store.connection().await?;
    let (viewer, size) = (Viewer::stranger(), RenditionSize::Small);
    let file = artwork_files::find(&mut conn, viewer, Some(by), None, id, size).await?;
    match file.filter(|file| !file.is_removed) {
        Some(file) => Ok(Some(file.read(&mut conn, 0, i32::MAX).await?)),
        None => Ok(None),
    }
}

/// The cache key of the picture, if everybody sees the newest revision of the design, because then its author and
/// moderators see the same picture.
async fn cache_key(
    app: &AppState,
    code: DesignCode,
    rarity: Option<&Code>,
    form: PictureForm,
) -> Result<Option<PictureKey>, Problem> {
    let Some((game, revision)) = app.listed_designs.shown(code) else { return Ok(None) };
    let Ok(loaded) = app.named_game(&game).await? else { return Ok(None) };
    Ok(Some(PictureKey {
        code,
        revision,
        game_revision: loaded.revision,
        rarity: rarity.map(|rarity| known_rarity(&loaded.game, rarity)).transpose()?,
        is_png: form == PictureForm::Png,
    }))
}
