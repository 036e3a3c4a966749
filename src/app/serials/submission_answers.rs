//! Responses about submissions, for the player who made them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::cards::CardUnlock;
use crate::domain::serials::submission::{CountingState, HoldReason};
use crate::store::serials::submissions::{CardOfCopy, NamedSubmission, OwnedRow, SubmissionRow};

/// The card of a submitted copy.
#[derive(Serialize, ToSchema)]
pub struct SubmittedCard {
    /// Id of the card.
    pub id: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// Its name. Absent in the answer to a submission, because the request contains the name. Also absent if the card is hidden from you, for example
    /// because you passed the copy on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Nobody's Shadow")]
    pub name: Option<String>,
    /// Address of the whole card. The owner of a registered copy sees it even if the card is hidden.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

/// A registered copy and its card.
#[derive(Serialize, ToSchema)]
pub struct SubmittedCopy {
    /// Id of the copy.
    pub copy: Uuid,
    /// The card.
    pub card: SubmittedCard,
    /// Rarity of the copy.
    #[schema(example = "common")]
    pub rarity: String,
    /// Unlock progress of the card; absent if the card was never hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlock: Option<CardUnlock>,
}

impl From<CardOfCopy> for SubmittedCopy {
    fn from(of: CardOfCopy) -> Self {
        Self {
            copy: of.copy_id.0,
            unlock: of.progress().map(Into::into),
            rarity: of.rarity,
            card: SubmittedCard {
                href: format!("/v1/cards/{}", of.card_id),
                id: of.card_id.0,
                game: of.game_code,
                set: of.set_code,
                number: of.number,
                name: None,
            },
        }
    }
}

/// Whether a submission counts for the unlock of its card.
#[derive(Serialize, ToSchema)]
pub struct SubmissionStanding {
    /// `counted`: it counts, or counted when the card was unlocked. `held`: it does not count yet, because the unlock policy holds it back;
    /// `held_for` has the reason. `not_counted`: it does not count, because the card was never hidden or was unlocked before, your account already
    /// counts for this card, the account is banned, the copy is void, or a moderator refused the submission.
    #[schema(example = "counted")]
    pub state: &'static str,
    /// Why it is held: `review` (a moderator must confirm it), `account_age` (the account is too young) or `network` (the maximum number of accounts
    /// of its network count already; another copy from a network that has room counts instead). Absent unless `state` is `held`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "review")]
    pub held_for: Option<&'static str>,
    /// The time from which the account is old enough; the submission counts a few seconds later. Absent unless `held_for` is `account_age`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_until: Option<DateTime<Utc>>,
    /// Whether `state` is `counted`.
    pub counted: bool,
}

impl From<CountingState> for SubmissionStanding {
    fn from(standing: CountingState) -> Self {
        let hold = standing.hold();
        Self {
            state: standing.as_str(),
            held_for: hold.map(HoldReason::as_str),
            held_until: hold.and_then(HoldReason::until),
            counted: standing == CountingState::Counted,
        }
    }
}

/// An accepted submission.
#[derive(Serialize, ToSchema)]
pub struct SubmissionResponse {
    /// Id of the submission.
    pub submission: Uuid,
    /// The copy and its card.
    #[serde(flatten)]
    pub of: SubmittedCopy,
    /// Whether it counts for the unlock of its card.
    #[serde(flatten)]
    pub standing: SubmissionStanding,
    /// When the submission registered the copy.
    pub created_at: DateTime<Utc>,
}

impl SubmissionResponse {
    /// The response about a submission as of the time `at`.
    pub(super) fn new(submission: NamedSubmission, at: DateTime<Utc>) -> Self {
        let NamedSubmission { row, name } = submission;
        let mut response = Self {
            submission: row.id.0,
            standing: row.counting_state(at).into(),
            created_at: row.created_at,
            of: row.of.into(),
        };
        response.of.card.name = name;
        response
    }
}

/// The answer to an accepted submission.
#[derive(Serialize, ToSchema)]
pub struct AcceptedResponse {
    /// Id of your submission of the copy. Absent if you have not submitted it, but got it by a trade, by the decision of a dispute, or as a
    /// designer's perk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<Uuid>,
    /// The copy and its card.
    #[serde(flatten)]
    pub of: SubmittedCopy,
    /// Whether your submission counts for the unlock of its card; `not_counted` if there is no submission of yours.
    #[serde(flatten)]
    pub standing: SubmissionStanding,
    /// When the copy was registered.
    pub created_at: DateTime<Utc>,
    /// Whether the copy was yours before this request.
    pub already_registered: bool,
}

impl AcceptedResponse {
    /// The response to a submission by the caller, as of the time `at`.
    pub(super) fn submitted(
        row: SubmissionRow,
        at: DateTime<Utc>,
        already_registered: bool,
    ) -> Self {
        Self {
            submission: Some(row.id.0),
            standing: row.counting_state(at).into(),
            created_at: row.created_at,
            of: row.of.into(),
            already_registered,
        }
    }

    /// The response about a copy that the caller got by a trade or by a moderator's decision.
    pub(super) fn owned(row: OwnedRow) -> Self {
        Self {
            submission: None,
            of: row.of.into(),
            standing: CountingState::NotCounted.into(),
            created_at: row.registered_at,
            already_registered: true,
        }
    }

    /// The address of the submission, or of the copy if there is no submission.
    pub(crate) fn location(&self) -> String {
        match self.submission {
            Some(submission) => format!("/v1/submissions/{submission}"),
            None => format!("/v1/copies/{}", self.of.copy),
        }
    }
}
