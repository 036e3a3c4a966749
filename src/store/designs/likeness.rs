//! Similar designs: with the same or a similar name, or with equivalent effects.

use diesel::prelude::*;
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::SeesOwnDesigns;
use super::reserved_names::WITH_A_LOOK;
use crate::auth::permission::{Granted, Permission};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::name_looks::LookHashes;
use crate::domain::ids::DesignId;
use crate::store::card_content::name_looks::{OTHER_LETTER, bytes};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Most designs that each part of the search returns.
pub const MAX_ALIKE: usize = 16;

/// The values that other designs are compared with.
pub struct LikenessQuery<'a> {
    /// Code of the game.
    pub game: &'a str,
    /// Key of the name; empty: no name to compare.
    pub name_key: &'a str,
    pub name_skeleton: &'a str,
    /// What else the name is compared by; `None`: no name to compare.
    pub looks: Option<&'a LookHashes>,
    /// Hash of kind and effects without their numbers; `None`: nothing to compare.
    pub effects_key: Option<[u8; 16]>,
    /// The design itself, if it is stored; it is left out.
    pub except: Option<DesignCode>,
}

/// A similar design.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
#[expect(clippy::struct_excessive_bools, reason = "what callers ask, each by itself")]
pub struct AlikeDesign {
    /// Its internal id.
    #[diesel(sql_type = SqlUuid)]
    pub id: DesignId,
    /// Its identifier.
    #[diesel(sql_type = Text)]
    pub code: DesignCode,
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    pub name_key: String,
    #[diesel(sql_type = Text)]
    pub name_skeleton: String,
    /// Whether the caller is its author.
    #[diesel(sql_type = Bool)]
    pub own: bool,
    /// Whether no other design is listed under its name. The name of an official design belongs to its card.
    #[diesel(sql_type = Bool)]
    pub reserves_name: bool,
    /// Whether it has equivalent effects.
    #[diesel(sql_type = Bool)]
    pub same_effects: bool,
    /// Whether others may know of it. A design of a banned author that keeps its name is found, but not shown.
    #[diesel(sql_type = Bool)]
    pub shown: bool,
}

/// Finds similar designs, by id, among the listed designs and the caller's own.
pub async fn find_alike<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    requester: Option<&Granted<P>>,
    query: &LikenessQuery<'_>,
) -> StoreResult<Vec<AlikeDesign>> {
    let parts = [
        LISTED_ALIKE,
        " UNION (WITH alike AS MATERIALIZED (",
        WITH_A_LOOK,
        ") SELECT id FROM alike ORDER BY id LIMIT $limit) UNION ",
        OWN_ALIKE,
    ];
    load(conn, &parts, requester, query).await
}

/// Finds similar designs among the caller's own.
pub async fn find_own_alike<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    requester: &Granted<P>,
    query: &LikenessQuery<'_>,
) -> StoreResult<Vec<AlikeDesign>> {
    load(conn, &[OWN_ALIKE], Some(requester), query).await
}

async fn load<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    parts: &[&str],
    requester: Option<&Granted<P>>,
    query: &LikenessQuery<'_>,
) -> StoreResult<Vec<AlikeDesign>> {
    let of_all = parts.len() > 1;
    // Equal skeletons with accents are found by a part of their own, also of designs that have no looks yet.
    let looks = query.looks.map(|looks| bytes(&looks.all())).unwrap_or_default();
    let always = query.looks.map(|looks| bytes(&looks.always())).unwrap_or_default();
    let other_letters = query.looks.is_some_and(|looks| looks.has_other_letters);
    let rows = sql(format!("WITH found AS ({}) {SELECT_ALIKE}", parts.concat()))
        .bind("requester", requester.map(Granted::account))
        .bind("game", query.game)
        .bind("name", query.name_key)
        .bind("skeleton", query.name_skeleton)
        .bind_some("looks", of_all.then_some(looks))
        .bind_some("always", of_all.then_some(always))
        .bind_some("other_letters", of_all.then_some(other_letters))
        .bind_some("other_letter", of_all.then_some(OTHER_LETTER))
        .bind("effects", query.effects_key.map(|key| key.to_vec()))
        .bind("except", query.except)
        .bind("limit", i64::try_from(MAX_ALIKE).unwrap_or(i64::MAX))
        .load(conn)
        .await?;
    Ok(rows)
}

/// Each part reads a few rows of one index. Names that differ in one place have the same beginning or the same end, so
/// that they are adjacent when all names are sorted forwards or backwards. Names that differ in accents may do so at both
/// ends: they are found by [`WITH_A_LOOK`], which is materialized so that a small limit does not make Postgres read all
/// designs in place of the index.
/// Official designs and others have their names in two indexes.
const LISTED_ALIKE: &str = "(SELECT id FROM designs WHERE game_code = $game AND name_skeleton = $skeleton AND $skeleton <> '' AND listed AND status <> 'official' \
       LIMIT $limit) \
     UNION (SELECT id FROM designs WHERE game_code = $game AND name_skeleton = $skeleton AND $skeleton <> '' AND listed AND status = 'official' LIMIT $limit) \
     UNION (SELECT id FROM designs WHERE game_code = $game AND listed AND $name <> '' AND name_key COLLATE \"C\" >= $name \
       ORDER BY name_key COLLATE \"C\" LIMIT $limit) \
     UNION (SELECT id FROM designs WHERE game_code = $game AND listed AND $name <> '' AND name_key COLLATE \"C\" < $name \
       ORDER BY name_key COLLATE \"C\" DESC LIMIT $limit) \
     UNION (SELECT id FROM designs WHERE game_code = $game AND listed AND $name <> '' AND reverse(name_key) COLLATE \"C\" >= reverse($name) \
       ORDER BY reverse(name_key) COLLATE \"C\" LIMIT $limit) \
     UNION (SELECT id FROM designs WHERE game_code = $game AND listed AND $name <> '' AND reverse(name_key) COLLATE \"C\" < reverse($name) \
       ORDER BY reverse(name_key) COLLATE \"C\" DESC LIMIT $limit) \
     UNION (SELECT id FROM designs WHERE game_code = $game AND effects_key = $effects AND listed ORDER BY id LIMIT $limit)";

/// An account has so few designs that all of its names are compared.
const OWN_ALIKE: &str = "(SELECT id FROM designs WHERE account_id = $requester AND game_code = $game AND status <> 'withdrawn' \
       AND (name_skeleton = $skeleton AND $skeleton <> '' OR effects_key = $effects) LIMIT $limit) \
     UNION (SELECT id FROM designs WHERE account_id = $requester AND game_code = $game AND status <> 'withdrawn' AND $name <> '' \
       ORDER BY similarity(name_key, $name) DESC, id LIMIT $limit)";

/// While an author is banned, only the approved designs keep their names (see `reserved_names`).
const SELECT_ALIKE: &str = "SELECT d.id, d.code, d.name, d.name_key, d.name_skeleton, coalesce(d.account_id = $requester, false) AS own, d.listed AND d.status <> 'official' AS reserves_name, \
     coalesce(d.effects_key = $effects AND a.banned_at IS NULL, false) AS same_effects, a.banned_at IS NULL AS shown \
     FROM found JOIN designs d USING (id) JOIN accounts a ON a.id = d.account_id \
     WHERE d.code IS DISTINCT FROM $except AND (a.banned_at IS NULL OR d.status = 'approved') ORDER BY d.id";
