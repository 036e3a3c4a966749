//! The form of the wants or the haves: it changes numbers, adds cards, and sets who may read the list. Both of its buttons save everything that is typed in it.

use std::collections::BTreeSet;

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::choices::{Games, TypedCard};
use super::item::{ItemRow, id_of, part_of};
use super::list_form::{
    Typed, WRONG_NUMBER, faults_of, is_repeated, read_number, with_card, with_numbers,
};
use super::section::Section;
use super::words as copy_words;
use crate::app::copies::trade_lists::{self, TradeItemResponse, VersionedTradeList};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::collection::{MAX_QUANTITY, MAX_TRADE_ITEMS, TradeListKind};
use crate::http::extract::Form;
use crate::web::forms::{Choice, Faults, Fields, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// Which list, as in addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::web) enum Kind {
    Wants,
    Haves,
}

impl Kind {
    pub(super) fn of_api(self) -> TradeListKind {
        match self {
            Self::Wants => TradeListKind::Want,
            Self::Haves => TradeListKind::Have,
        }
    }

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Wants => "wants",
            Self::Haves => "haves",
        }
    }

    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Wants => copy_words::WANTS,
            Self::Haves => copy_words::HAVES,
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Wants => copy_words::WANTS_ABOUT,
            Self::Haves => copy_words::HAVES_ABOUT,
        }
    }

    pub(super) fn path(self) -> String {
        format!("/my/lists/{}", self.code())
    }
}

#[derive(Template)]
#[template(path = "web/copies/list.html")]
struct ListPage {
    frame: Frame,
    section: Section,
    heading: &'static str,
    about: &'static str,
    path: String,
    faults: Faults,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    revision: i64,
    from: usize,
    visibilities: Vec<Choice>,
    /// Who may read the stored list, if the form has another value.
    stored_readers: Option<String>,
    rows: Vec<Row>,
    /// Number of cards that were changed in the form and are no longer on the list.
    removed_count: usize,
    card: TypedCard,
    card_games: Vec<Choice>,
    add: String,
    most: i32,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An item in the form.
struct Row {
    item: ItemRow,
    /// The text in the field of the number.
    typed: String,
    /// Whether the stored list has another number.
    is_other: bool,
    /// Whether the number is the first that was refused.
    is_wrong: bool,
}

/// Which page of the list, and the action that was just completed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ListQuery {
    from: usize,
    done: String,
}

/// Shows a list in a form.
pub(in crate::web) async fn show_list(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    kind: web::Path<Kind>,
    query: web::Query<ListQuery>,
) -> Result<HttpResponse, Problem> {
    let (kind, viewer) = (*kind, by.visitor.viewer());
    let stored = trade_lists::find_own(&state, &by, viewer, kind.of_api()).await?;
    let done = copy_words::done(&query.done);
    show(&state, kind, PageStatus::OK, (&stored, Typed::nothing(query.from)), Faults::none(), done)
        .await
}

async fn show(
    app: &AppState,
    kind: Kind,
    status: PageStatus,
    (stored, typed): (&VersionedTradeList, Typed),
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let games = Games::read(app).await?;
    let items = &stored.list.items;
    let part = part_of(items, typed.from, ENTRIES.into());
    let row = |item: &TradeItemResponse| {
        let stored = item.quantity.to_string();
        let typed = typed.numbers.get(&id_of(item)).unwrap_or(&stored).clone();
        Row { is_other: typed != stored, typed, is_wrong: false, item: ItemRow::new(&games, item) }
    };
    let mut rows: Vec<Row> = part.entries.iter().map(row).collect();
    if faults.of(WRONG_NUMBER).is_some()
        && let Some(row) = rows.iter_mut().find(|row| read_number(&row.typed).is_none())
    {
        row.is_wrong = true;
    }
    let path = kind.path();
    let visibility = typed.visibility.as_deref().unwrap_or(stored.list.visibility);
    // A set, because a form may name more items than a list can have.
    let present: BTreeSet<String> = items.iter().map(id_of).collect();
    let removed_count = typed.numbers.keys().filter(|id| !present.contains(*id)).count();
    let next_path = part.next.map(|from| format!("{path}?from={from}"));
    let mut frame = Frame::new(kind.heading()).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let page = ListPage {
        frame,
        section: Section::Lists,
        heading: kind.heading(),
        about: kind.about(),
        faults,
        done,
        revision: stored.revision.0,
        from: part.from,
        visibilities: copy_words::VISIBILITIES
            .into_iter()
            .map(|(value, name)| Choice::new(value, name, visibility))
            .collect(),
        stored_readers: (visibility != stored.list.visibility)
            .then(|| copy_words::readers_on_list(stored.list.visibility)),
        rows,
        removed_count,
        card_games: games.choices(&typed.card.game),
        card: typed.card,
        add: typed.add,
        most: MAX_QUANTITY,
        first_path: (part.from > 0).then(|| path.clone()),
        next_path,
        path,
    };
    private(status, &page)
}

/// How often a form is tried that other requests overtake.
const TRIES: usize = 3;

/// Saves numbers and readers, and adds the card that the form names.
pub(in crate::web) async fn write_list(
    state: web::Data<AppState>,
    by: Player<WriteOwnCollection>,
    kind: web::Path<Kind>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let (kind, typed) = (*kind, Typed::read(&fields));
    // Enter in a field of the card presses the first button of the form, which saves.
    let is_adding = fields.one("step") == "add" || typed.names_card();
    let Some((status, faults)) = write(&state, &by, kind, &typed, is_adding).await? else {
        let done = if is_adding { "added" } else { "saved" };
        let from = if is_adding { 0 } else { typed.from };
        return Ok(see_other(&format!("{}?from={from}&done={done}", kind.path())));
    };
    // The answer shows both versions, so the form gets the stored version: sent again, it overwrites it.
    let reads = by.visitor.must::<ReadOwnCollection>()?;
    let stored = trade_lists::find_own(&state, &reads, by.visitor.viewer(), kind.of_api()).await?;
    show(&state, kind, status, (&stored, typed), faults, "").await
}

/// Writes what the form says. `None`: it is on the list, perhaps because the same form was sent before.
async fn write(
    app: &AppState,
    by: &Player<WriteOwnCollection>,
    kind: Kind,
    typed: &Typed,
    is_adding: bool,
) -> Result<Option<(PageStatus, Faults)>, Problem> {
    let (viewer, of) = (by.visitor.viewer(), kind.of_api());
    let reads = by.visitor.must::<ReadOwnCollection>()?;
    let games = Games::read(app).await?;
    let mut tries = 1;
    loop {
        let stored = trade_lists::find_own(app, &reads, viewer, of).await?;
        // Numbers that differ apply only to the version of the list that the form was loaded with.
        let typed_for = Revision(typed.revision.unwrap_or_default());
        let meant = if typed.is_as_in(&stored) { stored.revision } else { typed_for };
        if !is_adding && meant != typed_for {
            return Ok(None);
        }
        let is_sent_again = is_adding && meant == stored.revision && typed.was_added_to(&stored);
        // A full list has no place to try the card again.
        if is_sent_again && stored.list.items.len() >= MAX_TRADE_ITEMS {
            return Ok(None);
        }
        let changed = if is_adding {
            with_card(&games, &stored, typed)
        } else {
            with_numbers(&games, &stored, typed)
        };
        let content = match changed {
            Ok(content) => content,
            Err(faults) => return Ok(Some((PageStatus::INVALID_FORM, faults))),
        };
        let written = trade_lists::replace(app, by, viewer, of, &meant.if_match(), &content).await;
        let Err(problem) = written else { return Ok(None) };
        let is_refused = problem.code() == ProblemCode::PreconditionFailed;
        if is_refused && meant == stored.revision && tries < TRIES {
            tries += 1;
            continue;
        }
        let sent = (content.items.len(), is_adding);
        if is_sent_again && is_repeated(&problem, sent.0) {
            return Ok(None);
        }
        return match faults_of(&problem, &games, (&stored, typed), sent) {
            Some(faults) => Ok(Some((PageStatus::of(&problem), faults))),
            None => Err(problem),
        };
    }
}
