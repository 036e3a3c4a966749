//! The page of a design: its content and its feedback.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::content::ContentView;
use super::ratings::{CriterionField, RatingsView, TypedRating, criterion_fields};
use super::steps::{StepLink, step_links};
use super::suggestions::SuggestionRow;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_bodies::DesignResponse;
use crate::app::designs::design_lifecycle::{self, VersionedDesign};
use crate::app::designs::{authors, design_ratings, designer_perks, suggested_changes};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::memory::rendered::Freshness;
use crate::store::designs::DesignReviewer;
use crate::web::catalogue::{card_path, game_path, rarity_name};
use crate::web::feedback::comments::{
    self, CommentChoice, CommentReader, Comments, RefusedComment,
};
use crate::web::feedback::hidden_comments;
use crate::web::feedback::words as feedback_words;
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place, Preview, answer, write};
use crate::web::page_status::PageStatus;
use crate::web::session::{Visitor, log_in_path};
use crate::web::words;

/// Number of suggestions that are shown on the page.
const SUGGESTIONS: u16 = 20;

/// The query of the page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct DesignQuery {
    /// The rarity in which the design is drawn; empty: the lowest.
    rarity: String,
    /// The page of the comments.
    comments: Option<Cursor>,
}

/// The input of a refused form.
#[derive(Debug, Default)]
pub(super) struct TypedFeedback {
    pub(super) comment: RefusedComment,
    pub(super) rating: Option<TypedRating>,
}

/// A link to the picture in a rarity.
struct RarityLink {
    name: String,
    path: String,
    is_shown: bool,
}

/// A card that was made from the design, or a message of a moderator about it.
struct Notice {
    heading: &'static str,
    text: String,
    day: String,
    at: String,
}

#[derive(Template)]
#[template(path = "web/designs/design.html")]
#[expect(clippy::struct_excessive_bools, reason = "what the template asks, each by itself")]
struct DesignPage {
    frame: Frame,
    faults: Faults,
    id: String,
    name: String,
    path: String,
    picture: String,
    alt: String,
    rarities: Vec<RarityLink>,
    content: ContentView,
    game: String,
    game_path: String,
    author: String,
    /// The page of its author; `None`: nothing else of the author is public, so that there is none.
    author_path: Option<String>,
    status: &'static str,
    status_about: &'static str,
    revised: String,
    revised_at: String,
    contributors: Vec<String>,
    author_banned: bool,
    notices: Vec<Notice>,
    card: Option<String>,
    /// What its author, who reads it, gets for the card; `None`: nothing.
    perk: Option<&'static str>,
    is_own: bool,
    /// Whether the reader is its author or a contributor.
    is_own_work: bool,
    /// Whether the reader can review it, or revoke its approval.
    may_be_reviewed: bool,
    may_be_reported: bool,
    is_logged_in: bool,
    log_in: String,
    steps: Vec<StepLink>,
    may_be_edited: bool,
    /// `None`: the design cannot be rated or commented on.
    ratings: Option<RatingsView>,
    criteria: Vec<CriterionField>,
    has_rated: bool,
    /// Whether the account is too new for its rating to count.
    counts_later: bool,
    /// Open suggestions, and whether there are more.
    suggestions: Vec<SuggestionRow>,
    has_more_suggestions: bool,
    /// Whether it is a card, which nobody can change any more.
    is_official: bool,
    /// Whether the form of a rating was refused.
    was_rating_refused: bool,
    comments: Option<Comments>,
    /// A comment that was not stored, if the design cannot have comments any more.
    unsent_comment: String,
    /// The text of the link to hidden comments that the reader may read; empty: there are none.
    hidden_comments: &'static str,
}

/// Shows a design if its reader may see it.
pub(in crate::web) async fn find_design(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    design: web::Path<String>,
    query: web::Query<DesignQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let (faults, typed) = (Faults::none(), TypedFeedback::default());
    let page = page(&state, &visitor, code, query.into_inner(), (faults, typed)).await?;
    if !visitor.is_stranger() {
        return private(PageStatus::OK, &page);
    }
    // Caches must revalidate each time: a design may be withdrawn at any moment.
    let mut answer = answer(&req, &write(&page, Freshness::Private)?);
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Cookie"));
    Ok(answer)
}

/// The page with the faults of a form on it.
pub(super) async fn show(
    app: &AppState,
    visitor: &Visitor,
    code: DesignCode,
    (status, faults, typed): (PageStatus, Faults, TypedFeedback),
) -> Result<HttpResponse, Problem> {
    let query = DesignQuery::default();
    let page = page(app, visitor, code, query, (faults, typed)).await?;
    private(status, &page)
}

async fn page(
    app: &AppState,
    visitor: &Visitor,
    code: DesignCode,
    query: DesignQuery,
    (faults, typed): (Faults, TypedFeedback),
) -> Result<DesignPage, Problem> {
    let reads: Option<Granted<ReadOwnDesigns>> = visitor.must().ok();
    let reviews = visitor.must().ok().map(|by| DesignReviewer::new(&by, visitor.viewer()));
    let found = design_lifecycle::find(app, reads.as_ref(), reviews, code).await?;
    let VersionedDesign { is_own, design, .. } = found;
    let loaded = app.named_game(&design.game).await?.map_err(Problem::internal)?;
    let game = &loaded.game;
    if !query.rarity.is_empty() && game.rarity(&query.rarity).is_none() {
        return Err(Problem::of_query(Vec::new()));
    }
    let ratings = unless_missing(design_ratings::find_all(app, code).await)?;
    let own_rating = match &reads {
        Some(reads) if !is_own => unless_missing(design_ratings::find_own(app, reads, code).await)?,
        _ => None,
    };
    let (suggestions, has_more_suggestions) = match &reads {
        Some(reads) => {
            let limit = PageLimit::try_from(SUGGESTIONS).map_err(Problem::internal)?;
            let page = suggested_changes::list_open(app, reads, code, limit).await?;
            (page.data, page.next_cursor.is_some())
        }
        None => (Vec::new(), false),
    };
    let reader = reads.as_ref().map(Granted::account);
    let path = design_path(&design.id);
    let TypedFeedback { comment, rating: typed_rating } = typed;
    let (on, from) = ((code.into(), path.as_str()), query.comments.as_ref());
    let reads_comments = CommentReader { account: reader, is_owner: is_own };
    let unsent = comment.text().to_owned();
    let comments = comments::list(app, on, reads_comments, from, comment).await?;
    let hidden_comments = hidden_comments::link(app, visitor, on.0, reads_comments).await?;
    let given = |criterion: &str| match (&typed_rating, &own_rating) {
        (Some(typed), _) => typed.points_of(criterion),
        (None, Some(own)) => Some(match criterion {
            "fun" => own.fun,
            "balance" => own.balance,
            "flavour" => own.flavour,
            _ => own.clarity,
        }),
        (None, None) => None,
    };
    let perk = match &reads {
        Some(reads) if is_own && design.status == "official" => {
            unless_missing(designer_perks::find(app, reads, None, code).await)?
        }
        _ => None,
    };
    let name = design_words::name_of(&design.content.name);
    let shown = query.rarity.as_str();
    Ok(DesignPage {
        frame: frame(app, &design, &name, &path, ratings.is_some()),
        faults,
        picture: picture_path(&path, shown),
        alt: words::picture_of(&name, game.rarity(shown).map(|rarity| rarity.name.as_str())),
        rarities: rarities(game, &design, &path, shown),
        content: ContentView::new(game, &design.content),
        game: game.name().to_owned(),
        game_path: game_path(game.code()),
        author_path: path_of_author(app, &design).await?,
        status: design_words::status(design.status),
        // The notice of a takedown says what the author can do.
        status_about: if is_own && design.takedown.is_none() {
            design_words::status_about(design.status)
        } else {
            ""
        },
        revised: words::day_of(design.revised_at),
        revised_at: design.revised_at.to_rfc3339(),
        contributors: design.contributors.iter().map(|one| one.name.clone()).collect(),
        author_banned: design.author_banned,
        notices: notices(&design),
        card: design.card.as_ref().map(|card| card_path(&design.game, &card.set, &card.number)),
        perk: perk.map(|perk| design_words::perk(perk.state)),
        is_own,
        is_own_work: reader.is_some_and(|reader| design.is_work_of(reader)),
        may_be_reviewed: reviews.is_some() && may_be_reviewed(&design),
        may_be_reported: reader.is_some() && !is_own && is_readable(&design),
        is_logged_in: !visitor.is_stranger(),
        log_in: log_in_path(&path),
        steps: if is_own { step_links(&design) } else { Vec::new() },
        may_be_edited: is_own && super::steps::may_be_edited(&design),
        ratings: ratings.as_ref().map(RatingsView::new),
        criteria: criterion_fields(given),
        has_rated: own_rating.is_some(),
        counts_later: own_rating.as_ref().is_some_and(|own| own.counts_from > app.clock.now()),
        suggestions: suggestions
            .into_iter()
            .map(|suggestion| SuggestionRow::new(&path, suggestion))
            .collect(),
        has_more_suggestions,
        is_official: design.status == "official",
        was_rating_refused: typed_rating.is_some(),
        unsent_comment: if comments.is_none() { unsent } else { String::new() },
        comments,
        hidden_comments,
        id: design.id,
        author: design.author,
        name,
        path,
    })
}

/// Whether a moderator finds something to do on the page of its review.
fn may_be_reviewed(design: &DesignResponse) -> bool {
    matches!(design.status, "submitted" | "in_review" | "approved")
}

/// Whether everybody who knows its identifier can read it, also after it was withdrawn: then it can be reported.
fn is_readable(design: &DesignResponse) -> bool {
    design.shared_at.is_some() && design.takedown.is_none() && !design.author_banned
}

/// `None` if the API answers 404: the object does not exist or the reader may not see it.
fn unless_missing<T>(found: Result<T, Problem>) -> Result<Option<T>, Problem> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.code() == ProblemCode::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

fn frame(
    app: &AppState,
    design: &DesignResponse,
    name: &str,
    path: &str,
    is_public: bool,
) -> Frame {
    let frame = Frame::new(name).at(Place::Designs);
    if !is_public {
        return frame;
    }
    let public_url = app.settings.public_url.as_deref();
    let mut frame = frame.of_address(public_url, path);
    frame.preview = Some(Preview {
        title: name.to_owned(),
        text: design_words::preview(&design.author),
        picture: public_url.map(|public| format!("{public}{}", design.image_uris.png)),
    });
    frame
}

fn picture_path(path: &str, rarity: &str) -> String {
    if rarity.is_empty() {
        format!("{path}/picture")
    } else {
        format!("{path}/picture?rarity={rarity}")
    }
}

fn rarities(game: &Game, design: &DesignResponse, path: &str, shown: &str) -> Vec<RarityLink> {
    let first = design.content.all_printings.first().map_or("", |printing| &printing.rarity);
    let shown = if shown.is_empty() { first } else { shown };
    let link = |rarity: &String| RarityLink {
        name: rarity_name(game, rarity),
        path: format!("{path}?rarity={rarity}"),
        is_shown: rarity == shown,
    };
    design.content.all_printings.iter().map(|printing| link(&printing.rarity)).collect()
}

/// The messages of moderators about the design.
fn notices(design: &DesignResponse) -> Vec<Notice> {
    let review = design.review.as_ref().map(|review| Notice {
        heading: design_words::decision(review.decision),
        text: review.reason.clone(),
        day: words::day_of(review.decided_at),
        at: review.decided_at.to_rfc3339(),
    });
    let takedown = design.takedown.as_ref().map(|takedown| Notice {
        heading: design_words::TAKEN_DOWN,
        text: takedown.note.clone(),
        day: words::day_of(takedown.taken_down_at),
        at: takedown.taken_down_at.to_rfc3339(),
    });
    takedown.into_iter().chain(review).collect()
}

/// The page of the author of a design; `None`: there is none.
pub(super) async fn path_of_author(
    app: &AppState,
    design: &DesignResponse,
) -> Result<Option<String>, Problem> {
    // A shared design is on that page.
    let is_there = (is_readable(design) && design.status == "shared")
        || authors::is_shown(app, &design.author).await?;
    Ok(is_there.then(|| author_path(&design.author)))
}

/// The page of an author.
pub(super) fn author_path(name: &str) -> String {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    format!("/designers/{}", utf8_percent_encode(name, NON_ALPHANUMERIC))
}
