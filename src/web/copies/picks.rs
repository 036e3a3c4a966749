//! Copies to choose from in an offer: the own ones, and those that the other player shows.

use uuid::Uuid;

use super::choices::Games;
use super::offer_form::TypedOffer;
use super::views::CardCell;
use super::words as copy_words;
use crate::app::catalogue::codes::Codes;
use crate::app::copies::own_copies::{self, CopySelection, copies_after};
use crate::app::copies::trade_responses::TradeResponse;
use crate::app::copies::trading;
use crate::app::page::PageLimit;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnCopies, ReadTrades, WriteTrades};
use crate::domain::text::AccountName;
use crate::web::page::ENTRIES;
use crate::web::session::Player;

/// Copies of one side, to choose from.
#[derive(Default)]
pub(super) struct Picks {
    pub(super) copies: Vec<Pick>,
    /// Those that are chosen and not among them.
    pub(super) elsewhere: Vec<Uuid>,
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
    /// What is chosen and not shown stays in the form.
    pub(super) fn keep(mut self, chosen: &[Uuid]) -> Self {
        let is_shown = |id: &Uuid| self.copies.iter().any(|pick| pick.id == *id);
        self.elsewhere = chosen.iter().copied().filter(|id| !is_shown(id)).collect();
        self
    }
}

/// The own copies that could be given.
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
    let selection = CopySelection { codes, card: None };
    let found = own_copies::list(app, &reads, viewer, &selection, after, limit).await?;
    let can_be_given = |copy: &own_copies::CopyResponse| !copy.frozen && !copy.voided;
    let pick = |copy: own_copies::CopyResponse| Pick {
        id: copy.id,
        is_chosen: typed.give.contains(&copy.id),
        note: copy.disputed.then_some(copy_words::IS_DISPUTED),
        card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
    };
    Ok(Picks {
        copies: found.data.into_iter().filter(can_be_given).map(pick).collect(),
        elsewhere: Vec::new(),
        at: cursor.map(|cursor| cursor.as_str().to_owned()).unwrap_or_default(),
        next: found.next_cursor,
    })
}

/// The copies that the other player shows; none of whoever shows none.
pub(super) async fn shown_picks(
    app: &AppState,
    by: &Player<WriteTrades>,
    games: &Games,
    typed: &TypedOffer,
    (name, codes): (&AccountName, Codes),
) -> Result<Picks, Problem> {
    let reads = by.visitor.must::<ReadTrades>()?;
    let cursor = typed.theirs.cursor.as_ref();
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let (viewer, after) = (by.visitor.viewer(), copies_after(cursor)?);
    let selection = CopySelection { codes, card: None };
    let shown = trading::list_shown(app, &reads, viewer, name, &selection, after, limit).await;
    let found = match shown {
        Ok(found) => found,
        Err(problem) if problem.code() == ProblemCode::NotFound => return Ok(Picks::default()),
        Err(problem) => return Err(problem),
    };
    let pick = |copy: trading::ShownCopyResponse| Pick {
        id: copy.id,
        is_chosen: typed.want.contains(&copy.id),
        note: copy.disputed.then_some(copy_words::IS_DISPUTED),
        card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
    };
    Ok(Picks {
        copies: found.data.into_iter().map(pick).collect(),
        elsewhere: Vec::new(),
        at: cursor.map(|cursor| cursor.as_str().to_owned()).unwrap_or_default(),
        next: found.next_cursor,
    })
}

impl Picks {
    /// What the first offer gives may be asked for, whether it is shown otherwise or not.
    pub(super) fn add_offered(&mut self, games: &Games, first: &TradeResponse, chosen: &[Uuid]) {
        let is_new = |id: &Uuid| !self.copies.iter().any(|pick| pick.id == *id);
        let offered = first.give.iter().filter(|copy| is_new(&copy.id)).map(|copy| Pick {
            id: copy.id,
            is_chosen: chosen.contains(&copy.id),
            note: (copy.disputed == Some(true)).then_some(copy_words::IS_DISPUTED),
            card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
        });
        let mut all: Vec<Pick> = offered.collect();
        all.append(&mut self.copies);
        self.copies = all;
    }
}
