//! Designs in requests and responses.

use std::sync::Arc;

use cardscape_engine::{Effect, Game, PrintingDefinition};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_ratings::decimal;
use crate::app::catalogue::image_uris::ImageUris;
use crate::app::fault_reason::FaultReason;
use crate::app::feedback::takedowns::TakedownResponse;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::words::{Word as _, words};
use crate::domain::designs::artwork::{ArtworkId, DesignArtwork};
use crate::domain::designs::content::{ContentFault, DesignContent, Licence};
use crate::domain::designs::markup;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::AccountId;
use crate::store::catalogue::games::LoadedGame;
use crate::store::designs::design_lifecycle::{CardOfDesign, StoredDesign};

words! {
    DesignStatus: "Status of a design.";
    Licence: "What the author allows others to do with a design: `none` (only to read it here; it cannot be released), `release-1` (Cardscape may \
              print and publish it as a card of the game, with the author's name), `cc-by-4.0` or `cc0-1.0` (Creative Commons licences, which also allow the release).";
}

/// An effect of a design.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignEffectBody {
    /// Code of its style (how it is activated), in games that have styles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "passive", max_length = 64)]
    pub style: Option<String>,
    /// Code of its slot (its place on the card), in games that have slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64)]
    pub slot: Option<String>,
    /// The sentence, 1 to 500 characters.
    #[schema(example = "Draw one card.", min_length = 1, max_length = 500)]
    pub text: String,
}

/// The numbers of a design in one rarity.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignPrintingBody {
    /// Code of the rarity.
    #[schema(example = "rare", min_length = 1, max_length = 64)]
    pub rarity: String,
    /// Attributes whose values differ from those of the design.
    #[serde(default)]
    #[schema(value_type = Object, example = json!({ "attack": 210, "defense": 310 }))]
    pub attributes: Map<String, Value>,
}

impl From<DesignPrintingBody> for PrintingDefinition {
    fn from(body: DesignPrintingBody) -> Self {
        Self { rarity: body.rarity, attributes: body.attributes.into() }
    }
}

/// The artwork of a design.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignArtworkBody {
    /// Id of the artwork, as `POST /v1/artworks` returned it. A design can only show artwork that its author has uploaded.
    #[schema(
        example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        min_length = 64,
        max_length = 64
    )]
    pub id: String,
    /// Alternative text: describes the picture to people who do not see it, 1 to 500 characters. Recommended, not required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "A heron of paper stands in a dark pond.", max_length = 500)]
    pub alt: Option<String>,
}

/// The whole content of a design, also when it is changed. It may be unfinished or break rules: `POST /v1/design-checks` returns what is wrong.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "game": "ttcg", "name": "Lantern Heron", "kind": "unit",
    "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300 },
    "effects": [
        { "style": "passive", "text": "After this card attacks, return it to your hand." },
        { "style": "normal", "text": "Discard one spell to gain 1 point." }
    ],
    "flavour": "It waits where the reeds are dark.", "licence": "release-1"
}))]
pub struct DesignRequest {
    /// Code of the game. It cannot be changed later.
    #[schema(example = "ttcg", min_length = 1, max_length = 64)]
    pub game: String,
    /// Name of the card, at most 120 characters, with a letter, a digit or a symbol; may be absent until the design is shared.
    #[serde(default)]
    #[schema(example = "Lantern Heron", max_length = 120)]
    pub name: String,
    /// Code of the kind of card.
    #[schema(example = "unit", min_length = 1, max_length = 64)]
    pub kind: String,
    /// Attributes by code, at most 64. Those that differ between printings have the values of the lowest rarity.
    #[serde(default)]
    #[schema(value_type = Object, example = json!({ "type": "earth", "rank": 1, "attack": 200, "defense": 300 }))]
    pub attributes: Map<String, Value>,
    /// Effects in printed order, at most 12.
    #[serde(default)]
    #[schema(max_items = 12)]
    pub effects: Vec<DesignEffectBody>,
    /// Printings whose numbers you choose yourself, at most 32. The numbers of all others are computed.
    #[serde(default)]
    #[schema(max_items = 32)]
    pub printings: Vec<DesignPrintingBody>,
    /// Flavour text: one line of at most 200 characters.
    #[serde(default)]
    #[schema(example = "It waits where the reeds are dark.", max_length = 200)]
    pub flavour: Option<String>,
    /// Background text, at most 2000 characters: paragraphs, `*emphasis*` and `**strong emphasis**`; everything else is plain text, and `\*` is a plain star.
    #[serde(default)]
    #[schema(example = "Nobody has seen it *land*.", max_length = 2000)]
    pub lore: Option<String>,
    /// Names of people who helped, at most 200 characters.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub credits: Option<String>,
    /// What you allow others to do with the design; absent: `none`.
    #[serde(default)]
    #[schema(value_type = Option<Licence>, example = "release-1")]
    pub licence: Option<String>,
    /// The picture in the artwork box of the card; absent: an emblem is drawn there.
    #[serde(default)]
    pub artwork: Option<DesignArtworkBody>,
}

/// A design whose form has no faults, and its game.
pub(super) struct ParsedDesign {
    pub(super) game: Arc<LoadedGame>,
    /// The content of the design.
    pub(super) content: DesignContent,
}

/// Parses a request, or returns every fault of its form. The rules of the game are not checked.
pub(super) async fn parse(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    request: DesignRequest,
) -> Result<ParsedDesign, Problem> {
    parse_at(app, conn, request, "").await?.map_err(Problem::invalid)
}

/// Like [`parse`], for a design whose effects may lack their text.
pub(super) async fn parse_unfinished(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    request: DesignRequest,
) -> Result<ParsedDesign, Problem> {
    let read = DesignContent::normalised_unfinished;
    parse_with(app, conn, request, "", read).await?.map_err(Problem::invalid)
}

/// Like [`parse`], for a design at the place `place` of a request.
pub(super) async fn parse_at(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    request: DesignRequest,
    place: &str,
) -> Result<Result<ParsedDesign, Vec<InputFault>>, Problem> {
    parse_with(app, conn, request, place, DesignContent::normalised).await
}

/// `read` normalises the texts of the design.
async fn parse_with(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    request: DesignRequest,
    place: &str,
    read: fn(DesignContent) -> Result<DesignContent, Vec<ContentFault>>,
) -> Result<Result<ParsedDesign, Vec<InputFault>>, Problem> {
    let game = app.named_game_on(conn, &request.game).await?;
    let game = game.map_err(|fault| InputFault::at(format!("{place}/game"), fault));
    Ok(match (game, request.into_content(place, read)) {
        (Ok(game), Ok(content)) => Ok(ParsedDesign { game, content }),
        (game, content) => {
            let of_content = content.err().into_iter().flatten();
            Err(game.err().into_iter().chain(of_content).collect())
        }
    })
}

impl DesignRequest {
    /// The faults that the request alone shows, without its game.
    pub fn faults(&self) -> Vec<InputFault> {
        self.clone().into_content("", DesignContent::normalised).err().unwrap_or_default()
    }

    /// The content of the design, or every fault of it; `place` is the place of the design in the request.
    fn into_content(
        self,
        place: &str,
        read: fn(DesignContent) -> Result<DesignContent, Vec<ContentFault>>,
    ) -> Result<DesignContent, Vec<InputFault>> {
        let mut faults = Vec::new();
        let at = |pointer: &str, reason: FaultReason| {
            InputFault::at(format!("{place}{pointer}"), reason)
        };
        let licence = self.licence.as_deref().map_or(Ok(Licence::default()), Licence::read);
        let licence = licence.map_err(|fault| faults.push(at("/licence", fault.into()))).ok();
        let artwork = self.artwork.map(|DesignArtworkBody { id, alt }| {
            let id = ArtworkId::parse(&id).unwrap_or_else(|error| {
                faults.push(at("/artwork/id", error.into()));
                // A placeholder, so that the other members are checked and all faults are reported together.
                ArtworkId([0; 32])
            });
            DesignArtwork { id, alt }
        });
        let effect =
            |body: DesignEffectBody| Effect { style: body.style, slot: body.slot, text: body.text };
        let content = DesignContent {
            name: self.name,
            kind: self.kind,
            attributes: self.attributes,
            effects: self.effects.into_iter().map(effect).collect(),
            printings: self.printings.into_iter().map(Into::into).collect(),
            flavour: self.flavour,
            lore: self.lore,
            credits: self.credits,
            licence: licence.unwrap_or_default(),
            artwork,
        };
        let content = read(content).map_err(|found| {
            faults.extend(found.into_iter().map(|fault| at(&fault.pointer, fault.reason.into())));
        });
        match content {
            Ok(content) if faults.is_empty() => Ok(content),
            _ => Err(faults),
        }
    }
}

/// Content of a revision of a design.
#[derive(Serialize, ToSchema)]
pub struct DesignContentResponse {
    /// Name of the card; empty if the author has not named it yet.
    #[schema(example = "Lantern Heron")]
    pub name: String,
    /// Code of the kind of card.
    #[schema(example = "unit")]
    pub kind: String,
    /// Attributes by code, with the values of the lowest rarity.
    #[schema(value_type = Object, example = json!({ "type": "earth", "rank": 1, "attack": 200, "defense": 300 }))]
    pub attributes: Map<String, Value>,
    /// Effects in printed order.
    pub effects: Vec<DesignEffectBody>,
    /// Printings whose numbers the author chose.
    pub printings: Vec<DesignPrintingBody>,
    /// All printings, with the numbers that the author chose and computed numbers for the others.
    pub all_printings: Vec<DesignPrintingBody>,
    /// Flavour text: one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "It waits where the reeds are dark.")]
    pub flavour: Option<String>,
    /// Background text, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Nobody has seen it *land*.")]
    pub lore: Option<String>,
    /// The same as HTML: `p`, `br`, `em` and `strong` without attributes; everything else is escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "<p>Nobody has seen it <em>land</em>.</p>")]
    pub lore_html: Option<String>,
    /// Names of people who helped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits: Option<String>,
    /// What the author allows others to do with the design: `none`, `release-1`, `cc-by-4.0` or `cc0-1.0`.
    #[schema(example = "release-1")]
    pub licence: &'static str,
    /// The picture in the artwork box of the card; absent: an emblem is drawn there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artwork: Option<DesignArtworkBody>,
}

impl DesignContentResponse {
    pub(super) fn new(game: &Game, content: DesignContent) -> Self {
        let all_printings = printing_bodies(content.definition(game).printings);
        let effect = |effect: Effect| DesignEffectBody {
            style: effect.style,
            slot: effect.slot,
            text: effect.text,
        };
        Self {
            name: content.name,
            kind: content.kind,
            attributes: content.attributes,
            effects: content.effects.into_iter().map(effect).collect(),
            printings: printing_bodies(content.printings),
            all_printings,
            flavour: content.flavour,
            lore_html: content.lore.as_deref().map(markup::to_html),
            lore: content.lore,
            credits: content.credits,
            licence: content.licence.as_str(),
            artwork: content
                .artwork
                .map(|DesignArtwork { id, alt }| DesignArtworkBody { id: id.to_string(), alt }),
        }
    }
}

pub(super) fn printing_bodies(printings: Vec<PrintingDefinition>) -> Vec<DesignPrintingBody> {
    let body = |printing: PrintingDefinition| DesignPrintingBody {
        rarity: printing.rarity,
        attributes: printing.attributes.into(),
    };
    printings.into_iter().map(body).collect()
}

/// A moderator's decision about a design.
#[derive(Serialize, ToSchema)]
pub struct DesignReviewResponse {
    /// `approved` or `declined`.
    #[schema(example = "declined")]
    pub decision: &'static str,
    /// Reason for the decision.
    #[schema(example = "Its second effect does what Gatepost Lad does.")]
    pub reason: String,
    /// When it was decided.
    pub decided_at: DateTime<Utc>,
}

/// The card that a design became.
#[derive(Serialize, ToSchema)]
pub struct CardOfDesignResponse {
    /// Id of the card: `GET /v1/cards/{card}` shows it.
    pub id: Uuid,
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "013")]
    pub number: String,
    /// When the design was released as this card.
    pub released_at: DateTime<Utc>,
}

impl From<CardOfDesign> for CardOfDesignResponse {
    fn from(card: CardOfDesign) -> Self {
        let CardOfDesign { card_id, set_code, number, released_at } = card;
        Self { id: card_id.0, set: set_code, number, released_at }
    }
}

/// A player whose suggested change the author accepted.
#[derive(Serialize, ToSchema)]
pub struct ContributorResponse {
    /// Id of the account.
    pub account_id: Uuid,
    /// Name of the account.
    #[schema(example = "ben")]
    pub name: String,
}

/// A design.
#[derive(Serialize, ToSchema)]
pub struct DesignResponse {
    /// Identifier of the design. It never changes, not even when the design becomes an official card.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub id: String,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Id of the author's account.
    pub account_id: Uuid,
    /// The author's name.
    #[schema(example = "ada")]
    pub author: String,
    /// Whether the author is banned: then only moderators see the design. Absent: the author is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub author_banned: bool,
    /// Status: `draft`, `shared`, `submitted`, `in_review`, `approved`, `declined`, `withdrawn` or `official`.
    #[schema(example = "shared")]
    pub status: &'static str,
    /// Number of this revision, from 1: the newest for the author, the public one for others. While a design is submitted, in review or approved, moderators see the
    /// newest, too.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Content of this revision.
    #[serde(flatten)]
    pub content: DesignContentResponse,
    /// Its pictures.
    pub image_uris: ImageUris,
    /// Number of comments that everybody sees.
    #[schema(example = 4, minimum = 0)]
    pub comment_count: i64,
    /// Number of ratings that count.
    #[schema(example = 12, minimum = 0)]
    pub rating_count: i64,
    /// Rating of the design, 1.00 to 5.00: the mean of all points, as if five more players had given three points for everything.
    #[schema(example = 3.77, minimum = 1, maximum = 5)]
    pub rating: f64,
    /// Players whose suggested changes the author accepted, up to this revision, the first accepted first; absent: there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contributors: Vec<ContributorResponse>,
    /// The last decision of a moderator about it. Only its author and moderators see it; absent: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<DesignReviewResponse>,
    /// The takedown by a moderator. Only its author and moderators see it; absent: the design is not taken down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takedown: Option<TakedownResponse>,
    /// The card that it became; absent: there is none, or not everybody may see it yet. Moderators always see it, unless their token does not show hidden cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardOfDesignResponse>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When this revision was written.
    pub revised_at: DateTime<Utc>,
    /// When it was first shared; absent: it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_at: Option<DateTime<Utc>>,
}

impl DesignResponse {
    /// Whether an account is its author or one of its contributors, who neither rate nor judge it.
    pub fn is_work_of(&self, account: AccountId) -> bool {
        let mut contributors = self.contributors.iter();
        self.account_id == account.0 || contributors.any(|one| one.account_id == account.0)
    }

    pub(super) fn new(game: &Game, mut stored: StoredDesign) -> Self {
        let (reason, card) = (stored.reason.take(), stored.card.take());
        let takedown = stored.takedown_note.take().zip(stored.taken_down_at);
        let decided = stored.decision.zip(reason).zip(stored.decided_at);
        let StoredDesign { design, shown_revision, revised_at, .. } = &stored;
        let id = design.code.to_string();
        // Nobody can read the files of artwork that was taken down.
        let artwork = stored.content().artwork.as_ref().filter(|_| !stored.artwork_removed);
        let artwork = artwork.map(|shown| shown.id);
        Self {
            game: design.game_code.clone(),
            account_id: design.account_id.0,
            author: design.author.clone(),
            author_banned: stored.author_banned,
            status: design.status.as_str(),
            revision: *shown_revision,
            image_uris: ImageUris::of_design(&id, artwork),
            comment_count: design.comment_count,
            rating_count: design.rating_count,
            rating: decimal(design.rating.into()),
            contributors: stored.contributors().map(contributor).collect(),
            review: decided.map(|((decision, reason), decided_at)| DesignReviewResponse {
                decision: decision.as_str(),
                reason,
                decided_at,
            }),
            takedown: takedown
                .map(|(note, taken_down_at)| TakedownResponse { note, taken_down_at }),
            card: card.map(Into::into),
            created_at: design.created_at,
            revised_at: *revised_at,
            shared_at: design.shared_at,
            id,
            content: DesignContentResponse::new(game, stored.into_content()),
        }
    }
}

fn contributor((account, name): (AccountId, &str)) -> ContributorResponse {
    ContributorResponse { account_id: account.0, name: name.to_owned() }
}
