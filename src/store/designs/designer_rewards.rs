//! Rewards of designers for public cards: the badge, and the perk that the policy of the set named when the card became
//! public.
//!
//! The trigger `official_designs_are_rewarded` writes the rows, so there are none while a card is hidden. This module
//! grants perks.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;

use super::SeesOwnDesigns;
use crate::auth::keys::SerialMac;
use crate::auth::permission::{Acting, GrantPerks, Granted, Permission, ReadPerks};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::perk::DesignerPerk;
use crate::domain::ids::{AccountId, CardId, CopyId, DesignId, LedgerId};
use crate::domain::serials::serial::RunPrefix;
use crate::store::copies::ledger;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::operations::audit;
use crate::store::{Connection, StoreResult};

/// A perk that a designer earned.
#[derive(Clone, Debug, QueryableByName)]
pub struct EarnedPerk {
    /// Internal id of the design.
    #[diesel(sql_type = SqlUuid)]
    pub design_id: DesignId,
    /// Its identifier.
    #[diesel(sql_type = Text)]
    pub design: DesignCode,
    /// Its author.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// The author's name.
    #[diesel(sql_type = Text)]
    pub author: String,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Text)]
    pub number: String,
    #[diesel(sql_type = Text)]
    pub perk: DesignerPerk,
    /// When the card became public.
    #[diesel(sql_type = Timestamptz)]
    pub earned_at: DateTime<Utc>,
    /// The granted copy.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub copy_id: Option<CopyId>,
    /// When it was granted.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub granted_at: Option<DateTime<Utc>>,
}

const SELECT: &str = "SELECT w.design_id, d.code AS design, w.account_id, a.name AS author, k.id AS card_id, k.game_code, k.set_code, k.number, \
     w.perk, w.earned_at, c.id AS copy_id, w.granted_at \
     FROM designer_rewards w JOIN designs d ON d.id = w.design_id JOIN accounts a ON a.id = w.account_id JOIN design_releases r ON r.design_id = w.design_id \
     JOIN cards k ON k.id = r.card_id LEFT JOIN copies c ON c.code_prefix = w.code_prefix AND c.code_mac = w.code_mac WHERE w.perk IS NOT NULL";

/// The position of a perk in the list.
pub type PerkPosition = (DateTime<Utc>, DesignId);

/// Lists perks that are due, or those that were granted; the first earned first, after the position `after`.
pub async fn list(
    conn: &mut Connection,
    _by: &Granted<ReadPerks>,
    granted: bool,
    after: Option<PerkPosition>,
    limit: i64,
) -> StoreResult<Vec<EarnedPerk>> {
    let state = if granted { "w.granted_at IS NOT NULL" } else { "w.granted_at IS NULL" };
    let mut statement = sql(format!("{SELECT} AND {state}"));
    if let Some((earned_at, design)) = after {
        statement = statement
            .push(" AND (w.earned_at, w.design_id) > ($after, $design)")
            .bind("after", earned_at)
            .bind("design", design);
    }
    Ok(push_page(statement, "earned_at, design_id", limit).load(conn).await?)
}

/// Finds the perk of one of the caller's designs; with `overseer`, of any design.
pub async fn find<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
    overseer: Option<&Granted<ReadPerks>>,
    design: DesignCode,
) -> StoreResult<Option<EarnedPerk>> {
    let found = load(conn, design).await?;
    Ok(found.filter(|perk| overseer.is_some() || perk.account_id == by.account()))
}

async fn load(conn: &mut Connection, design: DesignCode) -> StoreResult<Option<EarnedPerk>> {
    let found = sql(format!("{SELECT} AND d.code = $design"))
        .bind("design", design)
        .get_result(conn)
        .await
        .optional()?;
    Ok(found)
}

/// The copy that an admin grants.
pub struct ReservedCopy {
    /// The first symbols of its code.
    pub prefix: RunPrefix,
    /// The code hashed under every serial key.
    pub macs: Vec<SerialMac>,
}

/// The result of granting a copy.
#[derive(Debug)]
pub enum GrantOutcome {
    /// The designer owns the copy.
    Done {
        /// The perk in its new state.
        perk: Box<EarnedPerk>,
        /// Whether this copy was granted before, so that nothing was written.
        already: bool,
    },
    /// There is no such design, or none with a perk that is public.
    Missing,
    /// Another copy was granted before.
    Granted,
    /// The designer is banned.
    Banned,
    /// The code matches no unregistered copy of the card.
    NoSuchCopy,
}

#[derive(QueryableByName)]
struct LockedReward {
    #[diesel(sql_type = SqlUuid)]
    design_id: DesignId,
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Nullable<Binary>)]
    code_mac: Option<Vec<u8>>,
}

#[derive(QueryableByName)]
struct FreeCopy {
    #[diesel(sql_type = Text)]
    code_prefix: String,
    #[diesel(sql_type = Binary)]
    code_mac: Vec<u8>,
    #[diesel(sql_type = SqlUuid)]
    id: CopyId,
}

/// Registers an unregistered copy to the designer of its card. A repetition changes nothing. The registration counts
/// for no unlock, because the card is open.
pub async fn grant_copy(
    conn: &mut Connection,
    by: &Acting<GrantPerks>,
    design: DesignCode,
    copy: &ReservedCopy,
    at: DateTime<Utc>,
) -> StoreResult<GrantOutcome> {
    let locked: Option<LockedReward> = sql(
        "SELECT w.design_id, w.account_id, r.card_id, w.code_mac \
         FROM designer_rewards w JOIN designs d ON d.id = w.design_id JOIN design_releases r ON r.design_id = w.design_id \
         WHERE d.code = $design AND w.perk = $perk FOR NO KEY UPDATE OF w",
    )
    .bind("design", design)
    .bind("perk", DesignerPerk::ReservedCopy)
    .get_result(conn)
    .await
    .optional()?;
    let Some(reward) = locked else { return Ok(GrantOutcome::Missing) };
    if let Some(given) = &reward.code_mac {
        if !copy.macs.iter().any(|mac| mac.0[..] == given[..]) {
            return Ok(GrantOutcome::Granted);
        }
        return Ok(match load(conn, design).await? {
            Some(perk) => GrantOutcome::Done { perk: Box::new(perk), already: true },
            None => GrantOutcome::Missing,
        });
    }
    // The copy is locked before the account, as in registrations. A concurrent ban waits.
    let prefix = copy.prefix.to_string();
    let keys: Vec<(String, Vec<u8>)> =
        copy.macs.iter().map(|mac| (prefix.clone(), mac.0.to_vec())).collect();
    ledger::lock_unowned(conn, keys.iter()).await?;
    if lock_banned(conn, reward.account_id).await? {
        return Ok(GrantOutcome::Banned);
    }
    let Some(given) = register(conn, by, &reward, copy, at).await? else {
        return Ok(GrantOutcome::NoSuchCopy);
    };
    sql("UPDATE designer_rewards SET code_prefix = $prefix, code_mac = $mac, granted_by = $by, granted_at = $at WHERE design_id = $design")
        .bind("design", reward.design_id)
        .bind("prefix", given.code_prefix)
        .bind("mac", given.code_mac)
        .bind("by", by.account())
        .bind("at", at)
        .execute(conn)
        .await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: "design.perk_granted",
        target: format!("design:{design}"),
        details: json!({ "perk": DesignerPerk::ReservedCopy.as_str(), "copy": given.id, "account": reward.account_id }),
        at,
    };
    audit::write(conn, entry).await?;
    Ok(match load(conn, design).await? {
        Some(perk) => GrantOutcome::Done { perk: Box::new(perk), already: false },
        None => GrantOutcome::Missing,
    })
}

/// Locks an account so that it cannot be banned until the transaction ends; returns whether it is banned already.
async fn lock_banned(conn: &mut Connection, account: AccountId) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Locked {
        #[diesel(sql_type = Bool)]
        is_banned: bool,
    }
    let locked: Locked = sql(
        "SELECT banned_at IS NOT NULL AS is_banned FROM accounts WHERE id = $account FOR SHARE",
    )
    .bind("account", account)
    .get_result(conn)
    .await?;
    Ok(locked.is_banned)
}

/// Makes the designer the owner of the copy, if it belongs to the card and an active run and has no owner; writes this
/// into the ledger.
async fn register(
    conn: &mut Connection,
    _by: &Acting<GrantPerks>,
    reward: &LockedReward,
    copy: &ReservedCopy,
    at: DateTime<Utc>,
) -> StoreResult<Option<FreeCopy>> {
    let macs: Vec<&[u8]> = copy.macs.iter().map(|mac| &mac.0[..]).collect();
    let claimed: Option<FreeCopy> = sql(
        "WITH claimed AS (UPDATE copies c SET owner_id = $account, registered_at = $at, id = gen_random_uuid() FROM printings p, print_runs r \
          WHERE c.code_prefix = $prefix AND c.code_mac = ANY ($macs) AND p.id = c.printing_id AND p.card_id = $card \
            AND r.id = c.print_run_id AND r.status = 'active' AND c.owner_id IS NULL AND c.voided_at IS NULL AND c.frozen_at IS NULL \
          RETURNING c.code_prefix, c.code_mac, c.id), \
         ledger AS (INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id) \
          SELECT $entry, code_prefix, code_mac, 'register', $account, $at, 1, $account FROM claimed) \
         SELECT code_prefix, code_mac, id FROM claimed",
    )
    .bind("account", reward.account_id)
    .bind("card", reward.card_id)
    .bind("prefix", copy.prefix.to_string())
    .bind("macs", macs)
    .bind("entry", LedgerId::generate())
    .bind("at", at)
    .get_result(conn)
    .await
    .optional()?;
    Ok(claimed)
}
