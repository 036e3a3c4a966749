//! Everything that a page shows about a revision of a deck, as far as the reader may see it.

use std::collections::BTreeMap;

use cardscape_engine::{CardReference, Catalogue, DeckEntry, Game, name_key};
use chrono::{DateTime, Utc};

use super::deck_cards::{Requester, catalogue_of};
use super::deck_lists::find_seen;
use super::deck_responses::VersionedDeck;
use super::deck_revisions::{SeenRevision, comparable_entries, find_merged, find_seen_revision};
use super::deck_sheets::{DeckSheet, SheetCard, card_of, rarity_name};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::diff::{CardDifference, differences};
use crate::domain::ids::{CardId, DeckId};
use crate::store::decks::deck_revisions;

/// A revision of a deck, with its cards and the differences to other revisions.
pub struct RevisionOverview {
    /// The deck as it is now.
    pub deck: VersionedDeck,
    /// The game of the revision.
    pub game: Game,
    /// The name of the deck in this revision.
    pub name: String,
    /// The format of the deck in this revision.
    pub format: String,
    /// The cards of the revision, by zone and kind.
    pub sheet: DeckSheet,
    /// Cards in all zones together.
    pub card_count: u64,
    /// When the revision was saved.
    pub created_at: DateTime<Utc>,
    /// Changes since the previous revision; `None`: there is no earlier revision that the reader may see.
    pub since: Option<RevisionChanges>,
    /// Changes up to the newest revision; `None`: this is the newest revision.
    pub until: Option<RevisionChanges>,
}

/// The differences between two revisions.
pub struct RevisionChanges {
    /// Number of the other revision.
    pub revision: i64,
    /// The cards whose number of copies differs, in the order in which the decks name them; `None`: the revisions are for different games, which have no
    /// cards in common.
    pub cards: Option<Vec<ChangedCard>>,
}

/// A card whose number of copies differs between two revisions.
pub struct ChangedCard {
    /// The card, as far as the reader may see it.
    pub card: SheetCard,
    /// Name of the rarity, where the decks name one.
    pub rarity: Option<String>,
    /// Copies by zone, for the zones where they differ.
    pub zones: Vec<ZoneCounts>,
    key: (Option<CardId>, String, CardReference),
}

/// Copies of a card in a zone.
pub struct ZoneCounts {
    /// Code of the zone; a word that means no zone of the game, as the decks write it.
    pub zone: String,
    /// In the earlier deck.
    pub before: u64,
    /// In the later deck.
    pub after: u64,
}

/// Finds a revision of a deck that the reader may see.
pub async fn find(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    (id, number): (DeckId, i64),
) -> Result<RevisionOverview, Problem> {
    let eyes = (requester.0, reader);
    let mut conn = StepConnection::new(&app.store);
    let newest = find_seen(app, &mut conn, eyes, id).await?;
    let shown = find_seen_revision(app, &mut conn, eyes, id, number).await?;
    let previous = deck_revisions::previous(conn.get().await?, reader, id, number).await?;
    let previous = match previous {
        Some(number) => Some(find_seen_revision(app, &mut conn, eyes, id, number).await?),
        None => None,
    };
    let loaded = app.named_game_on(&mut conn, shown.content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    let game = loaded.game.clone();
    let contents = [&shown.content, &newest.content].into_iter();
    let contents = contents.chain(previous.as_ref().map(|before| &before.content));
    let merged = find_merged(app, &mut conn, contents).await?;
    drop(conn);
    let since = previous
        .map(|before| (before.revision, between(&game, &before.content, &shown.content, &merged)));
    let until = (number < newest.row.revision)
        .then(|| (newest.row.revision, between(&game, &shown.content, &newest.content, &merged)));

    let SeenRevision { content, masks, created_at, .. } = shown;
    let changed = [&since, &until].into_iter().flatten().filter_map(|(_, cards)| cards.as_ref());
    let catalogue = catalogue(app, requester, &game, &content, changed.flatten()).await?;
    let changes = |(revision, cards)| RevisionChanges {
        revision,
        cards: Option::map(cards, |cards| changed_cards(&game, &catalogue, cards)),
    };
    Ok(RevisionOverview {
        deck: newest.into(),
        name: content.name.as_str().to_owned(),
        format: content.format.to_string(),
        card_count: content.card_count(),
        sheet: DeckSheet::new(&game, &content.deck, &masks, &catalogue),
        since: since.map(changes),
        until: until.map(changes),
        created_at,
        game,
    })
}

/// The differences between two revisions, one of which is of this game; `None`: they belong to different games.
fn between(
    game: &Game,
    before: &DeckContent,
    after: &DeckContent,
    merged: &BTreeMap<CardId, CardId>,
) -> Option<Vec<CardDifference>> {
    let is_one_game = before.format.game() == after.format.game();
    let entries = |content| comparable_entries(game, content, merged);
    is_one_game.then(|| differences(&entries(before), &entries(after)))
}

/// The cards of a deck and of its differences to other revisions, as far as the viewer may see them.
async fn catalogue(
    app: &AppState,
    requester: Requester,
    game: &Game,
    content: &DeckContent,
    changed: impl Iterator<Item = &CardDifference>,
) -> Result<Catalogue, Problem> {
    let mut mentioned = content.deck.clone();
    let mut bound: Vec<Option<CardId>> = content.bound_entries().map(|(_, card)| card).collect();
    for one in changed {
        let (zone, card) = (one.zone.clone(), one.card.clone());
        mentioned.entries.push(DeckEntry { zone, quantity: 1, card, copies: Vec::new() });
        bound.push(one.card_id);
    }
    catalogue_of(app, requester, game, &mentioned, &bound).await
}

/// The differences, each card once with all its zones.
fn changed_cards(
    game: &Game,
    catalogue: &Catalogue,
    differences: Vec<CardDifference>,
) -> Vec<ChangedCard> {
    let mut cards: Vec<ChangedCard> = Vec::new();
    for CardDifference { zone, card: written, card_id, before, after } in differences {
        let counts = ZoneCounts { zone, before, after };
        let name = name_key(&written.name);
        let place = CardReference { name: String::new(), ..written.clone() };
        // A card has the same id, or the same name, in all zones.
        let key = (card_id, if card_id.is_some() { String::new() } else { name }, place);
        if let Some(known) = cards.iter_mut().find(|known| known.key == key) {
            known.zones.push(counts);
            continue;
        }
        let is_hidden = card_id.is_some() && written.name.is_empty();
        let (_, card) = card_of(&written, is_hidden, catalogue);
        let rarity = rarity_name(game, &written);
        cards.push(ChangedCard { card, rarity, zones: vec![counts], key });
    }
    cards
}
