//! The counted collection: the list of entries, buttons that change a count, and the form that adds cards.

use actix_web::{HttpResponse, web};
use askama::Template;
use uuid::Uuid;

use super::changes::{SentRow, TypedCount, WRONG_NUMBER, change, requested_change, typed};
use super::counted::{Counted, entry_label};
use super::unclear::{MeantPrinting, choices_of, faults_of};
use super::words as collection_words;
use crate::app::collection::counts::{
    self, CollectionEntryResponse, EntryPosition, EntrySelection,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::http::extract::Form;
use crate::web::copies::words as copy_words;
use crate::web::copies::{CardCell, Games, NarrowForm, Narrowing, Section, TypedCard};
use crate::web::forms::{Choice, Faults, Fields, new_key, next_key, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/my/collection";

#[derive(Template)]
#[template(path = "web/collection/counts.html")]
struct CountsPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    /// The change that the form made.
    counted: Option<Counted>,
    /// Printings that the typed words may mean.
    choices: Vec<MeantPrinting>,
    narrow: NarrowForm,
    is_narrowed: bool,
    narrowing: Narrowing,
    /// The cursor of this page of the list.
    at: String,
    total: String,
    rows: Vec<CountRow>,
    card: TypedCard,
    card_games: Vec<Choice>,
    conditions: Vec<Choice>,
    add: String,
    key: String,
    most: i32,
    export_path: String,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An entry of the collection.
struct CountRow {
    printing: Uuid,
    card_id: Uuid,
    card: CardCell,
    condition: &'static str,
    condition_name: String,
    quantity: String,
    /// Whether the number of this row was refused.
    is_wrong: bool,
    /// Idempotency key of the forms of the row.
    key: String,
    label: String,
    set: String,
    less: String,
    more: String,
}

impl CountRow {
    /// `sent`: the row whose form was refused.
    fn new(games: &Games, entry: &CollectionEntryResponse, sent: Option<&SentRow>) -> Self {
        let name = entry_label(games, entry);
        let sent = sent.filter(|sent| sent.is_of(entry));
        Self {
            printing: entry.printing,
            card_id: entry.card.id,
            card: CardCell::of_line(games, &entry.card, entry.rarity.as_deref()),
            condition: entry.condition,
            condition_name: collection_words::condition(entry.condition),
            quantity: entry.quantity.to_string(),
            is_wrong: false,
            key: sent.map_or_else(new_key, |sent| sent.key.clone()),
            label: collection_words::count_of(&name),
            set: collection_words::set_of(&name),
            less: collection_words::one_less(&name),
            more: collection_words::one_more(&name),
        }
    }
}

/// Shows the collection, narrowed by the query.
pub(in crate::web) async fn list_counts(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    query: web::Query<Narrowing>,
) -> Result<HttpResponse, Problem> {
    let viewer = by.visitor.viewer();
    show(&state, (&by, viewer), query.into_inner(), Shown::plain()).await
}

/// The parts of the page beside the list.
struct Shown {
    status: PageStatus,
    faults: Faults,
    counted: Option<Counted>,
    choices: Vec<MeantPrinting>,
    typed: TypedCount,
    /// The key of the form that adds cards.
    key: String,
    /// The row whose form was refused.
    sent: Option<SentRow>,
}

impl Shown {
    fn plain() -> Self {
        let (faults, typed) = (Faults::none(), TypedCount::nothing());
        Self {
            status: PageStatus::OK,
            faults,
            counted: None,
            choices: Vec::new(),
            typed,
            key: new_key(),
            sent: None,
        }
    }
}

async fn show(
    app: &AppState,
    (by, viewer): (&Granted<ReadOwnCollection>, Viewer),
    narrowing: Narrowing,
    Shown { mut status, mut faults, counted, choices, typed, key, sent }: Shown,
) -> Result<HttpResponse, Problem> {
    let after = Cursor::key_of(narrowing.cursor.as_ref())?;
    let games = Games::read(app).await?;
    let found = match narrowing.codes(app).await? {
        Ok(codes) => {
            let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
            let selection = EntrySelection { codes, card: None, with_total: true };
            counts::list(app, by, viewer, &selection, after, limit).await?
        }
        Err(wrong) => {
            (status, faults) = (PageStatus::INVALID_QUERY, wrong);
            Page { data: Vec::new(), next_cursor: None, total: None }
        }
    };
    let row = |entry| CountRow::new(&games, entry, sent.as_ref());
    let mut rows: Vec<CountRow> = found.data.iter().map(row).collect();
    if faults.of(WRONG_NUMBER).is_some() {
        faults = mark_wrong(&games, &found.data, &mut rows, sent.as_ref());
    }
    let next_path =
        found.next_cursor.as_deref().map(|cursor| narrowing.path_at(PATH, Some(cursor)));
    let mut frame = Frame::new(collection_words::COLLECTION).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let condition = |one: Condition| {
        let name = collection_words::condition(one.as_str());
        Choice::new(one.as_str(), &name, &typed.condition)
    };
    let only_game = Narrowing { game: narrowing.game.clone(), ..Narrowing::default() };
    let page = CountsPage {
        frame,
        section: Section::Counts,
        faults,
        counted,
        choices,
        narrow: NarrowForm::new(PATH, &games, &narrowing),
        // A later page may be empty by now, although earlier pages have cards.
        is_narrowed: narrowing.is_narrowed() || narrowing.cursor.is_some(),
        at: narrowing.cursor.as_ref().map(|cursor| cursor.as_str().to_owned()).unwrap_or_default(),
        total: found.total.map(collection_words::entries).unwrap_or_default(),
        rows,
        conditions: Condition::ALL.into_iter().map(condition).collect(),
        card_games: games.choices(&typed.card.game),
        card: typed.card,
        add: typed.add,
        key,
        most: MAX_QUANTITY,
        export_path: only_game.path_at("/my/collection/export", None),
        first_path: narrowing.first_path(PATH),
        next_path,
        narrowing,
    };
    private(status, &page)
}

/// Shows the refused number in its row. If the row is no longer on the page, the fault has no field to link to.
fn mark_wrong(
    games: &Games,
    entries: &[CollectionEntryResponse],
    rows: &mut [CountRow],
    sent: Option<&SentRow>,
) -> Faults {
    let found = sent.and_then(|sent| {
        let mut all = entries.iter().zip(rows);
        all.find(|(entry, _)| sent.is_of(entry)).map(|(entry, row)| (sent, entry, row))
    });
    let Some((sent, entry, row)) = found else {
        return Faults::one("", collection_words::NUMBER_FAULT);
    };
    row.quantity.clone_from(&sent.quantity);
    row.is_wrong = true;
    Faults::one(WRONG_NUMBER, collection_words::number_fault(&entry_label(games, entry)))
}

/// Changes a count, shows the counts before and after, and offers to undo the change.
pub(in crate::web) async fn change_count(
    state: web::Data<AppState>,
    by: Player<WriteOwnCollection>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let reads = by.visitor.must::<ReadOwnCollection>()?;
    let narrowing = Narrowing {
        game: fields.one("game").to_owned(),
        set: fields.one("set").to_owned(),
        rarity: fields.one("rarity").to_owned(),
        cursor: Cursor::sent(fields.one("cursor")),
    };
    // An invalid cursor is refused before the change, because the page could not be shown after it.
    Cursor::key_of::<EntryPosition>(narrowing.cursor.as_ref())?;
    let viewer = by.visitor.viewer();
    let typed = typed(&fields);
    let mut shown = Shown { typed, ..Shown::plain() };
    match requested_change(&fields, &shown.typed) {
        Err(faults) => {
            (shown.status, shown.faults) = (PageStatus::INVALID_FORM, faults);
            shown.sent = SentRow::read(&fields).map(|row| row.with_key(new_key()));
        }
        Ok(wanted) => match change(&state, (&by, &reads), viewer, &fields, wanted).await {
            Ok(counted) => shown = Shown { counted, ..Shown::plain() },
            Err(problem) => {
                let Some(faults) = faults_of(&problem) else { return Err(problem) };
                (shown.status, shown.faults) = (PageStatus::of(&problem), faults);
                let key = next_key(shown.status, fields.one("key"));
                match SentRow::read(&fields) {
                    Some(row) => shown.sent = Some(row.with_key(key)),
                    None if fields.one("step") == "new" => shown.key = key,
                    None => {}
                }
                shown.choices = choices_of(&Games::read(&state).await?, &problem);
            }
        },
    }
    show(&state, (&reads, viewer), narrowing, shown).await
}
