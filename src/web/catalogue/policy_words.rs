//! What an unlock policy asks beyond the number of submissions.

use crate::app::serials::unlock_policies::UnlockPolicyBody;
use crate::web::words;

/// A sentence for each condition beyond the number of submissions; `None`: there is no other. The sentences are those of the policy, so they are the same for
/// all cards of a set and reveal nothing about one of them, such as the number of its rarities.
pub(super) fn conditions(policy: &UnlockPolicyBody) -> Option<String> {
    let &UnlockPolicyBody {
        rarities,
        min_account_age_days: days,
        per_network,
        review,
        unlock_at,
        ..
    } = policy;
    let rarities = (rarities > 1).then(|| {
        format!(
            "Copies in at least {rarities} rarities are needed, or in all rarities in which a card was printed, if they are fewer."
        )
    });
    let age = match days {
        ..=0 => None,
        1 => Some("Accounts must be at least 1 day old.".to_owned()),
        days => Some(format!("Accounts must be at least {days} days old.")),
    };
    let network = per_network.map(|most| match most {
        1 => "At most 1 account of one network counts for a card.".to_owned(),
        most => format!("At most {most} accounts of one network count for a card."),
    });
    let review = review.then(|| "Submissions are reviewed first.".to_owned());
    let day =
        unlock_at.map(|at| format!("All cards of the set are unlocked on {}.", words::day_of(at)));
    let sentences: Vec<String> =
        [rarities, age, network, review, day].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::serials::unlock_policy::UnlockPolicy;

    #[test]
    fn each_condition_has_a_sentence() {
        assert_eq!(conditions(&UnlockPolicy::plain(5).into()), None);
        let policy = UnlockPolicy {
            rarities: 2,
            min_account_age_days: 7,
            per_network: Some(3),
            review: true,
            unlock_at: Some("2026-12-24T12:00:00Z".parse().unwrap()),
            ..UnlockPolicy::plain(5)
        };
        assert_eq!(
            conditions(&policy.into()).unwrap(),
            "Copies in at least 2 rarities are needed, or in all rarities in which a card was printed, if they are fewer. Accounts must be at least 7 days old. \
             At most 3 accounts of one network count for a card. Submissions are reviewed first. All cards of the set are unlocked on 24 December 2026."
        );
        let policy = UnlockPolicy {
            min_account_age_days: 1,
            per_network: Some(1),
            ..UnlockPolicy::plain(5)
        };
        assert_eq!(
            conditions(&policy.into()).unwrap(),
            "Accounts must be at least 1 day old. At most 1 account of one network counts for a card."
        );
    }
}
