//! Unlock policies: the conditions under which a hidden card becomes visible to everybody.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::app::words::{Word as _, words};
use crate::auth::permission::{Granted, UnlockCards};
use crate::domain::designs::perk::DesignerPerk;
use crate::domain::serials::unlock_policy::{
    MAX_ACCOUNT_AGE_DAYS, MAX_RARITIES, MAX_THRESHOLD, UnlockPolicy,
};
use crate::store::db::deadlines;
use crate::store::serials::unlock_policies::{
    self, EffectivePolicy, PolicyChange, PolicyPlace, ShownPolicy,
};

words! {
    DesignerPerk: "What players get if their designs become cards of the set, once everybody sees the card.";
}

/// The conditions that unlock a card. Under every policy, a copy counts for only one account, and an account only once for each card.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnlockPolicyBody {
    /// How many distinct accounts must have submitted a copy.
    #[schema(example = 5, minimum = 1, maximum = 100_000)]
    pub threshold: i32,
    /// In how many different rarities, at least, copies must have been submitted. A card that was printed in fewer rarities needs copies in all of
    /// those.
    #[serde(default = "default_rarities")]
    #[schema(example = 2, minimum = 1, maximum = 100, default = 1)]
    pub rarities: i16,
    /// The age from which an account counts, in days. A younger account counts as soon as it is old enough.
    #[serde(default)]
    #[schema(example = 7, minimum = 0, maximum = 365, default = 0)]
    pub min_account_age_days: i16,
    /// How many accounts of one network (an IPv4 address or an IPv6 /64) count for a card, the first ones. An account counts
    /// by its first submission from a network that has room. The number is four times as large for an IPv6 /56, and sixteen times for a /48. Absent:
    /// all accounts count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2, minimum = 1, maximum = 100_000)]
    pub per_network: Option<i32>,
    /// Whether a submission counts only after a moderator has confirmed it.
    #[serde(default)]
    #[schema(example = false, default = false)]
    pub review: bool,
    /// The time from which all cards are unlocked, whatever was submitted: from 1970 to 9998. Absent: no date unlocks them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2027-03-01T12:00:00Z")]
    pub unlock_at: Option<DateTime<Utc>>,
    /// What players get if their designs become cards, once everybody sees the card: `reserved_copy`, a copy of the card that an admin gives them.
    /// Absent: only the credit and the badge. The policy at that moment applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DesignerPerk>, example = "reserved_copy")]
    pub designer_perk: Option<String>,
}

fn default_rarities() -> i16 {
    1
}

impl From<UnlockPolicy> for UnlockPolicyBody {
    fn from(policy: UnlockPolicy) -> Self {
        let UnlockPolicy {
            threshold,
            rarities,
            min_account_age_days,
            per_network,
            review,
            unlock_at,
            designer_perk,
        } = policy;
        let designer_perk = designer_perk.map(|perk| perk.as_str().to_owned());
        Self {
            threshold,
            rarities,
            min_account_age_days,
            per_network,
            review,
            unlock_at,
            designer_perk,
        }
    }
}

impl UnlockPolicyBody {
    /// Parses the policy, or returns every fault.
    pub(crate) fn parse(&self) -> Result<UnlockPolicy, Problem> {
        let &Self {
            threshold,
            rarities,
            min_account_age_days,
            per_network,
            review,
            unlock_at,
            ref designer_perk,
        } = self;
        let mut faults = Vec::new();
        let mut within = |field: &str, value: i32, min: i32, max: i32| {
            if !(min..=max).contains(&value) {
                faults.push(InputFault::at(format!("/{field}"), FaultReason::range(min, max)));
            }
        };
        within("threshold", threshold, 1, MAX_THRESHOLD);
        within("rarities", rarities.into(), 1, MAX_RARITIES.into());
        within("min_account_age_days", min_account_age_days.into(), 0, MAX_ACCOUNT_AGE_DAYS.into());
        within("per_network", per_network.unwrap_or(1), 1, MAX_THRESHOLD);
        let (first, end) = (DateTime::UNIX_EPOCH, DateTime::from_timestamp(FAR_FUTURE, 0));
        if unlock_at.is_some_and(|at| at < first || end.is_some_and(|end| at >= end)) {
            faults.push(InputFault::at("/unlock_at", "must be a time from 1970 to 9998"));
        }
        let designer_perk = designer_perk.as_deref().map(DesignerPerk::read).transpose();
        let designer_perk = designer_perk.unwrap_or_else(|error| {
            faults.push(InputFault::at("/designer_perk", error));
            None
        });
        if !faults.is_empty() {
            return Err(Problem::invalid(faults));
        }
        Ok(UnlockPolicy {
            threshold,
            rarities,
            min_account_age_days,
            per_network,
            review,
            unlock_at,
            designer_perk,
        })
    }
}

/// 1 January 9999 in Unix time.
const FAR_FUTURE: i64 = 253_370_764_800;

/// Where a policy comes from: the `set` itself, the `game`, or the `set_file`, which has only a threshold.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicySource {
    /// The set has its own policy.
    Set,
    /// It is the policy of the game, for sets that have none of their own.
    Game,
    /// There is no policy: the threshold of the set file applies.
    SetFile,
}

/// The unlock policy that applies.
#[derive(Serialize, ToSchema)]
pub struct UnlockPolicyResponse {
    /// The policy, in the form of the body of a `PUT`.
    pub policy: UnlockPolicyBody,
    /// Where the policy comes from.
    pub source: PolicySource,
}

impl From<EffectivePolicy> for UnlockPolicyResponse {
    fn from(EffectivePolicy { policy, stored }: EffectivePolicy) -> Self {
        let source = match stored {
            None => PolicySource::SetFile,
            Some(row) if row.is_of_set() => PolicySource::Set,
            Some(_) => PolicySource::Game,
        };
        Self { policy: policy.into(), source }
    }
}

/// The result of a change of an unlock policy.
#[derive(Serialize, ToSchema)]
pub struct PolicyChangedResponse {
    /// Number of cards that the change unlocked at once.
    #[schema(example = 0)]
    pub unlocked: usize,
}

/// Finds the policy that applies to a set. The version is `None` when the set has no policy of its own.
pub async fn find_of_set(
    app: &AppState,
    game: &str,
    set: &str,
) -> Result<(UnlockPolicyResponse, Option<Revision>), Problem> {
    let mut conn = app.store.connection().await?;
    let found = unlock_policies::find_effective(&mut conn, game, set).await?;
    let found = found.ok_or_else(Problem::not_found)?;
    let own = found.stored.as_ref().filter(|row| row.is_of_set()).map(|row| Revision(row.revision));
    Ok((found.into(), own))
}

/// Finds the policy that applies to sets of a game without a policy of their own, with its version.
pub async fn find_of_game(
    app: &AppState,
    game: String,
) -> Result<(UnlockPolicyResponse, Revision), Problem> {
    let place = PolicyPlace { game, set: None };
    let mut conn = app.store.connection().await?;
    let row = unlock_policies::find(&mut conn, &place).await?.ok_or_else(Problem::not_found)?;
    let answer = UnlockPolicyResponse { policy: row.policy().into(), source: PolicySource::Game };
    Ok((answer, Revision(row.revision)))
}

/// The result of a change of a policy.
pub struct ChangedPolicy {
    /// What the change did.
    pub answer: PolicyChangedResponse,
    /// The policy's new version.
    pub revision: Revision,
    /// Whether the set or game had no policy of its own before.
    pub is_new: bool,
}

/// Stores a policy for a set or a game, or deletes it (`None`), if `versions` matches the current one.
pub async fn change(
    app: &AppState,
    by: &Granted<UnlockCards>,
    place: &PolicyPlace,
    versions: &Versions,
    policy: Option<&UnlockPolicy>,
) -> Result<ChangedPolicy, Problem> {
    let mut conn = app.store.connection().await?;
    let shown = unlock_policies::find_shown(&mut conn, place).await?;
    drop(conn);
    check_revision(versions, shown)?;
    // Checked again under the lock on the game: another change may have been running.
    let is_current = |shown| check_revision(versions, shown).is_ok();
    let at = app.clock.now();
    let changed = app
        .write_within(deadlines::BATCH, by, async |conn, by| {
            unlock_policies::change(conn, by, place, policy, is_current, at).await
        })
        .await?;
    let (revision, is_new, unlocked) = match changed {
        PolicyChange::Done { revision, is_new, unlocked } => (revision, is_new, unlocked),
        PolicyChange::Stale => return Err(Problem::new(ProblemCode::PreconditionFailed)),
        PolicyChange::Missing => return Err(Problem::not_found()),
    };
    app.cached_answers.forget();
    app.designs_changed();
    app.wait_until_current().await;
    tracing::info!(by = %by.account(), game = place.game, set = place.set, unlocked, "unlock policy changed");
    let answer = PolicyChangedResponse { unlocked };
    Ok(ChangedPolicy { answer, revision: Revision(revision), is_new })
}

/// Checks that the client means the version to replace. A set without a policy of its own is shown with the one that applies
/// to it; the client may refer to that one's ETag.
fn check_revision(versions: &Versions, shown: ShownPolicy) -> Result<(), Problem> {
    let current = shown.revision.map(Revision);
    match shown.default.map(UnlockPolicyResponse::from) {
        Some(default) => versions.check_shown(current, &default)?,
        None => versions.check(current)?,
    };
    Ok(())
}
