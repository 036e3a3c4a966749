//! Comments on decks and replies to them: written, changed and deleted; reports of decks, comments and authors.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use uuid::Uuid;

use super::words as deck_words;
use super::{deck, deck_path};
use crate::app::decks::deck_lists;
use crate::app::designs::abuse_reports::Reported;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, Granted, ReadOwnDecks, ReportAbuse};
use crate::domain::ids::{AccountId, CommentId, DeckId};
use crate::http::extract::{ClientNetwork, Form};
use crate::web::feedback::Origin;
use crate::web::feedback::comment_form::{self, EditedComment};
use crate::web::feedback::comments::{self as shared, CommentReader, RepliesQuery, TypedComment};
use crate::web::feedback::reports::{self, ReportSubject, TypedReport};
use crate::web::feedback::words as feedback_words;
use crate::web::page::Place;
use crate::web::session::{Player, Visitor, see_other};

/// The page of a deck, whose name is not looked up.
pub(super) fn origin(deck: DeckId) -> Origin {
    Origin {
        place: Place::Decks,
        list: "/decks",
        list_name: deck_words::DECKS,
        path: deck_path(deck.0),
        name: deck_words::THE_DECK.to_owned(),
    }
}

/// Whether a deck that the visitor may see is theirs.
pub(super) async fn is_owner(
    app: &AppState,
    visitor: &Visitor,
    reads: &Granted<ReadOwnDecks>,
    deck: DeckId,
) -> Result<bool, Problem> {
    let found = deck_lists::find(app, (visitor.viewer(), Some(reads)), deck).await?;
    Ok(found.deck.summary.account_id == Some(reads.account().0))
}

/// Lists all replies to a comment, oldest first, page by page.
pub(in crate::web) async fn list_replies(
    state: web::Data<AppState>,
    visitor: Visitor,
    path: web::Path<(Uuid, Uuid)>,
    query: web::Query<RepliesQuery>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    let deck = DeckId(deck);
    let reads: Option<Granted<ReadOwnDecks>> = visitor.must().ok();
    let is_owner = match &reads {
        Some(reads) => is_owner(&state, &visitor, reads, deck).await?,
        None => false,
    };
    let reader = CommentReader { account: reads.as_ref().map(Granted::account), is_owner };
    shared::list_replies(&state, origin(deck), reader, (deck.into(), comment), &query).await
}

/// Creates a comment.
pub(in crate::web) async fn create(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
    Form(typed): Form<TypedComment>,
) -> Result<HttpResponse, Problem> {
    let id = DeckId(*deck);
    match shared::create(&state, &by, id, "create_deck_comment", typed).await? {
        Ok(()) => Ok(see_other(&format!("{}#comments", deck_path(id.0)))),
        Err(refusal) => deck::show(&state, (&by.visitor, network.0), id, refusal).await,
    }
}

/// Shows one of the visitor's own comments, to change or delete it.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<GiveDeckFeedback>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    let deck = DeckId(deck);
    comment_form::show(&state, origin(deck), by.account(), (deck.into(), comment)).await
}

/// Changes one of the visitor's own comments.
pub(in crate::web) async fn save(
    state: web::Data<AppState>,
    by: Player<GiveDeckFeedback>,
    path: web::Path<(Uuid, Uuid)>,
    Form(edited): Form<EditedComment>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    let deck = DeckId(deck);
    comment_form::save(&state, &by, origin(deck), (deck, comment), edited).await
}

/// Deletes one of the visitor's own comments.
pub(in crate::web) async fn delete(
    state: web::Data<AppState>,
    by: Player<GiveDeckFeedback>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    let deck = DeckId(deck);
    comment_form::delete(&state, &by, &origin(deck), (deck, comment)).await
}

/// The reported comment, or the reported author of the deck; neither: the deck is reported.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in crate::web) struct ReportedPart {
    comment: Option<Uuid>,
    author: Option<Uuid>,
}

/// Shows the form of a report.
pub(in crate::web) async fn show_report(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    deck: web::Path<Uuid>,
    about: web::Query<ReportedPart>,
) -> Result<HttpResponse, Problem> {
    let subject = subject(&state, &by.visitor, DeckId(*deck), *about).await?;
    reports::show(&state, &by, subject).await
}

/// Stores a report.
pub(in crate::web) async fn report(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    deck: web::Path<Uuid>,
    Form(typed): Form<TypedReport>,
) -> Result<HttpResponse, Problem> {
    let about = ReportedPart { comment: typed.comment()?, author: typed.author()? };
    let subject = subject(&state, &by.visitor, DeckId(*deck), about).await?;
    // The form of an older program, without the part, was about the author: this form shows that it is about the deck.
    if matches!(subject.reported, Reported::Deck(_)) && !typed.is_about_deck()? {
        return reports::ask_again(&state, &by, subject, &typed).await;
    }
    reports::send(&state, &by, subject, &typed).await
}

/// What is reported: the deck, a comment on it, or the author of a public deck. The author of an unlisted deck is unknown: it answers 404, as any other
/// account does. Owners cannot report themselves or their decks, so they get no form.
async fn subject(
    app: &AppState,
    visitor: &Visitor,
    id: DeckId,
    about: ReportedPart,
) -> Result<ReportSubject, Problem> {
    let reads: Granted<ReadOwnDecks> = visitor.must()?;
    let deck = deck_lists::find(app, (visitor.viewer(), Some(&reads)), id).await?.deck.summary;
    let (reported, heading, part) = match (about.comment, about.author) {
        (Some(comment), _) => {
            let reported = Reported::DeckComment(id, CommentId(comment));
            (reported, feedback_words::REPORT_COMMENT, Some(("comment", comment.to_string())))
        }
        _ if deck.account_id == Some(reads.account().0) => {
            return Err(Problem::new(ProblemCode::OwnReport));
        }
        (None, Some(author)) if deck.account_id != Some(author) => {
            return Err(Problem::not_found());
        }
        (None, Some(author)) => {
            let reported = Reported::Account(AccountId(author));
            (reported, deck_words::REPORT_AUTHOR, Some(("author", author.to_string())))
        }
        (None, None) => {
            let part = Some(("about", "deck".to_owned()));
            (Reported::Deck(id), deck_words::REPORT_DECK, part)
        }
    };
    let origin = Origin { name: deck.name, ..origin(id) };
    Ok(ReportSubject { origin, reported, about: heading, back: deck_words::BACK_TO_DECK, part })
}
