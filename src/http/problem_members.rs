//! The schema of the members that only problems with certain codes have.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::query_warning::QueryWarning;
use crate::app::collection::counts::ChoiceResponse;
use crate::app::collection::import_responses::RejectedLineResponse;
use crate::app::designs::design_checks::ReleaseObstacle;

/// Members for programs that only problems with certain codes have. Each names its codes; with any other code it is absent.
#[derive(ToSchema)]
pub struct ProblemMembers {
    /// Bytes of artwork that the account may store (`artwork_quota_reached`).
    #[schema(required = false, example = 104_857_600)]
    pub bytes_quota: i64,
    /// Bytes of artwork that the account stores already (`artwork_quota_reached`).
    #[schema(required = false, example = 104_000_000)]
    pub bytes_used: i64,
    /// What may be meant: cards (`ambiguous_name`), or the possible printings of each change that names none or several (`unclear_printing`).
    #[schema(required = false)]
    pub candidates: Vec<ProblemCandidate>,
    /// Ids of the copies that could not be exchanged; empty if the other player is the reason (`trade_lapsed`).
    #[schema(required = false)]
    pub copies: Vec<Uuid>,
    /// Id of the dispute in which your claim is recorded (`registered_to_another`).
    #[schema(required = false)]
    pub dispute_id: Uuid,
    /// State of this dispute (`registered_to_another`): `open`, `for_owner`, `for_claimant`, `withdrawn` or `settled`.
    #[schema(required = false, example = "open")]
    pub dispute_state: String,
    /// Number of entries of an import that would have more than 9999 cards (`count_out_of_range`; absent if the request was not an import), or whose counts have changed since the file was shown (`collection_changed`).
    #[schema(required = false, example = 2, minimum = 1)]
    pub entries: i64,
    /// The terms of the query that are wrong (`invalid_query`; absent if the request was not a search, or its query is not the reason).
    #[schema(required = false)]
    pub faults: Vec<QueryWarning>,
    /// Which limit was reached (`daily_limit_reached`): the name of a member of `daily` in the `limits` of the design toolkit.
    #[schema(required = false, example = "shares")]
    pub limit: String,
    /// How many this account may in a day (`daily_limit_reached`).
    #[schema(required = false, example = 5, minimum = 0)]
    pub max: i64,
    /// Most bytes that a body of this route may have (`body_too_large`).
    #[schema(required = false, example = 262_144, minimum = 0)]
    pub max_bytes: i64,
    /// Why the design cannot be released (`design_not_releasable`; absent if a release is refused: then `errors` has all that stands against it).
    #[schema(required = false)]
    pub obstacles: Vec<ReleaseObstacle>,
    /// Place of the symbol that no serial code has, counted from 1 (`serial_malformed`; absent if the length or the check symbol is wrong).
    #[schema(required = false, example = 5, minimum = 1)]
    pub position: i64,
    /// Why the file is not an acceptable picture (`unreadable_artwork`): `empty`, `unknown_format`, `too_many_bytes`, `too_many_pixels`, `too_small`, `too_narrow`,
    /// `animated`, `cmyk`, `too_complex`, `unsupported`, `truncated` or `broken`.
    #[schema(required = false, example = "unknown_format")]
    pub reason: String,
    /// The lines that cannot be imported (`import_has_faults`).
    #[schema(required = false)]
    pub rejected: Vec<RejectedLineResponse>,
    /// When the day of the limit ends (`daily_limit_reached`).
    #[schema(required = false)]
    pub resets_at: DateTime<Utc>,
    /// The least role that may do this: `player`, `moderator` or `admin`. Only with the code forbidden.
    #[schema(required = false, example = "moderator")]
    pub role: String,
    /// The scope that the token needs (`scope_missing`).
    #[schema(required = false, example = "decks:write")]
    pub scope: String,
    /// State of the trade or the dispute, which is over. A trade: `accepted`, `declined`, `cancelled`, `countered`, `lapsed` or `expired`; a dispute:
    /// `for_owner`, `for_claimant`, `withdrawn`, `settled` or `voided`. Only with the codes of a closed trade and a closed dispute.
    #[schema(required = false, example = "declined")]
    pub state: String,
}

/// What may be meant.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum ProblemCandidate {
    /// A card that has the name.
    Card(CandidateCard),
    /// The printings that a change may mean.
    Change(CandidatePrintings),
}

/// A card that may be meant by a name.
#[derive(Serialize, ToSchema)]
pub struct CandidateCard {
    /// Id of the card.
    pub id: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "016")]
    pub number: String,
    /// Its name.
    #[schema(example = "Kettle Imp")]
    pub name: String,
}

/// The printings that a change may mean.
#[derive(Serialize, ToSchema)]
pub struct CandidatePrintings {
    /// Place of the change in the request, from 0.
    #[schema(example = 0, minimum = 0)]
    pub change: i64,
    /// The printings or cards.
    pub choices: Vec<ChoiceResponse>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;
    use utoipa::PartialSchema as _;

    use super::*;
    use crate::app::problem_member::ProblemMember;

    /// A member that is added to the table must be described here, with its codes.
    #[test]
    fn the_schema_declares_every_member() {
        let schema = serde_json::to_value(ProblemMembers::schema()).unwrap();
        let described = schema["properties"].as_object().unwrap();
        let declared: BTreeSet<&str> = described.keys().map(String::as_str).collect();
        let members: BTreeSet<&str> = ProblemMember::ALL.iter().map(|one| one.as_str()).collect();
        assert_eq!(declared, members);
        assert_eq!(schema.get("required"), None::<&Value>);
        for member in ProblemMember::ALL {
            let text = described[member.as_str()]["description"].as_str().unwrap_or_default();
            // The guide lists the words in the descriptions of `role` and `state`, so the codes are not quoted there.
            if !matches!(member, ProblemMember::Role | ProblemMember::State) {
                let is_named = |code: &&str| text.contains(&format!("`{code}`"));
                let unnamed = member.codes().iter().map(|code| code.code());
                let unnamed: Vec<&str> = unnamed.filter(|code| !is_named(code)).collect();
                assert_eq!(unnamed, Vec::<&str>::new(), "{member:?}");
            }
        }
    }
}
