//! Personal access tokens for programs of the owner: they are created, shown once, and revoked.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::account::Moment;
use super::words as account_words;
use crate::app::accounts::tokens::{self, CreatedTokenResponse, RequestedToken};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ManageOwnTokens, Role, Scope};
use crate::domain::ids::TokenId;
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Choice, Faults, Fields, new_key, private, secret};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The lifetimes that the form offers, in days.
const LIFETIMES: [u16; 4] = [7, 30, 90, 366];
/// The lifetime that is chosen at first.
const USUAL_LIFETIME: u16 = 90;

#[derive(Template)]
#[template(path = "web/accounts/tokens.html")]
struct TokensPage {
    frame: Frame,
    faults: Faults,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    tokens: Vec<TokenLine>,
    /// The typed name.
    name: String,
    scopes: Vec<Choice>,
    lifetimes: Vec<Choice>,
    /// Idempotency key: a form that is sent twice is one request.
    key: String,
}

/// A token of the visitor's account.
struct TokenLine {
    id: Uuid,
    name: String,
    scopes: String,
    used: Option<Moment>,
    ends: Moment,
}

/// The input of the form.
struct TypedToken {
    name: String,
    scopes: Vec<String>,
    days: u16,
    key: String,
}

impl TypedToken {
    fn new() -> Self {
        let (days, key) = (USUAL_LIFETIME, new_key());
        Self { name: String::new(), scopes: Vec::new(), days, key }
    }

    fn read(fields: &Fields) -> Self {
        Self {
            name: fields.one("name").to_owned(),
            scopes: fields.all("scope").map(str::to_owned).collect(),
            days: fields.one("days").parse().unwrap_or_default(),
            key: fields.one("key").to_owned(),
        }
    }
}

/// Query of the page: the code of the action that was just completed.
#[derive(Deserialize)]
pub(in crate::web) struct TokensQuery {
    #[serde(default)]
    done: String,
}

/// Shows the visitor's own tokens, and the form for a new one.
pub(in crate::web) async fn show_tokens(
    state: web::Data<AppState>,
    by: Player<ManageOwnTokens>,
    query: web::Query<TokensQuery>,
) -> Result<HttpResponse, Problem> {
    let done = account_words::done(&query.done);
    show(&state, &by, PageStatus::OK, Faults::none(), done, TypedToken::new()).await
}

async fn show(
    app: &AppState,
    by: &Player<ManageOwnTokens>,
    status: PageStatus,
    faults: Faults,
    done: &'static str,
    typed: TypedToken,
) -> Result<HttpResponse, Problem> {
    let tokens = tokens::list(app, by).await?.data.into_iter().map(|token| TokenLine {
        id: token.id,
        name: token.name,
        scopes: token.scopes.join(", "),
        used: token.last_used_at.map(Moment::new),
        ends: Moment::new(token.expires_at),
    });
    // A token never has more permissions than the role of its owner, so the form offers only scopes that the role has.
    let is_offered = |scope: &Scope| {
        by.role() >= Role::Moderator || !matches!(scope, Scope::AdminRead | Scope::AdminWrite)
    };
    let scopes = Scope::ALL.into_iter().filter(is_offered).map(|scope| Choice {
        value: scope.as_str().to_owned(),
        name: account_words::scope(scope).to_owned(),
        is_chosen: typed.scopes.iter().any(|chosen| chosen == scope.as_str()),
    });
    let lifetimes = LIFETIMES.into_iter().map(|days| Choice {
        value: days.to_string(),
        name: account_words::days(days),
        is_chosen: typed.days == days,
    });
    let page = TokensPage {
        frame: Frame::new(account_words::TOKENS).at(Place::Account),
        faults,
        done,
        tokens: tokens.collect(),
        scopes: scopes.collect(),
        lifetimes: lifetimes.collect(),
        name: typed.name,
        key: typed.key,
    };
    private(status, &page)
}

#[derive(Template)]
#[template(path = "web/accounts/token.html")]
struct TokenPage {
    frame: Frame,
    created: CreatedTokenResponse,
    scopes: String,
    ends: Moment,
}

/// Creates a token, and shows it.
pub(in crate::web) async fn create_token(
    state: web::Data<AppState>,
    by: Player<ManageOwnTokens>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let mut typed = TypedToken::read(&fields);
    let requested = match RequestedToken::read(&typed.name, &typed.scopes, Some(typed.days)) {
        Ok(requested) => requested,
        Err(problem) => {
            let (status, faults) = (PageStatus::of(&problem), input_faults(&problem));
            return show(&state, &by, status, faults, "", typed).await;
        }
    };
    let (days, scopes) = (typed.days.to_string(), typed.scopes.join(" "));
    let fields = [typed.name.as_str(), &days, &scopes];
    let key = claim_of_form(&state, by.account(), "page_create_token", &typed.key, &fields);
    match tokens::create(&state, &by, &requested, key.as_ref()).await {
        Ok(created) => {
            let frame = Frame::new(account_words::TOKEN_MADE).at(Place::Account);
            let (scopes, ends) =
                (created.token.scopes.join(", "), Moment::new(created.token.expires_at));
            secret(PageStatus::CREATED, &TokenPage { frame, created, scopes, ends })
        }
        Err(problem) => {
            let faults = Faults::of_problem(&problem, &[], account_words::token_fault);
            let Some(faults) = faults else { return Err(problem) };
            if matches!(problem.code(), ProblemCode::IdempotencyKeyReused | ProblemCode::Gone) {
                typed.key = new_key();
            }
            show(&state, &by, PageStatus::of(&problem), faults, "", typed).await
        }
    }
}

/// The faults of the input, in the order of the fields and one for each field.
fn input_faults(problem: &Problem) -> Faults {
    let mut faults = Faults::none();
    for (field, begin, text) in [
        ("name", "/name", account_words::TOKEN_NAME_FAULT),
        ("scopes", "/scopes", account_words::SCOPES_FAULT),
        ("days", "/expires_in_days", account_words::DAYS_FAULT),
    ] {
        if problem.faults().iter().any(|fault| fault.pointer.starts_with(begin)) {
            faults.add(field, text);
        }
    }
    faults
}

/// Revokes a token. A token that is revoked already is not an error.
pub(in crate::web) async fn revoke_token(
    state: web::Data<AppState>,
    by: Player<ManageOwnTokens>,
    token: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    match tokens::revoke(&state, &by, TokenId(*token)).await {
        Err(problem) if problem.code() != ProblemCode::NotFound => Err(problem),
        _ => Ok(see_other("/my/tokens?done=token")),
    }
}
