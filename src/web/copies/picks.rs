//! Copies to choose from in an offer: the visitor's own copies, and the copies that the other player shows.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::choices::Games;
use super::offer_form::TypedOffer;
use super::views::CardCell;
use super::words as copy_words;
use crate::app::catalogue::codes::Codes;
use crate::app::copies::own_copies::{self, CopySelection, copies_after};
use crate::app::copies::trade_responses::{TradeResponse, TradedCopyResponse};
use crate::app::copies::trading;
use crate::app::page::{Cursor, MAX_LIMIT, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnCopies, ReadTrades, WriteTrades};
use crate::domain::text::AccountName;
use crate::web::page::ENTRIES;
use crate::web::session::Player;

/// At most this many chosen copies are looked up if they are not on the shown page.
const MOST_LOOKED_UP: u16 = MAX_LIMIT;

/// The copies of one side.
#[derive(Default)]
pub(super) struct Picks {
    pub(super) copies: Vec<Pick>,
    /// Chosen copies that cannot be shown; they stay in the form.
    pub(super) elsewhere: Vec<Uuid>,
    /// How many chosen copies can no longer be chosen.
    pub(super) left_out: usize,
    pub(super) at: String,
    pub(super) next: Option<String>,
}

/// A copy to choose.
pub(super) struct Pick {
    pub(super) id: Uuid,
    pub(super) card: CardCell,
    pub(super) note: Option<&'static str>,
    pub(super) is_chosen: bool,
}

impl Picks {
    /// No copies are shown because their owner is not known; the chosen ones stay in the form.
    pub(super) fn of_unknown_owner(chosen: &[Uuid]) -> Self {
        Self { elsewhere: chosen.to_vec(), ..Self::default() }
    }

    /// The chosen copies that are not among `copies`.
    fn missing(copies: &[Pick], chosen: &[Uuid]) -> Vec<Uuid> {
        let is_shown = |id: &Uuid| copies.iter().any(|pick| pick.id == *id);
        let missing: BTreeSet<Uuid> = chosen.iter().copied().filter(|id| !is_shown(id)).collect();
        missing.into_iter().take(MOST_LOOKED_UP.into()).collect()
    }

    /// The copies of a page, after the chosen ones from other pages.
    fn new(
        mut chosen: Vec<Pick>,
        mut copies: Vec<Pick>,
        (missing, cursor, next): (usize, Option<&Cursor>, Option<String>),
    ) -> Self {
        let left_out = missing.saturating_sub(chosen.len());
        chosen.append(&mut copies);
        Self {
            copies: chosen,
            elsewhere: Vec::new(),
            left_out,
            at: cursor.map(|cursor| cursor.as_str().to_owned()).unwrap_or_default(),
            next,
        }
    }
}

/// The visitor's own copies that can be offered.
pub(super) async fn own_picks(
    app: &AppState,
    by: &Player<WriteTrades>,
    games: &Games,
    typed: &TypedOffer,
    codes: Codes,
) -> Result<Picks, Problem> {
    let reads = by.visitor.must::<ReadOwnCopies>()?;
    let cursor = typed.mine.cursor.as_ref();
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let (viewer, after) = (by.visitor.viewer(), copies_after(cursor)?);
    let selection = CopySelection { codes, card: None, only: None };
    let found = own_copies::list(app, &reads, viewer, &selection, after, limit).await?;
    let is_chosen = |copy: &own_copies::CopyResponse| typed.give.contains(&copy.id);
    // A chosen copy is always shown with its fault, so that the choice can be undone.
    let is_shown =
        |copy: &own_copies::CopyResponse| (!copy.frozen && !copy.voided) || is_chosen(copy);
    let pick = |copy: own_copies::CopyResponse| Pick {
        id: copy.id,
        is_chosen: is_chosen(&copy),
        note: copy_words::state(copy.voided, copy.frozen, copy.disputed),
        card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
    };
    let copies: Vec<Pick> = found.data.into_iter().filter(is_shown).map(pick).collect();
    let missing = Picks::missing(&copies, &typed.give);
    let chosen = if missing.is_empty() {
        Vec::new()
    } else {
        let (only, most) = (CopySelection::of(missing.iter().copied()), most_looked_up()?);
        let found = own_copies::list(app, &reads, viewer, &only, None, most).await?;
        found.data.into_iter().map(pick).collect()
    };
    Ok(Picks::new(chosen, copies, (missing.len(), cursor, found.next_cursor)))
}

fn most_looked_up() -> Result<PageLimit, Problem> {
    PageLimit::try_from(MOST_LOOKED_UP).map_err(Problem::internal)
}

/// The copies that the other player shows (possibly none), after those that this player has `offered`; and whether the player shows copies at all.
pub(super) async fn shown_picks(
    app: &AppState,
    by: &Player<WriteTrades>,
    games: &Games,
    typed: &TypedOffer,
    (name, codes): (&AccountName, Codes),
    offered: Vec<Pick>,
) -> Result<(Picks, bool), Problem> {
    let reads = by.visitor.must::<ReadTrades>()?;
    let cursor = typed.theirs.cursor.as_ref();
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let (viewer, after) = (by.visitor.viewer(), copies_after(cursor)?);
    let selection = CopySelection { codes, card: None, only: None };
    let shown = trading::list_shown(app, &reads, viewer, name, &selection, after, limit).await;
    let found = match shown {
        Ok(found) => found,
        Err(problem) if problem.code() == ProblemCode::NotFound => {
            // The name may be mistyped: the chosen copies stay in the form.
            let elsewhere = Picks::missing(&offered, &typed.want);
            return Ok((Picks { copies: offered, elsewhere, ..Picks::default() }, false));
        }
        Err(problem) => return Err(problem),
    };
    let pick = |copy: trading::ShownCopyResponse| Pick {
        id: copy.id,
        is_chosen: typed.want.contains(&copy.id),
        note: None,
        card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
    };
    let is_new = |copy: &trading::ShownCopyResponse| !offered.iter().any(|one| one.id == copy.id);
    let mut page: Vec<Pick> = found.data.into_iter().filter(is_new).map(pick).collect();
    let mut copies = offered;
    copies.append(&mut page);
    let missing = Picks::missing(&copies, &typed.want);
    let chosen = if missing.is_empty() {
        Vec::new()
    } else {
        let (only, most) = (CopySelection::of(missing.iter().copied()), most_looked_up()?);
        let found = trading::list_shown(app, &reads, viewer, name, &only, None, most).await?;
        found.data.into_iter().map(pick).collect()
    };
    Ok((Picks::new(chosen, copies, (missing.len(), cursor, found.next_cursor)), true))
}

/// The copies that the first offer gives. They can be requested even if the player does not show them.
pub(super) fn offered_picks(games: &Games, first: &TradeResponse, chosen: &[Uuid]) -> Vec<Pick> {
    let offered = first.give.iter().filter(|copy| copy.available != Some(false));
    let pick = |copy: &TradedCopyResponse| Pick {
        id: copy.id,
        is_chosen: chosen.contains(&copy.id),
        note: (copy.disputed == Some(true)).then_some(copy_words::IS_DISPUTED),
        card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
    };
    offered.map(pick).collect()
}
