//! Unlock policies: how many accounts unlock a hidden card, and which submissions count.
//!
//! A threshold alone is weak, because one person with several accounts could unlock a card. A policy can therefore require a
//! minimum age of accounts, limit the number of accounts of one network that count, require copies in several rarities, or
//! require a moderator's review of each submission.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use chrono::{DateTime, Duration, Utc};

use crate::domain::designs::perk::DesignerPerk;
use crate::domain::ids::{AccountId, SubmissionId};
use crate::domain::network::Network;

/// Highest threshold of a policy.
pub const MAX_THRESHOLD: i32 = 100_000;
/// Most rarities that a policy can require.
pub const MAX_RARITIES: i16 = 100;
/// Highest minimum age of accounts in a policy, in days.
pub const MAX_ACCOUNT_AGE_DAYS: i16 = 365;

/// The conditions that unlock a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlockPolicy {
    /// How many distinct accounts: 1 to [`MAX_THRESHOLD`].
    pub threshold: i32,
    /// The minimum number of rarities among the submitted copies: 1 to [`MAX_RARITIES`]. A card with printed copies in fewer rarities
    /// needs all of those.
    pub rarities: i16,
    /// The minimum age of an account, in days: 0 to [`MAX_ACCOUNT_AGE_DAYS`]. A younger account counts as soon as it reaches this age.
    pub min_account_age_days: i16,
    /// How many accounts of one network count for a card, the earliest first: 1 to [`MAX_THRESHOLD`]; `None`: all. For wider networks, the
    /// number is multiplied by the factors of [`Network::counted`]. An account is of the network of the vote by which it counts.
    pub per_network: Option<i32>,
    /// Whether a submission counts only once a moderator confirmed it.
    pub review: bool,
    /// The time from which all cards are open, regardless of submissions.
    pub unlock_at: Option<DateTime<Utc>>,
    /// The perk of players whose designs become cards. It has no effect on unlocking.
    pub designer_perk: Option<DesignerPerk>,
}

/// A submission of a card, for counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    pub submission: SubmissionId,
    /// The submitting account.
    pub account: AccountId,
    /// When the account was created.
    pub account_since: DateTime<Utc>,
    /// Rarity of the copy.
    pub rarity: String,
    /// Keyed hashes of the network of the submission, if it is known, and of the wider networks that contain it, in the order of
    /// [`Network::counted`].
    pub networks: Vec<Vec<u8>>,
    /// The decision of a moderator; `None`: there is none.
    pub confirmed: Option<bool>,
}

/// The result of counting votes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Number of accounts that count.
    pub accounts: i32,
    /// The votes that count: for each account that counts, the vote by which it does; and, if the policy requires rarities, the votes
    /// of accounts that count which added another rarity.
    pub counted: Vec<SubmissionId>,
    /// Whether the votes unlock the card.
    pub unlocks: bool,
}

impl UnlockPolicy {
    /// A policy with only a threshold.
    pub fn plain(threshold: i32) -> Self {
        Self {
            threshold,
            rarities: 1,
            min_account_age_days: 0,
            per_network: None,
            review: false,
            unlock_at: None,
            designer_perk: None,
        }
    }

    /// Counts votes, which must be in the order in which they were made. `printed`: the number of rarities in which
    /// copies of the card were printed.
    pub fn tally<'a>(
        &self,
        votes: impl IntoIterator<Item = &'a Vote>,
        printed: usize,
        now: DateTime<Utc>,
    ) -> Tally {
        let age = Duration::days(self.min_account_age_days.into());
        let is_ready = |vote: &&Vote| {
            vote.confirmed.unwrap_or(!self.review) && now - vote.account_since >= age
        };
        let votes: Vec<&Vote> = votes.into_iter().filter(is_ready).collect();
        let accounts = self.counting_accounts(&votes);
        let mut rarities = BTreeSet::new();
        let mut counted = Vec::new();
        for vote in votes {
            let Some(first) = accounts.get(&vote.account) else { continue };
            let brings_rarity = rarities.insert(vote.rarity.as_str()) && self.rarities > 1;
            if *first == vote.submission || brings_rarity {
                counted.push(vote.submission);
            }
        }
        let count = i32::try_from(accounts.len()).unwrap_or(i32::MAX);
        let needed = usize::try_from(self.rarities).unwrap_or_default().min(printed);
        let unlocks = count >= self.threshold && rarities.len() >= needed;
        Tally { accounts: count, counted, unlocks }
    }

    /// The accounts that count, each with the vote by which it does: its first one from networks that have room. A vote from a
    /// network without room does not hold back a later one from elsewhere.
    fn counting_accounts(&self, votes: &[&Vote]) -> BTreeMap<AccountId, SubmissionId> {
        let max = self.per_network.map(|max| u32::try_from(max).unwrap_or_default());
        let mut networks = BTreeMap::<&[u8], u32>::new();
        let mut accounts = BTreeMap::new();
        for vote in votes {
            let Entry::Vacant(account) = accounts.entry(vote.account) else { continue };
            if let Some(max) = max {
                let has_room = vote.networks.iter().enumerate().all(|(place, network)| {
                    let of_network = networks.get(network.as_slice()).copied().unwrap_or_default();
                    of_network < max.saturating_mul(Network::factor_at(place))
                });
                if !has_room {
                    continue;
                }
                for network in &vote.networks {
                    *networks.entry(network).or_default() += 1;
                }
            }
            account.insert(vote.submission);
        }
        accounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(day: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_000 + day)
    }

    fn vote(account: AccountId, rarity: &str, network: u8) -> Vote {
        Vote {
            submission: SubmissionId::generate(),
            account,
            account_since: day(0),
            rarity: rarity.to_owned(),
            networks: vec![vec![network]],
            confirmed: None,
        }
    }

    fn tally(policy: &UnlockPolicy, votes: &[Vote]) -> (i32, bool) {
        let Tally { accounts, unlocks, .. } = policy.tally(votes, 6, day(10));
        (accounts, unlocks)
    }

    #[test]
    fn an_account_counts_once() {
        let (ada, ben) = (AccountId::generate(), AccountId::generate());
        let votes = [vote(ada, "common", 1), vote(ada, "rare", 2), vote(ben, "common", 1)];
        assert_eq!(tally(&UnlockPolicy::plain(2), &votes), (2, true));
        assert_eq!(tally(&UnlockPolicy::plain(3), &votes), (2, false));
        assert_eq!(tally(&UnlockPolicy::plain(1), &[]), (0, false));
    }

    #[test]
    fn accounts_of_one_network_count_up_to_the_limit() {
        let policy = UnlockPolicy { per_network: Some(2), ..UnlockPolicy::plain(3) };
        let home: Vec<Vote> = (0..5).map(|_| vote(AccountId::generate(), "common", 1)).collect();
        assert_eq!(tally(&policy, &home), (2, false));
        let elsewhere = vote(AccountId::generate(), "common", 2);
        assert_eq!(tally(&policy, &[home.clone(), vec![elsewhere]].concat()), (3, true));
        // An account that changed its network does not count twice, and unknown networks are not counted as one network.
        let moved = Vote { networks: vec![vec![9]], ..home[0].clone() };
        assert_eq!(tally(&policy, &[home.clone(), vec![moved]].concat()), (2, false));
        let unknown = home.iter().map(|vote| Vote { networks: vec![], ..vote.clone() });
        assert_eq!(tally(&policy, &unknown.collect::<Vec<_>>()), (5, true));
    }

    #[test]
    fn an_account_that_was_held_back_counts_from_a_network_with_room() {
        let policy = UnlockPolicy { per_network: Some(1), ..UnlockPolicy::plain(3) };
        let [ada, ben, cem] = [(); 3].map(|()| AccountId::generate());
        let votes = [
            vote(ada, "common", 1),
            vote(ben, "rare", 1),
            vote(ben, "common", 2),
            vote(ben, "common", 3),
            vote(cem, "common", 2),
            vote(cem, "common", 3),
        ];
        let all = policy.tally(&votes, 6, day(10));
        assert_eq!((all.accounts, all.unlocks), (3, true));
        let named = |at: &[usize]| at.iter().map(|at| votes[*at].submission).collect::<Vec<_>>();
        // An account uses the room of one network only: that of the vote by which it counts.
        assert_eq!(all.counted, named(&[0, 2, 5]));
        // Required are rarities of accounts that count, whichever of their votes brings them.
        let rarities = UnlockPolicy { rarities: 2, ..policy };
        assert_eq!(rarities.tally(&votes, 6, day(10)).counted, named(&[0, 1, 2, 5]));
        let held = rarities.tally(&votes[..2], 6, day(10));
        assert_eq!((held.accounts, held.counted), (1, named(&[0])));
    }

    #[test]
    fn no_more_rarities_are_required_than_were_printed() {
        let policy = UnlockPolicy { rarities: 2, ..UnlockPolicy::plain(2) };
        let ada = AccountId::generate();
        let votes = [vote(ada, "common", 1), vote(AccountId::generate(), "common", 2)];
        assert_eq!(tally(&policy, &votes), (2, false));
        assert!(policy.tally(&votes, 1, day(10)).unlocks, "only one rarity was printed");
        let rare = vote(ada, "rare", 1);
        assert_eq!(tally(&policy, &[votes.to_vec(), vec![rare]].concat()), (2, true));
    }

    #[test]
    fn the_counted_votes_are_returned() {
        let (ada, ben) = (AccountId::generate(), AccountId::generate());
        let votes = [
            vote(ada, "common", 1),
            vote(ada, "rare", 1),
            vote(ada, "rare", 1),
            vote(ben, "rare", 1),
        ];
        let counted = |policy: &UnlockPolicy, votes: &[Vote]| {
            let named = policy.tally(votes, 6, day(10)).counted;
            let place = |id| votes.iter().position(|vote| vote.submission == id).unwrap();
            named.into_iter().map(place).collect::<Vec<_>>()
        };
        assert_eq!(counted(&UnlockPolicy::plain(2), &votes), [0, 3]);
        // Without the first vote of the account, its second vote counts.
        assert_eq!(counted(&UnlockPolicy::plain(2), &votes[1..]), [0, 2]);
        let rarities = UnlockPolicy { rarities: 2, ..UnlockPolicy::plain(2) };
        assert_eq!(counted(&rarities, &votes), [0, 1, 3]);
        let network = UnlockPolicy { per_network: Some(1), ..UnlockPolicy::plain(2) };
        assert_eq!(counted(&network, &votes), [0]);
        let review = UnlockPolicy { review: true, ..UnlockPolicy::plain(2) };
        assert!(counted(&review, &votes).is_empty());
    }

    #[test]
    fn a_young_account_counts_later() {
        let policy = UnlockPolicy { min_account_age_days: 11, ..UnlockPolicy::plain(1) };
        let votes = [vote(AccountId::generate(), "common", 1)];
        assert_eq!(tally(&policy, &votes), (0, false));
        assert!(policy.tally(&votes, 6, day(11)).unlocks);
    }

    #[test]
    fn the_decision_of_a_moderator_counts() {
        let policy = UnlockPolicy { review: true, ..UnlockPolicy::plain(1) };
        let waiting = vote(AccountId::generate(), "common", 1);
        let said = |confirmed| Vote { confirmed: Some(confirmed), ..waiting.clone() };
        assert_eq!(tally(&policy, std::slice::from_ref(&waiting)), (0, false));
        assert_eq!(tally(&policy, &[said(true)]), (1, true));
        assert_eq!(tally(&policy, &[said(false)]), (0, false));
        // A refused submission stays refused when the policy no longer requires a review.
        assert_eq!(tally(&UnlockPolicy::plain(1), &[said(false)]), (0, false));
    }

    /// A single customer with a /48 has 65,536 networks, and must not count as 65,536 customers.
    #[test]
    fn wider_networks_have_their_own_limits() {
        let policy = UnlockPolicy { per_network: Some(2), ..UnlockPolicy::plain(1_000) };
        let from = |customer: u8, street: u8| Vote {
            networks: vec![vec![1, customer, street], vec![2, street], vec![3]],
            ..vote(AccountId::generate(), "common", 0)
        };
        let of_street: Vec<Vote> = (0..50).map(|customer| from(customer, 0)).collect();
        assert_eq!(tally(&policy, &of_street), (8, false), "four times the limit of one customer");
        let of_town: Vec<Vote> = (0..50).map(|street| from(0, street)).collect();
        assert_eq!(tally(&policy, &of_town), (32, false), "sixteen times the limit");
        // An account that does not count because of one network uses no room in the other networks.
        let mixed = [of_street, of_town[1..].to_vec()].concat();
        assert_eq!(tally(&policy, &mixed), (32, false));
    }

    fn votes() -> impl Strategy<Value = Vec<Vote>> {
        let accounts: Vec<AccountId> = (0..8).map(|_| AccountId::generate()).collect();
        let one = (0..8_u8, 0..3_usize, prop::option::of(0..3_u8), prop::option::of(any::<bool>()));
        prop::collection::vec(one, 0..24).prop_map(move |votes| {
            let vote = |(account, rarity, network, confirmed): (u8, usize, Option<u8>, _)| Vote {
                submission: SubmissionId::generate(),
                account: accounts[usize::from(account)],
                account_since: day(account.into()),
                rarity: ["common", "rare", "mythic"][rarity].to_owned(),
                networks: network.map(|network| vec![network]).into_iter().collect(),
                confirmed,
            };
            votes.into_iter().map(vote).collect()
        })
    }

    proptest! {
        #[test]
        fn more_votes_never_count_less_and_a_plain_policy_counts_most(
            votes in votes(), cut in 0..24_usize, threshold in 1..6, rarities in 1..4_i16, age in 0..12_i16,
            per_network in prop::option::of(1..3), review: bool,
        ) {
            let policy = UnlockPolicy {
                threshold, rarities, min_account_age_days: age, per_network, review, unlock_at: None, designer_perk: None,
            };
            let fewer = policy.tally(&votes[..cut.min(votes.len())], 6, day(10));
            let all = policy.tally(&votes, 6, day(10));
            prop_assert!(fewer.accounts <= all.accounts);
            let named: BTreeSet<AccountId> = votes
                .iter()
                .filter(|vote| all.counted.contains(&vote.submission))
                .map(|vote| vote.account)
                .collect();
            prop_assert_eq!(i32::try_from(named.len()).unwrap(), all.accounts);
            prop_assert!(!fewer.unlocks || all.unlocks);
            // A less strict policy counts at least the accounts that a stricter one counts.
            let plain = UnlockPolicy::plain(threshold).tally(&votes, 6, day(10));
            prop_assert!(all.accounts <= plain.accounts);
            prop_assert!(!all.unlocks || plain.unlocks);
        }

        #[test]
        fn only_accounts_whose_networks_are_all_full_are_held_back(votes in votes(), per_network in 1..3) {
            let policy = UnlockPolicy { per_network: Some(per_network), ..UnlockPolicy::plain(9) };
            let tally = policy.tally(&votes, 6, day(10));
            let counted: Vec<&Vote> =
                votes.iter().filter(|vote| tally.counted.contains(&vote.submission)).collect();
            let of_network = |network: &[u8]| {
                let is_in = |vote: &&&Vote| vote.networks.iter().any(|other| other == network);
                i32::try_from(counted.iter().filter(is_in).count()).unwrap()
            };
            for vote in votes.iter().filter(|vote| vote.confirmed != Some(false)) {
                let counts = counted.iter().any(|other| other.account == vote.account);
                let is_full = |network: &Vec<u8>| of_network(network) >= per_network;
                prop_assert!(counts || vote.networks.iter().any(is_full));
                prop_assert!(vote.networks.iter().all(|network| of_network(network) <= per_network));
            }
        }
    }
}
