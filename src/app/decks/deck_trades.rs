//! The effect of a trade on the decks of one of its two players. The response reveals nothing about the other player except what the trade itself shows.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{Game, name_key};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{BoundEntries, Requester, rename_entries};
use super::deck_holdings::{NamedCard, find_named, mentions, names_of, owned_printings};
use crate::app::copies::trade_responses::TradeResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks, ReadTrades};
use crate::domain::copies::trade::{TradeRole, TradeState};
use crate::domain::decks::allocation::{OwnedPrinting, card_key};
use crate::domain::decks::reservation::{Reservation, in_effect, quantities};
use crate::domain::decks::trade_effect::{
    BeforeAndAfter, CardEffect, MAX_DECKS_LISTED, MAX_ENTRIES_LISTED,
};
use crate::domain::ids::{CardId, DeckId, PrintingId, TradeId};
use crate::store::Connection;
use crate::store::copies::trades::{self, TradeRow, TradedCopy};
use crate::store::decks::deck_ownership::{self, HeldEntry, PrintingRow};
use crate::store::decks::deck_pool;
use crate::store::decks::deck_reservations::{self, ReservedRow};

/// The effect of a trade on your decks.
#[derive(Serialize, ToSchema)]
pub struct TradeDecksResponse {
    /// State of the trade: `open`, `accepted`, `declined`, `cancelled`, `countered`, `lapsed` or `expired`.
    #[schema(example = "open")]
    pub state: &'static str,
    /// Whether the copies can still be exchanged: the trade is open, and each of its copies can be given. If not, `decks` is empty.
    pub possible: bool,
    /// Your decks on which the trade has an effect, those with the largest effect first: at most 100 decks, with at most 10,000 entries together.
    pub decks: Vec<TradeDeckResponse>,
    /// Number of further decks that are not listed.
    #[schema(example = 0)]
    pub decks_left_out: usize,
    /// Number of your decks that were not compared, because an older version of the service saved them. They are compared once they are saved again.
    #[schema(example = 0)]
    pub decks_not_compared: i64,
}

/// The effect of a trade on one of your decks.
#[derive(Serialize, ToSchema)]
pub struct TradeDeckResponse {
    /// Id of the deck.
    pub deck_id: Uuid,
    /// Name of the deck.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// Needed copies that you do not own now.
    #[schema(example = 5)]
    pub missing_now: u64,
    /// Needed copies that you would not own after the trade.
    #[schema(example = 3)]
    pub missing_after: u64,
    /// Cards of which fewer copies would be missing.
    pub closes: Vec<ClosedGapResponse>,
    /// Cards of which more copies would be missing, or of which you would give away copies that are reserved for the deck.
    pub opens: Vec<OpenedGapResponse>,
}

/// A card of which fewer copies would be missing in a deck.
#[derive(Serialize, ToSchema)]
pub struct ClosedGapResponse {
    /// Name of the card.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Id of the card. If several cards have the name, the id of the first one.
    pub card_id: Uuid,
    /// Number of copies that would no longer be missing.
    #[schema(example = 2, minimum = 1)]
    pub copies: u64,
}

/// A card of which more copies would be missing in a deck, or fewer would be reserved for it.
#[derive(Serialize, ToSchema)]
pub struct OpenedGapResponse {
    /// Name of the card.
    #[schema(example = "Bellows Smith")]
    pub name: String,
    /// Id of the card. If several cards have the name, the id of the first one.
    pub card_id: Uuid,
    /// Number of further copies that would be missing; 0: you own enough other copies.
    #[schema(example = 1)]
    pub copies: u64,
    /// Number of copies that would no longer be reserved for the deck.
    #[schema(example = 1)]
    pub reserved: u64,
}

/// A traded copy of a card that the caller may see.
struct MovedCopy {
    game: String,
    name: String,
    card: CardId,
    rarity: String,
    /// Whether the caller receives the copy; otherwise the caller gives it.
    is_got: bool,
}

impl MovedCopy {
    /// The number of the caller's copies after this copy was traded.
    fn of(&self, copies: u64) -> u64 {
        if self.is_got { copies + 1 } else { copies.saturating_sub(1) }
    }
}

/// The traded copies whose cards the caller may see. Received copies come before given ones, so that a count never has to go below 0 in between.
fn moved_copies(copies: Vec<TradedCopy>, role: TradeRole) -> Vec<MovedCopy> {
    let moved = |TradedCopy { copy, given, .. }: TradedCopy| {
        Some(MovedCopy {
            game: copy.game,
            name: copy.name?,
            card: copy.card,
            rarity: copy.rarity?,
            is_got: given == (role == TradeRole::Recipient),
        })
    };
    let mut moved: Vec<MovedCopy> = copies.into_iter().filter_map(moved).collect();
    moved.sort_by_key(|copy| !copy.is_got);
    moved
}

/// The caller and the permissions to read the collection and the decks.
struct Reader {
    collection: Granted<ReadOwnCollection>,
    decks: Granted<ReadOwnDecks>,
    requester: Requester,
}

/// The caller's copies of cards of a game, before and after the trade.
struct Stock {
    cards: BTreeMap<CardId, NamedCard>,
    owned: Vec<OwnedPrinting>,
    /// The first card of each name, by [`name_key`].
    first_cards: BTreeMap<String, (CardId, String)>,
    /// Copies by [`name_key`] of the card's name.
    copies: BTreeMap<String, BeforeAndAfter>,
}

impl Stock {
    /// Finds the cards with these names.
    async fn find(
        app: &AppState,
        conn: &mut StepConnection<'_>,
        reader: &Reader,
        game: &Game,
        names: BTreeSet<String>,
        moved: &[&MovedCopy],
    ) -> Result<Self, Problem> {
        let cards = find_named(app, conn, reader.requester, game, &mentions(names)).await?;
        let ids: Vec<CardId> = cards.keys().copied().collect();
        let owned = deck_ownership::owned(conn.get().await?, &reader.collection, &ids).await?;
        let owned = owned_printings(owned, &cards);
        let mut copies: BTreeMap<String, BeforeAndAfter> = BTreeMap::new();
        for printing in &owned {
            let count = copies.entry(name_key(&printing.name)).or_default();
            count.before += printing.quantity;
            count.after += printing.quantity;
        }
        for copy in moved {
            let count = copies.entry(name_key(&copy.name)).or_default();
            count.after = copy.of(count.after);
        }
        let mut first_cards = BTreeMap::new();
        for (id, card) in &cards {
            first_cards.entry(name_key(&card.name)).or_insert_with(|| (*id, card.name.clone()));
        }
        Ok(Self { cards, owned, first_cards, copies })
    }

    fn of(&self, key: &str) -> BeforeAndAfter {
        self.copies.get(key).copied().unwrap_or_default()
    }
}

/// A deck that a trade affects.
struct Affected {
    deck: DeckId,
    name: String,
    weight: u64,
    closes: Vec<ClosedGapResponse>,
    opens: Vec<OpenedGapResponse>,
}

/// The permissions to read the caller's collection and decks, or why they are denied. They are checked only after the trade is found.
type Reads = (Result<Granted<ReadOwnCollection>, Problem>, Result<Granted<ReadOwnDecks>, Problem>);

/// Finds the effect of a trade on the decks of the caller, who must be one of its two players.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadTrades>,
    reads: Reads,
    requester: Requester,
    id: TradeId,
) -> Result<TradeDecksResponse, Problem> {
    let (trade, copies) = find_trade(app, by, requester, id).await?;
    compare(app, by, reads, requester, (&trade, copies)).await
}

/// Finds a trade with its effect on the caller's decks; `None`: the trade is closed.
pub async fn find_with_trade(
    app: &AppState,
    by: &Granted<ReadTrades>,
    reads: Reads,
    requester: Requester,
    id: TradeId,
) -> Result<(TradeResponse, Option<TradeDecksResponse>), Problem> {
    let (trade, copies) = find_trade(app, by, requester, id).await?;
    let decks = if trade.state == TradeState::Open {
        Some(compare(app, by, reads, requester, (&trade, copies.clone())).await?)
    } else {
        None
    };
    Ok((TradeResponse::new(trade, copies, by.account()), decks))
}

async fn find_trade(
    app: &AppState,
    by: &Granted<ReadTrades>,
    (viewer, _): Requester,
    id: TradeId,
) -> Result<(TradeRow, Vec<TradedCopy>), Problem> {
    let mut conn = app.store.connection().await?;
    let found = trades::find(&mut conn, by, viewer, id, app.clock.now()).await?;
    found.ok_or_else(Problem::not_found)
}

/// Compares the caller's decks before and after a trade.
async fn compare(
    app: &AppState,
    by: &Granted<ReadTrades>,
    (collection, decks): Reads,
    requester: Requester,
    (trade, copies): (&TradeRow, Vec<TradedCopy>),
) -> Result<TradeDecksResponse, Problem> {
    let reader = Reader { collection: collection?, decks: decks?, requester };
    let possible = trade.state == TradeState::Open && copies.iter().all(|copy| copy.available);
    let mut answer = TradeDecksResponse {
        state: trade.state.as_str(),
        possible,
        decks: Vec::new(),
        decks_left_out: 0,
        decks_not_compared: 0,
    };
    if !possible {
        return Ok(answer);
    }
    let moved = moved_copies(copies, trade.role(by.account()));
    let mut by_game: BTreeMap<&str, Vec<&MovedCopy>> = BTreeMap::new();
    for copy in &moved {
        by_game.entry(&copy.game).or_default().push(copy);
    }
    let mut affected = Vec::new();
    for (game, moved) in &by_game {
        affected.extend(find_affected(app, &reader, game, moved).await?);
    }
    affected.sort_by_key(|one| (std::cmp::Reverse(one.weight), one.deck));
    let all = affected.len();
    affected.truncate(MAX_DECKS_LISTED);
    let missing = count_missing(app, &reader, &by_game, &mut affected).await?;
    answer.decks_left_out = all - affected.len();
    let effect_of = |Affected { deck, name, closes, opens, .. }: Affected| {
        let missing = missing.get(&deck).copied().unwrap_or_default();
        TradeDeckResponse {
            deck_id: deck.0,
            name,
            missing_now: missing.before,
            missing_after: missing.after,
            closes,
            opens,
        }
    };
    answer.decks = affected.into_iter().map(effect_of).collect();
    let mut conn = app.store.connection().await?;
    answer.decks_not_compared =
        deck_ownership::count_unbound(&mut conn, &reader.decks, None).await?;
    Ok(answer)
}

/// How many copies of a card a deck needs, and how many are reserved for it.
#[derive(Default)]
struct Share {
    needed: u64,
    reserved: BeforeAndAfter,
}

/// The caller's decks on which the trade of cards of one game has an effect: decks that contain these cards, or have reserved copies of them.
async fn find_affected(
    app: &AppState,
    reader: &Reader,
    game: &str,
    moved: &[&MovedCopy],
) -> Result<Vec<Affected>, Problem> {
    let loaded = app.named_game(game).await?.map_err(Problem::internal)?;
    let names = moved.iter().map(|copy| copy.name.clone()).collect();
    let mut conn = StepConnection::new(&app.store);
    let stock = Stock::find(app, &mut conn, reader, &loaded.game, names, moved).await?;
    let ids: Vec<CardId> = stock.cards.keys().copied().collect();
    let conn = conn.get().await?;
    let needs = deck_ownership::needs(conn, &reader.decks, &ids).await?;
    let rows = deck_reservations::of_cards(conn, &reader.decks, &ids).await?;
    let printings = deck_ownership::printings(conn, &ids).await?;
    let mut after = quantities(&stock.owned);
    for copy in moved {
        let is_it = |printing: &&PrintingRow| {
            printing.card_id == copy.card && printing.rarity == copy.rarity
        };
        let Some(printing) = printings.iter().find(is_it) else { continue };
        let count = after.entry(printing.id).or_default();
        *count = copy.of(*count);
    }
    let key_of = |card: &CardId| stock.cards.get(card).map(|card| name_key(&card.name));
    let mut decks: BTreeMap<DeckId, (String, BTreeMap<String, Share>)> = BTreeMap::new();
    for need in needs {
        let Some(key) = key_of(&need.card_id) else { continue };
        let (_, shares) = decks.entry(need.deck_id).or_insert((need.name, BTreeMap::new()));
        shares.entry(key).or_default().needed += need.copies.unsigned_abs();
    }
    let keys: BTreeMap<PrintingId, String> =
        rows.iter().filter_map(|row| Some((row.printing_id, key_of(&row.card_id)?))).collect();
    let deck_names: BTreeMap<DeckId, &str> =
        rows.iter().map(|row| (row.deck_id, row.name.as_str())).collect();
    let mut add = |one: Reservation, is_after: bool| {
        let Some(key) = keys.get(&one.printing) else { return };
        let name = || deck_names.get(&one.deck).copied().unwrap_or_default().to_owned();
        let (_, shares) = decks.entry(one.deck).or_insert_with(|| (name(), BTreeMap::new()));
        let reserved = &mut shares.entry(key.clone()).or_default().reserved;
        *(if is_after { &mut reserved.after } else { &mut reserved.before }) += one.quantity;
    };
    let reserved: Vec<Reservation> = rows.iter().map(ReservedRow::reservation).collect();
    for one in in_effect(&reserved, &quantities(&stock.owned)) {
        add(one, false);
    }
    for one in in_effect(&reserved, &after) {
        add(one, true);
    }
    let affected = decks.into_iter().map(|(deck, (name, shares))| {
        let mut affected =
            Affected { deck, name, weight: 0, closes: Vec::new(), opens: Vec::new() };
        for (key, share) in shares {
            affected.add(&stock, &key, &share);
        }
        affected
    });
    Ok(affected.filter(|one| one.weight > 0).collect())
}

impl Affected {
    /// Adds the effect of the trade on a card of the deck.
    fn add(&mut self, stock: &Stock, key: &str, share: &Share) {
        let effect = CardEffect::of(share.needed, stock.of(key), share.reserved);
        let Some((card, name)) = stock.first_cards.get(key) else { return };
        self.weight += effect.weight();
        let (name, card_id) = (name.clone(), card.0);
        if effect.closes > 0 {
            let name = name.clone();
            self.closes.push(ClosedGapResponse { name, card_id, copies: effect.closes });
        }
        if effect.opens > 0 || effect.unreserves > 0 {
            let (copies, reserved) = (effect.opens, effect.unreserves);
            self.opens.push(OpenedGapResponse { name, card_id, copies, reserved });
        }
    }
}

/// Counts the missing copies of the whole decks, before and after the trade. When the limit of entries is reached, the remaining decks are removed from
/// `affected`.
async fn count_missing(
    app: &AppState,
    reader: &Reader,
    moved: &BTreeMap<&str, Vec<&MovedCopy>>,
    affected: &mut Vec<Affected>,
) -> Result<BTreeMap<DeckId, BeforeAndAfter>, Problem> {
    let ids: Vec<DeckId> = affected.iter().map(|one| one.deck).collect();
    let mut conn = app.store.connection().await?;
    let mut entries =
        deck_ownership::entries(&mut conn, &reader.decks, &ids, MAX_ENTRIES_LISTED + 1).await?;
    name_bound(&mut conn, reader.requester, &mut entries).await?;
    drop(conn);
    if let Some(cut) = entries.get(MAX_ENTRIES_LISTED).map(|entry| entry.deck_id) {
        // At least one deck remains: no deck has as many entries as the limit.
        let place = affected.iter().position(|one| one.deck == cut).unwrap_or(affected.len());
        affected.truncate(place);
        entries.retain(|entry| entry.deck_id != cut);
    }
    let mut games: BTreeMap<String, BTreeMap<DeckId, BoundEntries>> = BTreeMap::new();
    for HeldEntry { deck_id, game_code, entry, card_id } in entries {
        games.entry(game_code).or_default().entry(deck_id).or_default().push(entry, card_id);
    }
    let mut missing: BTreeMap<DeckId, BeforeAndAfter> = BTreeMap::new();
    for (game, decks) in games {
        let loaded = app.named_game(&game).await?.map_err(Problem::internal)?;
        let (ids, mut decks): (Vec<DeckId>, Vec<BoundEntries>) = decks.into_iter().unzip();
        let mut conn = StepConnection::new(&app.store);
        rename_entries(app, &mut conn, reader.requester, &loaded.game, &mut decks).await?;
        let names = decks.iter().flat_map(|entries| names_of(&entries.deck).names).collect();
        let moved = moved.get(game.as_str()).map_or(&[][..], Vec::as_slice);
        let stock = Stock::find(app, &mut conn, reader, &loaded.game, names, moved).await?;
        for (deck, entries) in ids.into_iter().zip(decks) {
            let mut needed: BTreeMap<String, u64> = BTreeMap::new();
            for entry in entries.deck.entries {
                *needed.entry(card_key(&entry.card)).or_default() += u64::from(entry.quantity);
            }
            let count = missing.entry(deck).or_default();
            for (key, needed) in needed {
                let owned = stock.of(&key);
                count.before += needed.saturating_sub(owned.before);
                count.after += needed.saturating_sub(owned.after);
            }
        }
    }
    Ok(missing)
}

/// Sets the name of entries that are stored without one, if the caller may now see the card that the entry is bound to.
async fn name_bound(
    conn: &mut Connection,
    (viewer, _): Requester,
    entries: &mut [HeldEntry],
) -> Result<(), Problem> {
    let nameless = entries.iter().filter(|held| held.entry.card.name.is_empty());
    let bound: BTreeSet<CardId> = nameless.filter_map(|held| held.card_id).collect();
    if bound.is_empty() {
        return Ok(());
    }
    let bound: Vec<CardId> = bound.into_iter().collect();
    let names = deck_pool::names(conn, viewer, &bound).await?;
    for held in entries.iter_mut().filter(|held| held.entry.card.name.is_empty()) {
        if let Some(name) = held.card_id.and_then(|card| names.get(&card)) {
            held.entry.card.name.clone_from(name);
        }
    }
    Ok(())
}
