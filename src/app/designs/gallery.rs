//! The gallery: lists of the designs that everybody may see.

use serde::Serialize;
use utoipa::ToSchema;

use super::design_lists::DesignSummaryResponse;
use crate::app::catalogue::card_query::{bad_query, mark_of, scope_of, too_slow};
use crate::app::catalogue::codes::Codes;
use crate::app::catalogue::query_warning::{QueryWarning, WarningReason};
use crate::app::page::{Cursor, CursorTime, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode, both};
use crate::app::state::AppState;
use crate::app::words::words;
use crate::domain::code::Code;
use crate::domain::designs::content::DesignNamePart;
use crate::domain::designs::gallery::GallerySort;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::status::DesignStatus;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::search::{self, Predicate};
use crate::store::designs::gallery::{
    self, GalleryDesign, GalleryFilter, GalleryKey, GalleryPosition,
};
use crate::store::{Connection, StoreResult};

words! {
    GallerySort: "The order of a list of designs: `new` (the last shared first; when a design was first shared counts), `rating` (the best rated first; with equal ratings, \
                  the most often rated), `comments` (the most comments first) or `name` (case, punctuation and accents do not count). Ties: the last shared first; for equal names, by identifier.";
}

/// The number in cursors of lists by name. Older programs sorted names by another text, and wrote 0: such a cursor would skip designs.
const OF_FOLDED_NAMES: i64 = 1;

/// A request for a list of the gallery.
#[derive(Debug, Default)]
pub struct GalleryRequest {
    /// Code of a game, which must exist.
    pub codes: Codes,
    /// Code of a kind.
    pub kind: Option<Code>,
    /// Status of the designs.
    pub status: Option<DesignStatus>,
    /// Author of the designs.
    pub author: Option<AccountName>,
    /// Part of the name of the designs.
    pub name: Option<DesignNamePart>,
    /// The query in the language of `/docs/search`.
    pub text: String,
    /// The order.
    pub sort: GallerySort,
}

/// A checked request for a list of the gallery.
pub struct Gallery {
    request: GalleryRequest,
    kind: Option<Code>,
    predicate: Predicate,
    pub(super) warnings: Vec<QueryWarning>,
    /// Identifies the list in its cursors, so that a cursor of another list is refused.
    mark: String,
}

/// The content of a cursor: mark of the list, two numbers or a text as the sort key, time of sharing, code of the
/// design.
type CursorKey = (String, i64, i64, Option<String>, CursorTime, DesignCode);

impl GalleryRequest {
    /// Checks the request against the existing games.
    pub async fn check(self, app: &AppState) -> Result<Gallery, Problem> {
        // Cursors of clients hold this mark: renaming the fields that it is made from would invalidate them.
        let mark = mark_of(&self);
        let games = app.all_games().await?;
        let tree = scope_of(&games, None).parse(&self.text).map_err(bad_query);
        let (codes, tree) = both(self.codes.resolve(app).await, tree)?;
        let request = Self { codes, ..self };
        let scope = scope_of(&games, request.codes.game.as_deref()).of_designs();
        let today = app.today()?;
        let checked = tree.map(|tree| search::check(&tree, &scope, None, today)).transpose();
        let (predicate, warnings) = match checked.map_err(bad_query)? {
            None => (Predicate::always(), Vec::new()),
            Some(checked) => (checked.predicate, checked.warnings),
        };
        let warnings =
            warnings.into_iter().map(QueryWarning::from).chain(request.status_warning()).collect();
        Ok(Gallery {
            kind: request.kind.as_ref().map(Code::lower_case),
            request,
            predicate,
            warnings,
            mark,
        })
    }
}

impl GalleryRequest {
    /// The warning about a status that no design of the gallery has.
    fn status_warning(&self) -> Option<QueryWarning> {
        let status = self.status.filter(|status| !status.is_listed())?.as_str();
        let reason = WarningReason::NotInGallery { status };
        Some(QueryWarning::of_filter("status", status, reason))
    }
}

impl Gallery {
    pub(super) fn filter(&self, app: &AppState) -> GalleryFilter<'_> {
        let GalleryRequest { codes, status, author, name, .. } = &self.request;
        GalleryFilter {
            game: codes.game.as_deref(),
            kind: self.kind.as_deref(),
            status: *status,
            author: author.as_ref().map(AccountName::key),
            name: name.as_ref(),
            predicate: &self.predicate,
            max_candidates: app.settings.search_candidates.into(),
        }
    }

    /// Whether the list may read many designs before a page is full, because no index gives this filter in this order.
    fn is_search(&self) -> bool {
        let GalleryRequest { kind, status, author, name, sort, .. } = &self.request;
        let is_ordered =
            *sort == GallerySort::New || (kind.is_none() && status.is_none() && author.is_none());
        name.is_some() || self.predicate != Predicate::always() || !is_ordered
    }

    /// Decodes a cursor of this list.
    fn position(&self, cursor: &Cursor) -> Result<GalleryPosition, Problem> {
        let (mark, number, count, text, CursorTime(shared_at), code): CursorKey = cursor.key()?;
        let key = match self.request.sort {
            GallerySort::New => Some(GalleryKey::New),
            GallerySort::Rating => {
                i32::try_from(number).ok().map(|rating| GalleryKey::Rating(rating, count))
            }
            GallerySort::Comments => Some(GalleryKey::Comments(number)),
            GallerySort::Name => text.filter(|_| number == OF_FOLDED_NAMES).map(GalleryKey::Name),
        };
        let key = key.filter(|_| mark == self.mark);
        let key = key.ok_or_else(|| Problem::new(ProblemCode::InvalidCursor))?;
        Ok(GalleryPosition { key, shared_at, code })
    }

    /// The cursor content for the position after a design.
    fn cursor(&self, position: GalleryPosition) -> CursorKey {
        let (number, count, text) = match position.key {
            GalleryKey::New => (0, 0, None),
            GalleryKey::Rating(rating, count) => (rating.into(), count, None),
            GalleryKey::Comments(count) => (count, 0, None),
            GalleryKey::Name(key) => (OF_FOLDED_NAMES, 0, Some(key)),
        };
        let mark = self.mark.clone();
        (mark, number, count, text, CursorTime(position.shared_at), position.code)
    }
}

/// A page of the gallery.
#[derive(Serialize, ToSchema)]
pub struct GalleryPage {
    /// The designs.
    #[serde(flatten)]
    pub page: Page<DesignSummaryResponse>,
    /// Terms of the query that could not be used (the list contains what the other terms find), a `status` that no design of the gallery has, and terms that were
    /// tested on only some of the designs, because testing all would take too long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<QueryWarning>,
}

/// Refuses a cursor that no list of designs can have made.
pub fn require_cursor(cursor: Option<&Cursor>) -> Result<(), Problem> {
    Cursor::key_of::<CursorKey>(cursor).map(drop)
}

/// Lists designs of the gallery.
pub async fn list(
    app: &AppState,
    network: Network,
    mut gallery: Gallery,
    cursor: Option<&Cursor>,
    limit: PageLimit,
) -> Result<GalleryPage, Problem> {
    let after = cursor.map(|cursor| gallery.position(cursor)).transpose()?;
    let sort = gallery.request.sort;
    let filter = gallery.filter(app);
    let page = (sort, after.as_ref(), limit.rows());
    let (rows, cut) = if let Some(rows) = find_in_memory(app, &filter, page) {
        (rows, false)
    } else if gallery.is_search() {
        let mut conn = app.searches.connection(network).await?;
        search(app, &mut conn, &filter, page).await.map_err(too_slow)?
    } else {
        let mut conn = app.store.connection().await?;
        (gallery::list(&mut conn, &filter, sort, after.as_ref(), limit.rows()).await?, false)
    };
    let key = |row: &GalleryDesign| gallery.cursor(row.position(sort));
    let page = paged(rows, limit, key, |row: GalleryDesign| row.listed.into());
    let mut warnings = std::mem::take(&mut gallery.warnings);
    warnings.extend(cut.then(|| gallery.cut_warning(app)));
    Ok(GalleryPage { page, warnings })
}

/// The page of a search for words, if all of its conditions can be tested in memory.
fn find_in_memory(
    app: &AppState,
    filter: &GalleryFilter<'_>,
    page: (GallerySort, Option<&GalleryPosition>, i64),
) -> Option<Vec<GalleryDesign>> {
    if *filter.predicate == Predicate::always() {
        return None;
    }
    app.gallery_designs.find(filter, page)
}

/// Searches for a page of designs in the database. Also returns whether costly terms were tested on only some of the designs.
async fn search(
    app: &AppState,
    conn: &mut Connection,
    filter: &GalleryFilter<'_>,
    page: (GallerySort, Option<&GalleryPosition>, i64),
) -> StoreResult<(Vec<GalleryDesign>, bool)> {
    let words = filter.required_words();
    if let Some(words) = words.into_iter().find(|words| app.common_words.find(words).is_none()) {
        if let Some(rows) = gallery::list_with_words(conn, filter, &words, page).await? {
            return Ok((rows, false));
        }
        app.common_words.insert(words, ());
    }
    let (sort, after, limit) = page;
    let rows = gallery::list(conn, filter, sort, after, limit).await?;
    Ok((rows, gallery::is_truncated(conn, filter).await?))
}

impl Gallery {
    /// The warning that costly terms were tested on only some of the designs.
    pub(super) fn cut_warning(&self, app: &AppState) -> QueryWarning {
        let candidates = app.settings.search_candidates;
        QueryWarning::of_all(&self.request.text, WarningReason::CutOfDesigns { candidates })
    }
}
