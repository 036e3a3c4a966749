//! Perks of designers: promised by the policy of a set to players whose designs become its cards, and granted by
//! admins.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::serials::serial_attempts;
use crate::app::state::AppState;
use crate::auth::permission::{GrantPerks, Granted, ReadOwnDesigns, ReadPerks};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::DesignId;
use crate::domain::network::Network;
use crate::domain::serials::serial::SerialCode;
use crate::store::designs::designer_rewards::{self, EarnedPerk, GrantOutcome, ReservedCopy};
use crate::store::serials::submissions::keeps_attempt;

/// The card for which a designer earned a perk.
#[derive(Serialize, ToSchema)]
pub struct PerkCard {
    /// Id of the card.
    pub id: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "101")]
    pub number: String,
    /// Where the whole card is.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

/// A perk that a designer earned.
#[derive(Serialize, ToSchema)]
pub struct DesignerPerkResponse {
    /// Identifier of the design.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: String,
    /// Id of its author.
    pub account_id: Uuid,
    /// Name of its author.
    #[schema(example = "ada")]
    pub author: String,
    /// The card that the design became.
    pub card: PerkCard,
    /// The perk: `reserved_copy` (a copy of the card).
    #[schema(example = "reserved_copy")]
    pub perk: &'static str,
    /// `due` or `granted`.
    #[schema(example = "granted")]
    pub state: &'static str,
    /// When it was earned: when the card became visible to everybody.
    pub earned_at: DateTime<Utc>,
    /// Id of the copy that the author was given; absent: the perk is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<Uuid>,
    /// When the perk was granted; absent: it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_at: Option<DateTime<Utc>>,
}

impl From<EarnedPerk> for DesignerPerkResponse {
    fn from(earned: EarnedPerk) -> Self {
        Self {
            design: earned.design.to_string(),
            account_id: earned.account_id.0,
            author: earned.author,
            card: PerkCard {
                id: earned.card_id.0,
                game: earned.game_code,
                set: earned.set_code,
                number: earned.number,
                href: format!("/v1/cards/{}", earned.card_id),
            },
            perk: earned.perk.as_str(),
            state: if earned.granted_at.is_some() { "granted" } else { "due" },
            earned_at: earned.earned_at,
            copy: earned.copy_id.map(|copy| copy.0),
            granted_at: earned.granted_at,
        }
    }
}

/// Where a page of perks begins: when the last perk of the previous page was earned, and the id of its design.
pub type PerkKey = (CursorTime, DesignId);

/// Lists the perks that are due, or those that were granted; the first earned comes first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadPerks>,
    granted: bool,
    after: Option<PerkKey>,
    limit: PageLimit,
) -> Result<Page<DesignerPerkResponse>, Problem> {
    let after = after.map(|(CursorTime(at), design)| (at, design));
    let mut conn = app.store.connection().await?;
    let rows = designer_rewards::list(&mut conn, by, granted, after, limit.rows()).await?;
    let key = |row: &EarnedPerk| (CursorTime(row.earned_at), row.design_id);
    Ok(paged(rows, limit, key, Into::into))
}

/// Finds the perk of one of the caller's designs; an overseer finds that of any design. A hidden card has no perk yet.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    overseer: Option<&Granted<ReadPerks>>,
    design: DesignCode,
) -> Result<DesignerPerkResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = designer_rewards::find(&mut conn, by, overseer, design).await?;
    found.map(Into::into).ok_or_else(Problem::not_found)
}

/// Gives the designer the copy with this code. A code that matches no free copy of the card costs an attempt, as in a
/// submission.
pub async fn grant_copy(
    app: &AppState,
    by: &Granted<GrantPerks>,
    network: Network,
    design: DesignCode,
    code: &SerialCode,
) -> Result<DesignerPerkResponse, Problem> {
    let at = app.clock.now();
    let copy = ReservedCopy {
        prefix: code.prefix(),
        macs: app.keys.serials().iter().map(|key| key.serial_mac(code)).collect(),
    };
    let reserved = serial_attempts::reserve(app, by.account(), network, 1, at).await?;
    let outcome = app
        .write(by, async |conn, by| designer_rewards::grant_copy(conn, by, design, &copy, at).await)
        .await;
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            let used = u32::from(keeps_attempt(&error));
            serial_attempts::settle_later(app, &reserved, used);
            return Err(error.into());
        }
    };
    let is_guess = matches!(outcome, GrantOutcome::NoSuchCopy);
    serial_attempts::settle(app, &reserved, u32::from(is_guess)).await?;
    match outcome {
        GrantOutcome::Done { perk, already } => {
            if !already {
                tracing::info!(by = %by.account(), %design, account = %perk.account_id, "reserved copy given to its designer");
            }
            Ok((*perk).into())
        }
        GrantOutcome::Missing => Err(Problem::not_found().detail(
            "The design earned no perk: there is no such design, its card is hidden, or the policy of the set named none when everybody saw the card.",
        )),
        GrantOutcome::Granted => Err(Problem::new(ProblemCode::PerkRefused)
            .detail("The designer has been given another copy.")),
        GrantOutcome::Banned => {
            Err(Problem::new(ProblemCode::PerkRefused).detail("The designer is banned."))
        }
        GrantOutcome::NoSuchCopy => Err(Problem::new(ProblemCode::SubmissionRejected).errors(vec![
            InputFault::at("/serial", "fits no copy of this card that nobody has registered"),
        ])),
    }
}
