//! Releases: the import code creates the card, in the transaction that records the design it came from.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;

use super::artworks;
use super::design_search;
use super::reserved_names::{self, NameOwner, NewName};
use crate::auth::permission::{Acting, Importer, WriteCatalogue};
use crate::domain::catalogue::card_edit::check_card;
use crate::domain::catalogue::import::{CardFault, ImportFault};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::release::{DesignCredit, SentenceObstacle, to_card};
use crate::domain::designs::status::{DesignStatus, DesignStep};
use crate::domain::ids::{AccountId, CardId, DesignId};
use crate::store::card_content::content::credit_designer;
use crate::store::catalogue::games::{GameCache, LoadedGame};
use crate::store::catalogue::import::new_card::{add_card, open_set, stored_faults};
use crate::store::catalogue::import::{EditError, LOCK};
use crate::store::db::codecs::json::Json;
use crate::store::db::pool::AsStoreError;
use crate::store::db::statement::{run_commands, sql};
use crate::store::feedback::locks::lock_subject;
use crate::store::operations::audit;
use crate::store::serials::unlock_policies::{self, Recount};
use crate::store::{Connection, Store, StoreError, StoreResult};

/// The place of the new card.
#[derive(Clone, Debug)]
pub struct ReleasePlace<'a> {
    /// Code of the set, of the design's game.
    pub set: &'a str,
    /// Number in the set.
    pub number: &'a str,
    /// Number of the approved revision that the admin has read; `None`: the client does not say which.
    pub revision: Option<i64>,
    /// Whether the admin confirms the release of a design that was public into a set whose cards start hidden.
    pub was_public: bool,
    /// An open card that was found to have the name of the design, or one that looks the same.
    pub name_owner: Option<NameOwner>,
    /// The places of the sentences that no template of the game makes, in order, from 0.
    pub sentences: Vec<(usize, SentenceObstacle)>,
}

/// A design that became a card.
#[derive(Clone, Debug, QueryableByName)]
pub struct DesignRelease {
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Text)]
    pub number: String,
    /// Whether it is hidden from the public.
    #[diesel(sql_type = Bool)]
    pub hidden: bool,
    /// The released revision.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    /// The licence of the release.
    #[diesel(sql_type = Text)]
    pub licence: String,
    /// When the author submitted it under this licence.
    #[diesel(sql_type = Timestamptz)]
    pub licensed_at: DateTime<Utc>,
    /// When it was released.
    #[diesel(sql_type = Timestamptz)]
    pub released_at: DateTime<Utc>,
}

/// Why a design was not released.
#[derive(Debug)]
pub enum ReleaseError {
    /// There is no such design, or it was never submitted.
    Missing,
    /// It is not approved.
    NotFrom(DesignStatus),
    /// It already is a card at another place, or of another revision than that of the request.
    Released(DesignRelease),
    /// Another revision is approved than that of the request.
    OtherApproval { read: i64, approved: i64 },
    /// The game has no such set.
    NoSet,
    /// All that stands against the release, in the order of the variants of [`Obstruction`]; never empty.
    Obstructed(Vec<Obstruction>),
    /// It was a dry run: this would be the result.
    Rehearsed(DesignRelease),
    /// The store failed.
    Store(StoreError),
}

/// What stands against a release.
#[derive(Debug)]
pub enum Obstruction {
    AuthorBanned,
    /// The design was public, the cards of the set start hidden, and this was not confirmed.
    Unconfirmed,
    /// An open card or a listed design has its name.
    NameTaken(NameOwner),
    /// Its artwork was taken down.
    ArtworkRemoved,
    /// No template makes the sentence at this place, from 0.
    Sentence(usize, SentenceObstacle),
    /// The release conflicts with the game's rules, or with stored data.
    Refused(Vec<ImportFault>),
}

impl From<StoreError> for ReleaseError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<diesel::result::Error> for ReleaseError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<EditError<CardId>> for ReleaseError {
    fn from(error: EditError<CardId>) -> Self {
        match error {
            EditError::Refused(faults) => Self::Obstructed(vec![Obstruction::Refused(faults)]),
            EditError::Store(error) => Self::Store(error),
            EditError::Missing | EditError::Stale | EditError::Rehearsed(_) => Self::NoSet,
        }
    }
}

impl AsStoreError for ReleaseError {
    fn as_store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

#[derive(QueryableByName)]
struct ApprovedDesign {
    #[diesel(sql_type = SqlUuid)]
    id: DesignId,
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    #[diesel(sql_type = Text)]
    author: String,
    #[diesel(sql_type = Bool)]
    author_banned: bool,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    status: DesignStatus,
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Bool)]
    was_shared: bool,
    #[diesel(sql_type = Jsonb)]
    content: Json<DesignContent>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    submitted_at: Option<DateTime<Utc>>,
}

/// Releases an approved design as a card of a set. A repeated request finds the existing card. Until the card is
/// public, the design looks unchanged to everybody except moderators.
pub async fn release(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    games: &GameCache,
    code: DesignCode,
    place: &ReleasePlace<'_>,
    at: DateTime<Utc>,
) -> Result<DesignRelease, ReleaseError> {
    let importer = Importer::from(by);
    // Taken before the design is locked: an import may run for a while, and the design should not be locked meanwhile.
    run_commands(conn, LOCK).await?;
    lock_author(conn, by, code).await?;
    let design = lock_submitted(conn, by, code).await?.ok_or(ReleaseError::Missing)?;
    if let Some(earlier) = find_release(conn, by, design.id).await? {
        let is_same = (earlier.set_code.as_str(), earlier.number.as_str())
            == (place.set, place.number)
            && place.revision.is_none_or(|read| read == earlier.revision);
        return if is_same { Ok(earlier) } else { Err(ReleaseError::Released(earlier)) };
    }
    if design.status.after(DesignStep::Release).is_none() {
        return Err(ReleaseError::NotFrom(design.status));
    }
    // An approved design is not changed, so its newest revision is the approved one.
    if let Some(read) = place.revision.filter(|read| *read != design.revision) {
        return Err(ReleaseError::OtherApproval { read, approved: design.revision });
    }
    let loaded = games.find(conn, &design.game_code).await?.ok_or(ReleaseError::Missing)?;
    let card = make_card(conn, &importer, &loaded, &design, place, at).await?;
    let Json(content) = &design.content;
    let credit = DesignCredit {
        design: code.to_string(),
        account_id: design.account_id,
        author: design.author,
    };
    credit_designer(conn, &importer, card, json!(credit)).await?;
    sql("INSERT INTO design_releases (design_id, card_id, revision, licence, licensed_at, released_by, released_at) \
         VALUES ($design, $card, $revision, $licence, $licensed_at, $by, $at)")
    .bind("design", design.id)
    .bind("card", card)
    .bind("revision", design.revision)
    .bind("licence", content.licence.as_str())
    .bind("licensed_at", design.submitted_at.unwrap_or(at))
    .bind("by", by.account())
    .bind("at", at)
    .execute(conn)
    .await?;
    // A policy may unlock the card at once.
    unlock_policies::apply(conn, &design.game_code, place.set, Recount::Changed, at).await?;
    let released = find_release(conn, by, design.id).await?.ok_or(ReleaseError::Missing)?;
    if !released.hidden {
        sql("SELECT make_design_official($card, $at)")
            .bind("card", card)
            .bind("at", at)
            .execute(conn)
            .await?;
        // A design that was never shared is listed from now on.
        sql("UPDATE designs SET searched_revision = revision WHERE id = $id AND searched_revision IS DISTINCT FROM revision")
            .bind("id", design.id)
            .execute(conn)
            .await?;
        design_search::write(conn, design.id, &loaded, content).await?;
    }
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: "design.released",
        target: format!("design:{code}"),
        details: json!({ "card": card, "set": place.set, "number": place.number, "was_public": design.was_shared }),
        at,
    };
    audit::write(conn, entry).await?;
    Ok(released)
}

/// Locks the author of a design, who cannot be banned until the transaction ends: a ban either is seen here, or sees the
/// card, which then does not name the author. Comes before the design, in the same order as in a ban.
async fn lock_author(
    conn: &mut Connection,
    _by: &Acting<WriteCatalogue>,
    code: DesignCode,
) -> StoreResult<()> {
    sql("SELECT FROM accounts WHERE id = (SELECT account_id FROM designs WHERE code = $code) FOR SHARE")
        .bind("code", code)
        .execute(conn)
        .await?;
    Ok(())
}

/// Adds the card to the set, or returns all that stands against it. The card may have been added nevertheless, so the
/// transaction must be rolled back then.
async fn make_card(
    conn: &mut Connection,
    importer: &Importer,
    loaded: &LoadedGame,
    design: &ApprovedDesign,
    place: &ReleasePlace<'_>,
    at: DateTime<Utc>,
) -> Result<CardId, ReleaseError> {
    let set = open_set(conn, importer, &design.game_code, place.set).await?;
    let set = set.ok_or(ReleaseError::NoSet)?;
    let Json(content) = &design.content;
    let mut found = Vec::new();
    if design.author_banned {
        found.push(Obstruction::AuthorBanned);
    }
    if set.row.hidden && design.was_shared && !place.was_public {
        found.push(Obstruction::Unconfirmed);
    }
    let name = NewName::new(&design.game_code, &content.name);
    let owner = reserved_names::find_owner(conn, design.id, &name).await?;
    let owner = place.name_owner.clone().or(owner);
    let named = owner.clone();
    found.extend(owner.map(Obstruction::NameTaken));
    if artworks::newest_is_removed(conn, design.id).await? {
        found.push(Obstruction::ArtworkRemoved);
    }
    let sentences = place.sentences.iter();
    found.extend(sentences.map(|(nth, obstacle)| Obstruction::Sentence(*nth, *obstacle)));
    let card = json!(to_card(content, &loaded.game, place.number));
    let mut faults = match check_card(&loaded.game, place.set, &card) {
        Ok(card) => match add_card(conn, importer, &loaded.game, &set, card, at).await {
            Ok(card) if found.is_empty() => return Ok(card),
            Ok(_) => Vec::new(),
            Err(EditError::Refused(faults)) => faults,
            Err(error) => return Err(error.into()),
        },
        Err(broken) => {
            let new = (place.number, content.name.as_str());
            let mut faults = stored_faults(conn, importer, &loaded.game, &set, new).await?;
            faults.extend(broken);
            faults
        }
    };
    faults.retain(|fault| !is_about(fault, named.as_ref()));
    if !faults.is_empty() {
        found.push(Obstruction::Refused(faults));
    }
    Err(ReleaseError::Obstructed(found))
}

/// Whether the fault is about the name of the card that is already reported as the owner of the name. Other cards that
/// have the name are reported too.
fn is_about(fault: &ImportFault, owner: Option<&NameOwner>) -> bool {
    let namesake = fault.known.as_ref().and_then(CardFault::namesake);
    match owner {
        Some(NameOwner::Card { set, number }) => namesake == Some((set.as_str(), number.as_str())),
        Some(NameOwner::Design) | None => false,
    }
}

/// Locks a design that moderators may see; returns it with its newest content.
async fn lock_submitted(
    conn: &mut Connection,
    _by: &Acting<WriteCatalogue>,
    code: DesignCode,
) -> StoreResult<Option<ApprovedDesign>> {
    lock_subject(conn, code.into()).await?;
    // A second statement: the one that takes a lock sees the status before its wait.
    let found = sql(
        "SELECT d.id, d.account_id, a.name AS author, a.banned_at IS NOT NULL AS author_banned, d.game_code, d.status, d.revision, d.shared_at IS NOT NULL AS was_shared, r.content, v.submitted_at \
         FROM designs d JOIN accounts a ON a.id = d.account_id JOIN design_revisions r ON r.design_id = d.id AND r.number = d.revision \
         LEFT JOIN LATERAL (SELECT submitted_at FROM design_reviews w WHERE w.design_id = d.id ORDER BY w.id DESC LIMIT 1) v ON true \
         WHERE d.code = $code AND (d.shared_at IS NOT NULL OR v.submitted_at IS NOT NULL)",
    )
    .bind("code", code)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

async fn find_release(
    conn: &mut Connection,
    _by: &Acting<WriteCatalogue>,
    design: DesignId,
) -> StoreResult<Option<DesignRelease>> {
    let found = sql(
        "SELECT r.card_id, k.set_code, k.number, u.card_id IS NOT NULL AND u.unlocked_at IS NULL AS hidden, r.revision, r.licence, r.licensed_at, r.released_at \
         FROM design_releases r JOIN cards k ON k.id = r.card_id LEFT JOIN unlocks u ON u.card_id = r.card_id WHERE r.design_id = $design",
    )
    .bind("design", design)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

/// Makes designs official whose cards are public: those that were locked at the moment of the unlock. Returns how many.
pub async fn open_released(store: &Store) -> StoreResult<usize> {
    let mut conn = store.connection().await?;
    let opened = sql(
        "SELECT make_design_official(r.card_id, coalesce(u.unlocked_at, r.released_at)) FROM design_releases r JOIN designs d ON d.id = r.design_id \
         LEFT JOIN unlocks u ON u.card_id = r.card_id WHERE d.status = 'approved' AND (u.card_id IS NULL OR u.unlocked_at IS NOT NULL) ORDER BY d.id",
    )
    .execute(&mut *conn)
    .await?;
    Ok(opened)
}
