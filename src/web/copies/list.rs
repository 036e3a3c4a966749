//! The form of the wants or the haves: it changes numbers, adds cards, and sets who may read the list.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::choices::{Games, TypedCard};
use super::item::{ItemRow, id_of, part_of};
use super::list_form::{Typed, WRONG_NUMBER, faults_of, read_number, with_card, with_numbers};
use super::section::Section;
use super::words as copy_words;
use crate::app::copies::trade_lists::{self, TradeItemResponse, VersionedTradeList};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::collection::{MAX_QUANTITY, TradeListKind};
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
    let (part, next) = part_of(items, typed.from, ENTRIES.into());
    let row = |item: &TradeItemResponse| {
        let stored = item.quantity.to_string();
        let typed = typed.numbers.get(&id_of(item)).unwrap_or(&stored).clone();
        Row { is_other: typed != stored, typed, is_wrong: false, item: ItemRow::new(&games, item) }
    };
    let mut rows: Vec<Row> = part.iter().map(row).collect();
    if faults.of(WRONG_NUMBER).is_some()
        && let Some(row) = rows.iter_mut().find(|row| read_number(&row.typed).is_none())
    {
        row.is_wrong = true;
    }
    let path = kind.path();
    let visibility = typed.visibility.as_deref().unwrap_or(stored.list.visibility);
    let is_there = |id: &&String| items.iter().any(|item| id_of(item) == **id);
    let removed_count = typed.numbers.keys().filter(|id| !is_there(id)).count();
    let next_path = next.map(|from| format!("{path}?from={from}"));
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
        from: typed.from,
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
        first_path: (typed.from > 0).then(|| path.clone()),
        next_path,
        path,
    };
    private(status, &page)
}

/// Saves numbers and readers, or adds a card.
pub(in crate::web) async fn write_list(
    state: web::Data<AppState>,
    by: Player<WriteOwnCollection>,
    kind: web::Path<Kind>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let (kind, typed, viewer) = (*kind, Typed::read(&fields), by.visitor.viewer());
    let reads = by.visitor.must::<ReadOwnCollection>()?;
    let stored = trade_lists::find_own(&state, &reads, viewer, kind.of_api()).await?;
    let is_adding = fields.one("step") == "add";
    let games = Games::read(&state).await?;
    let changed =
        if is_adding { with_card(&stored, &typed) } else { with_numbers(&games, &stored, &typed) };
    let content = match changed {
        Ok(content) => content,
        Err(faults) => {
            let status = PageStatus::INVALID_FORM;
            return show(&state, kind, status, (&stored, typed), faults, "").await;
        }
    };
    // A new card is added to the present list. Numbers apply only to the version of the list that the form was loaded with.
    let meant = if is_adding { stored.revision } else { Revision(typed.revision) };
    let of = kind.of_api();
    let written = trade_lists::replace(&state, &by, viewer, of, &meant.meant(), &content).await;
    let Err(problem) = written else {
        let done = if is_adding { "added" } else { "saved" };
        let from = if is_adding { 0 } else { typed.from };
        return Ok(see_other(&format!("{}?from={from}&done={done}", kind.path())));
    };
    let sent = (content.items.len(), is_adding);
    let Some(faults) = faults_of(&problem, &games, (&stored, &typed), sent) else {
        return Err(problem);
    };
    // The answer shows both versions, so the form gets the stored version: sent again, it overwrites it.
    let stored = trade_lists::find_own(&state, &reads, viewer, of).await?;
    show(&state, kind, PageStatus::of(&problem), (&stored, typed), faults, "").await
}
