//! Edits of decks: values other than the entries are changed, and the list is not sent again.

use serde::Deserialize;
use utoipa::ToSchema;

use super::deck_cards::Requester;
use super::deck_input::DeckFaults;
use super::deck_lists::see;
use super::deck_requests::{check_tags, require_publishable};
use super::deck_responses::VersionedDeck;
use super::deck_revisions::bind_unbound;
use super::deck_search;
use super::deck_writes::check_edit;
use super::masks::hidden_cards;
use crate::app::patch::present;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::{IfMatch, Version};
use crate::app::words::Word as _;
use crate::auth::permission::{Granted, WriteOwnDecks};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::deck::{DeckName, FormatName};
use crate::domain::decks::details::{DeckDescription, DeckFolder, DeckVisibility};
use crate::domain::ids::DeckId;
use crate::store::decks::deck_records::{DeckChanges, DeckRow, StoredDeck};
use crate::store::decks::{deck_lists, deck_writes};

/// A JSON merge patch of a deck. Members that are left out do not change; entries are changed by `PUT`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Embers, faster", "tags": ["aggro", "fire"], "folder": null }))]
#[allow(clippy::option_option, reason = "absent, null and a value are three different requests")]
pub struct DeckPatch {
    /// Name of the deck: 1 to 100 characters.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, example = "Embers, faster", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Format of the deck, of the same game: `game/format`, or `game/format:variant` if the format has variants.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, example = "ttcg/standard")]
    format: Option<String>,
    /// Who may read the deck: `private`, `unlisted` or `public`. While a moderator has taken the deck down, only `private` is accepted: then it stays private afterwards.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = DeckVisibility, example = "public")]
    visibility: Option<String>,
    /// Description of the deck, in the markup of lore and comments: up to 5,000 characters. `null` removes it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, example = "Goes *fast*.", max_length = 5000)]
    description: Option<Option<String>>,
    /// All tags of the deck: up to 20, of 1 to 30 characters; they are stored in lower case. `null` removes them.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<String>>, example = json!(["aggro", "fire"]), max_items = 20)]
    tags: Option<Option<Vec<String>>>,
    /// Folder of the deck: 1 to 100 characters. Only you see it: a change of it alone creates no revision. `null` takes the deck out of its folder.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, example = "Friday", min_length = 1, max_length = 100)]
    folder: Option<Option<String>>,
}

/// The values of a deck that a patch can change, after the patch.
struct PatchedDeck {
    content: DeckContent,
    /// `None`: the patch does not change it.
    visibility: Option<DeckVisibility>,
    folder: Option<DeckFolder>,
}

impl PatchedDeck {
    fn of_stored(stored: &StoredDeck) -> Self {
        Self {
            content: stored.content.clone(),
            visibility: None,
            folder: stored.row.folder.as_deref().map(DeckFolder::stored),
        }
    }

    /// Whether the deck already has these values. A deck that is taken down is private, but perhaps not after the end of the
    /// takedown: that its owner asks for a private deck is a change.
    fn is_as(&self, stored: &StoredDeck) -> bool {
        let row = &stored.row;
        let is_visibility =
            |asked: DeckVisibility| asked == row.visibility() && !row.is_taken_down();
        self.content == stored.content
            && self.visibility.is_none_or(is_visibility)
            && self.folder.as_ref().map(DeckFolder::as_str) == row.folder.as_deref()
    }
}

/// Changes values of one of the caller's decks, if the client's version is current. If nothing changes besides the folder, there is no new revision.
pub async fn edit(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    requester: Requester,
    id: DeckId,
    if_match: &IfMatch,
    patch: DeckPatch,
) -> Result<VersionedDeck, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = deck_lists::find_own(conn.get().await?, by, id).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    let read = Version::from(&stored.row);
    if_match.check(read)?;
    let mut patched = apply(app, &mut conn, &stored, patch).await?;
    if patched.is_as(&stored) {
        return Ok(see(app, &mut conn, (requester.0, Some(by.account())), stored).await?.into());
    }
    require_publishable(&patched.content, (stored.row.visibility(), patched.visibility))?;
    // As in a deck that is replaced: the visibility may change, and others must not read the names of hidden cards. Another folder alone is no change for them.
    let is_as_bound = patched.content == stored.content && stored.row.is_bound();
    if !is_as_bound || patched.visibility.is_some() {
        bind_unbound(app, &mut conn, requester, &mut patched.content).await?;
    }
    let hidden = hidden_cards(app, &mut conn, &patched.content.cards).await?;
    conn.give_back();
    let changes = DeckChanges {
        content: &patched.content,
        hidden: &hidden,
        visibility: patched.visibility,
        folder: patched.folder.as_ref(),
        cloned_from: None,
        at: app.clock.now(),
    };
    // The patch was applied to this version, also if the client accepts any version.
    let is_current = |row: &DeckRow| Version::from(row) == read;
    let edited = deck_writes::replace(&app.store, by, id, is_current, &changes).await?;
    let stored = check_edit(edited)?;
    tracing::info!(account = %by.account(), deck = %id, revision = stored.row.revision, "deck edited");
    deck_search::publish(app, &mut conn, &stored).await;
    Ok(see(app, &mut conn, (requester.0, Some(by.account())), stored).await?.into())
}

/// The values of a deck after a patch, or all faults of the patch.
async fn apply(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    stored: &StoredDeck,
    patch: DeckPatch,
) -> Result<PatchedDeck, Problem> {
    let DeckPatch { name, format, visibility, description, tags, folder } = patch;
    let mut faults = DeckFaults::default();
    let mut patched = PatchedDeck::of_stored(stored);
    let content = &mut patched.content;
    if let Some(name) = name.and_then(|name| faults.check("/name", DeckName::parse(&name))) {
        content.name = name;
    }
    if let Some(visibility) =
        visibility.and_then(|word| faults.check("/visibility", DeckVisibility::read(&word)))
    {
        patched.visibility = Some(visibility);
    }
    if let Some(text) = description {
        let parsed = DeckDescription::parse(text.as_deref().unwrap_or_default());
        content.description = faults.check("/description", parsed).unwrap_or_default();
    }
    if let Some(tags) = tags {
        content.tags = check_tags(&mut faults, &tags.unwrap_or_default());
    }
    if let Some(folder) = folder {
        patched.folder =
            folder.and_then(|folder| faults.check("/folder", DeckFolder::parse(&folder)));
    }
    let format = format.and_then(|name| faults.check("/format", FormatName::parse(&name)));
    // A format that does not exist any more does not prevent other changes.
    if let Some(format) = format.filter(|format| *format != content.format) {
        if format.game() == content.format.game() {
            faults.formats(app, conn, &[("/format".to_owned(), format.clone())], None).await?;
            content.format = format;
        } else {
            let detail = format!(
                "must be a format of the game {}: entries of another game are sent with PUT",
                content.format.game()
            );
            faults.check::<(), _>("/format", Err(detail));
        }
    }
    faults.into_result(Some(patched))
}
