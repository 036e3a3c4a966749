//! Unlock policies: the conditions under which a hidden card becomes visible to everybody.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::problem::Problem;
use crate::app::serials::unlock_policies::{
    self, ChangedPolicy, PolicyChangedResponse, UnlockPolicyBody, UnlockPolicyResponse,
};
use crate::app::state::AppState;
use crate::app::versions::Versions;
use crate::auth::permission::UnlockCards;
use crate::domain::code::Code;
use crate::domain::serials::unlock_policy::UnlockPolicy;
use crate::http::extract::{Judge, JudgedBody, May, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::serials::unlock_policies::PolicyPlace;

/// Shows the unlock policy that applies to a set.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets/{set}/unlock-policy", tag = "serials",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
    ),
    responses(
        (status = 200, body = UnlockPolicyResponse,
            headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_set_policy(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, Code)>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let (answer, own) = unlock_policies::find_of_set(&state, game.as_str(), set.as_str()).await?;
    match own {
        Some(revision) => revision.answer_public(&req, &answer),
        None => cacheable(&req, Freshness::Public(0), None, &answer),
    }
}

/// Shows the unlock policy of a game, for its sets that have no policy of their own. 404 if the game has none.
#[utoipa::path(
    get, path = "/v1/games/{game}/unlock-policy", tag = "serials",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses(
        (status = 200, body = UnlockPolicyResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_game_policy(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let game = game.into_inner().into_string();
    let (answer, revision) = unlock_policies::find_of_game(&state, game).await?;
    revision.answer_public(&req, &answer)
}

/// Sets the unlock policy of a set. It also applies to earlier submissions.
///
/// Cards that already have enough submissions under the new policy are unlocked at once; unlocked cards are never hidden again. To replace a policy,
/// send its version in `If-Match`.
#[utoipa::path(
    put, path = "/v1/games/{game}/sets/{set}/unlock-policy", tag = "serials", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
        ("If-Match" = Option<String>, Header, description = "ETag of the policy that `GET` shows; not needed for the set's first policy", example = "\"r1\""),
    ),
    request_body = UnlockPolicyBody,
    responses(
        (status = 200, body = PolicyChangedResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 201, body = PolicyChangedResponse, description = "The set had no policy of its own.", headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 412, description = "`precondition_failed`"), (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn set_set_policy(
    state: web::Data<AppState>,
    by: May<UnlockCards>,
    path: web::Path<(Code, Code)>,
    versions: Versions,
    JudgedBody(body): JudgedBody<UnlockPolicyBody>,
) -> Result<HttpResponse, Problem> {
    let policy = body.value.parse()?;
    change(&state, &by, of_set(path), versions, Some(policy)).await
}

/// Sets the unlock policy of a game, for its sets that have no policy of their own.
#[utoipa::path(
    put, path = "/v1/games/{game}/unlock-policy", tag = "serials", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = Option<String>, Header, description = "ETag of the policy to replace; not needed for the game's first policy", example = "\"r1\""),
    ),
    request_body = UnlockPolicyBody,
    responses(
        (status = 200, body = PolicyChangedResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 201, body = PolicyChangedResponse, description = "The game had no policy.", headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 412, description = "`precondition_failed`"), (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn set_game_policy(
    state: web::Data<AppState>,
    by: May<UnlockCards>,
    game: web::Path<Code>,
    versions: Versions,
    JudgedBody(body): JudgedBody<UnlockPolicyBody>,
) -> Result<HttpResponse, Problem> {
    let policy = body.value.parse()?;
    change(&state, &by, of_game(game), versions, Some(policy)).await
}

/// Deletes a set's own unlock policy. Then that of the game applies, or else the threshold of the set file.
#[utoipa::path(
    delete, path = "/v1/games/{game}/sets/{set}/unlock-policy", tag = "serials", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
        ("If-Match" = String, Header, description = "ETag of the policy", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = PolicyChangedResponse),
        (status = 412, description = "`precondition_failed`"), (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn remove_set_policy(
    state: web::Data<AppState>,
    by: May<UnlockCards>,
    path: web::Path<(Code, Code)>,
    versions: Versions,
) -> Result<HttpResponse, Problem> {
    change(&state, &by, of_set(path), versions, None).await
}

/// Deletes the unlock policy of a game. Then the thresholds of the set files apply.
#[utoipa::path(
    delete, path = "/v1/games/{game}/unlock-policy", tag = "serials", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("If-Match" = String, Header, description = "ETag of the policy", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = PolicyChangedResponse),
        (status = 412, description = "`precondition_failed`"), (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn remove_game_policy(
    state: web::Data<AppState>,
    by: May<UnlockCards>,
    game: web::Path<Code>,
    versions: Versions,
) -> Result<HttpResponse, Problem> {
    change(&state, &by, of_game(game), versions, None).await
}

fn of_set(path: web::Path<(Code, Code)>) -> PolicyPlace {
    let (game, set) = path.into_inner();
    PolicyPlace { game: game.into_string(), set: Some(set.into_string()) }
}

fn of_game(game: web::Path<Code>) -> PolicyPlace {
    PolicyPlace { game: game.into_inner().into_string(), set: None }
}

async fn change(
    state: &AppState,
    by: &May<UnlockCards>,
    place: PolicyPlace,
    versions: Versions,
    policy: Option<UnlockPolicy>,
) -> Result<HttpResponse, Problem> {
    let policy = policy.as_ref();
    let ChangedPolicy { answer, revision, is_new } =
        unlock_policies::change(state, by, &place, &versions, policy).await?;
    let mut response = if is_new { HttpResponse::Created() } else { HttpResponse::Ok() };
    if policy.is_some() {
        response.insert_header(revision.header());
    }
    Ok(response.json(answer))
}

impl Judge for UnlockPolicyBody {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}
