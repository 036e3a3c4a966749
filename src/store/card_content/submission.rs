//! Checks whether serial codes and card names belong together, without revealing names.

use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Int4, Nullable, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::keys::SerialMac;
use crate::auth::permission::{Acting, SubmitSerials};
use crate::domain::ids::{AccountId, CardId, CopyId, SubmissionId};
use crate::domain::serials::serial::RunPrefix;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

#[derive(Clone, Debug)]
pub struct SubmissionClaim {
    /// The first symbols of the code.
    pub prefix: RunPrefix,
    /// The code hashed under every serial key.
    pub macs: Vec<SerialMac>,
    /// The name, folded.
    pub name_key: String,
    /// Code of the game, if the submitter gave one.
    pub game: Option<String>,
}

/// A copy that matches code and name.
#[derive(Clone, Debug, QueryableByName)]
pub(in crate::store) struct MatchedCopy {
    /// Its id, if it is registered.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub id: Option<CopyId>,
    /// Key of the copy, second half.
    #[diesel(sql_type = Binary)]
    pub code_mac: Vec<u8>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub owner_id: Option<AccountId>,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// The submission that registered it, if the caller made it and owns the copy.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub own_submission: Option<SubmissionId>,
    /// Whether the caller owns it, or owned it before.
    #[diesel(sql_type = Bool)]
    pub was_owner: bool,
}

/// The copy that matches a claim.
pub(in crate::store) async fn find_matching_copy(
    conn: &Connection,
    by: &Acting<SubmitSerials>,
    claim: &SubmissionClaim,
) -> StoreResult<Option<MatchedCopy>> {
    Ok(find_matching_copies(conn, &[(by, claim)]).await?.pop().flatten())
}

#[derive(QueryableByName)]
struct PlacedCopy {
    /// Index of the claim.
    #[diesel(sql_type = Int4)]
    place: i32,
    #[diesel(embed)]
    copy: MatchedCopy,
}

/// The copies that match claims, in order. An unknown code, the name of another card or game, a voided copy, a copy
/// that was frozen before its registration, and a run that is not active all find nothing, by the same statement.
///
/// Claimed values are in sub-selects, so that they are not constants when Postgres plans. Otherwise it would make a
/// custom plan for each claim, and the time would differ for a prefix that no run has. So all claims share one plan.
pub(in crate::store) async fn find_matching_copies(
    mut conn: &Connection,
    claims: &[(&Acting<SubmitSerials>, &SubmissionClaim)],
) -> StoreResult<Vec<Option<MatchedCopy>>> {
    let mut matched: Vec<Option<MatchedCopy>> = claims.iter().map(|_| None).collect();
    let (mut places, mut prefixes, mut macs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut names, mut games, mut accounts) = (Vec::new(), Vec::new(), Vec::new());
    for (place, (by, claim)) in claims.iter().enumerate() {
        for mac in &claim.macs {
            places.push(i32::try_from(place).unwrap_or(i32::MAX));
            prefixes.push(claim.prefix.to_string());
            macs.push(&mac.0[..]);
            names.push(claim.name_key.as_str());
            games.push(claim.game.as_deref());
            accounts.push(by.account());
        }
    }
    if places.is_empty() {
        return Ok(matched);
    }
    let found: Vec<PlacedCopy> = sql(
        "SELECT w.place, c.id, c.code_mac, c.owner_id, p.card_id, \
                CASE WHEN c.owner_id = w.account_id THEN (SELECT s.id FROM submissions s \
                    WHERE s.code_prefix = c.code_prefix AND s.code_mac = c.code_mac AND s.account_id = w.account_id) END AS own_submission, \
                c.owner_id IS NOT NULL AND EXISTS (SELECT FROM copy_ledger l WHERE l.code_prefix = c.code_prefix \
                    AND l.code_mac = c.code_mac AND l.owner_id = w.account_id) AS was_owner \
         FROM unnest((SELECT $places), (SELECT $prefixes), (SELECT $macs), (SELECT $names), (SELECT $games), (SELECT $accounts)) \
             AS w (place, code_prefix, code_mac, name_key, game_code, account_id) \
         JOIN copies c ON c.code_prefix = w.code_prefix AND c.code_mac = w.code_mac \
         JOIN print_runs r ON r.id = c.print_run_id \
         JOIN printings p ON p.id = c.printing_id \
         JOIN card_content k ON k.card_id = p.card_id AND k.name_key = w.name_key \
         WHERE (w.game_code IS NULL OR k.game_code = w.game_code) \
           AND r.status = 'active' AND c.voided_at IS NULL AND (c.frozen_at IS NULL OR c.owner_id IS NOT NULL)",
    )
    .bind("places", places)
    .bind("prefixes", prefixes)
    .bind("macs", macs)
    .bind("names", names)
    .bind("games", games)
    .bind("accounts", accounts)
    .get_results(&mut conn)
    .await?;
    for PlacedCopy { place, copy } in found {
        if let Some(matched) = usize::try_from(place).ok().and_then(|place| matched.get_mut(place))
        {
            *matched = Some(copy);
        }
    }
    Ok(matched)
}
