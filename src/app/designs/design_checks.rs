//! Checks of a design: violated rules, the templates of its sentences, and similar cards and designs.

use cardscape_engine::SetFault;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::alike::{AlikeNameResponse, AlikeResponse};
use super::design_bodies::{
    DesignPrintingBody, DesignRequest, ParsedDesign, parse_unfinished, printing_bodies,
};
use super::design_sentences::check_effects;
use super::likeness::{self, Likenesses, StoredAs};
use super::step_problems::foreign_artwork;
use crate::app::effects::match_bodies::MatchedSentenceResponse;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::words::words;
use crate::auth::permission::{Granted, Permission, ReadOwnDesigns};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::fixes::{Edit, EditOperation, MAX_FIXED, Written, fix};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::release::SentenceObstacle;
use crate::domain::designs::violations::design_faults;
use crate::domain::network::Network;
use crate::store::designs::{SeesOwnDesigns, artworks, design_lifecycle};

words! {
    EditOperation: "What an edit does: `add` (set a member), `replace`, `remove` or `move` (from `from` to `path`).";
}

/// A rule that a design breaks.
#[derive(Serialize, ToSchema)]
pub struct DesignViolationResponse {
    /// JSON Pointer (RFC 6901) into the design, with `all_printings` as its `printings`; `""` for the whole design.
    #[schema(example = "/attributes/attack")]
    pub pointer: String,
    /// Stable code for programs: see the list of violations.
    #[schema(example = "ATTRIBUTE_OUT_OF_RANGE")]
    pub code: String,
    /// `error`, `incomplete` or `warning`.
    #[schema(example = "error")]
    pub severity: &'static str,
    /// Message for people.
    #[schema(example = "attack must be at least 0.")]
    pub message: String,
    /// Number of the rule.
    #[schema(example = "T-3.2.1")]
    pub rule: String,
    /// Section of the game's rulebook.
    #[schema(example = "3.2")]
    pub section: String,
    /// The rule in one sentence.
    #[schema(example = "Attack is a number from 0 up.")]
    pub rule_text: String,
    /// Code of the rarity, if the violation is about one printing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// The number that the rule allows or requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 500)]
    pub limit: Option<i64>,
    /// The number that the design has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 450)]
    pub actual: Option<i64>,
    /// Values that would be right.
    pub suggestions: Vec<String>,
    /// Edits that together correct this violation, and perhaps cause another one: a JSON Patch (RFC 6902) for the design as it was sent, without `all_printings`. Absent: no edit is known, or
    /// the design has more than 50 violations and this is none of the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([{ "op": "replace", "path": "/attributes/defense", "value": 250 }]))]
    pub fix: Vec<DesignEdit>,
    /// The attribute concerned, or the slot of effects. Pages say in their own words what is wrong with it.
    #[serde(skip)]
    pub attribute: Option<String>,
}

impl DesignViolationResponse {
    fn new(fault: SetFault, fix: Vec<Edit>) -> Self {
        let SetFault { pointer, violation } = fault;
        Self {
            pointer,
            fix: fix.into_iter().map(Into::into).collect(),
            message: violation.message(),
            severity: violation.severity.as_str(),
            code: violation.code.as_str().to_owned(),
            rarity: violation.cards.into_iter().find_map(|card| card.rarity),
            rule: violation.rule,
            section: violation.section,
            rule_text: violation.rule_text,
            limit: violation.limit,
            actual: violation.actual,
            suggestions: violation.suggestions,
            attribute: violation.attribute,
        }
    }
}

/// An operation of a JSON Patch (RFC 6902).
#[derive(Serialize, ToSchema)]
pub struct DesignEdit {
    /// `add` (set a member), `replace`, `remove` or `move` (give a member another name).
    #[schema(value_type = EditOperation)]
    pub op: &'static str,
    /// JSON Pointer (RFC 6901) into the design as it was sent.
    #[schema(example = "/attributes/defense")]
    pub path: String,
    /// For `move`: JSON Pointer to the member that is moved to `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/attributes/Defense")]
    pub from: Option<String>,
    /// The new value; absent for `remove` and `move`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>, example = 250)]
    pub value: Option<Value>,
}

impl From<Edit> for DesignEdit {
    fn from(edit: Edit) -> Self {
        let (op, path, from, value) = match edit {
            Edit::Add(path, value) => (EditOperation::Add, path, None, Some(value)),
            Edit::Replace(path, value) => (EditOperation::Replace, path, None, Some(value)),
            Edit::Remove(path) => (EditOperation::Remove, path, None, None),
            Edit::Move { from, path } => (EditOperation::Move, path, Some(from), None),
        };
        Self { op: op.as_str(), path, from, value }
    }
}

/// A sentence of a design, with the templates that make it.
#[derive(Serialize, ToSchema)]
pub struct CheckedEffectResponse {
    /// Whether the game has templates and none of them makes the sentence: such a design can be shared, but not released.
    #[schema(example = false)]
    pub free_text: bool,
    /// The sentence and the templates that make it.
    #[serde(flatten)]
    pub matched: MatchedSentenceResponse,
}

impl CheckedEffectResponse {
    pub(super) fn new(matched: MatchedSentenceResponse) -> Self {
        // A sentence whose search ended early may still come from a template.
        let free_text =
            matched.matches.is_empty() && matched.complete && !matched.sentence.is_empty();
        Self { free_text, matched }
    }

    /// Why the sentence prevents a release; also `None` if there was not enough time to search its templates.
    pub(super) fn obstacle(&self) -> Option<SentenceObstacle> {
        let matched = &self.matched;
        if self.free_text {
            Some(SentenceObstacle::FreeText)
        } else if matched.matches.is_empty() && matched.searched && !matched.complete {
            Some(SentenceObstacle::SearchLimit)
        } else {
            None
        }
    }

    /// Whether no template was found within the limit of steps of the search.
    pub fn exceeds_search(&self) -> bool {
        self.obstacle() == Some(SentenceObstacle::SearchLimit)
    }
}

/// What a check says about a name that one of the caller's shared designs has.
const OWN_NAMESAKE: &str =
    "Your own shared design has this name: no other design of yours can be shared under it.";

/// Whether a name is available, and which names are similar.
#[derive(Serialize, ToSchema)]
pub struct CheckedNameResponse {
    /// Whether a design with this name can be shared now: the name has a letter, a digit or a symbol, and no open card or other shared design has the same name or one that looks the same.
    /// A design of a banned author is not listed in `like`, and keeps its name only while it is approved.
    #[schema(example = true)]
    pub available: bool,
    /// Why it is not available: `missing`, `no_letter` (only punctuation or combining marks), `taken`; absent: it is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NameObstacle>,
    /// The identifier of your own shared design that has the name, if you did not say with `design` which design you check, and nothing else has the name. The name is available to this
    /// design, but to no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "D-7KQ2X0FM9F")]
    pub own_design: Option<String>,
    /// The reason in words for people, or what `own_design` means; absent: there is neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "A name must contain a letter, a digit or a symbol.")]
    pub message: Option<&'static str>,
    /// Open cards, shared designs and your own designs whose name is the same, looks the same or is similar; the most similar first.
    pub like: Vec<AlikeNameResponse>,
}

impl CheckedNameResponse {
    fn new(content: &DesignContent, alike: &mut Likenesses) -> Self {
        let reason = NameObstacle::of(content, alike.name_is_taken);
        let own_design = alike.own_namesake.filter(|_| reason.is_none());
        Self {
            available: reason.is_none(),
            message: reason.map(NameObstacle::message).or(own_design.map(|_| OWN_NAMESAKE)),
            own_design: own_design.map(|code| code.to_string()),
            reason,
            like: std::mem::take(&mut alike.names),
        }
    }
}

/// Why a design cannot be shared under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameObstacle {
    /// There is no name.
    Missing,
    /// It has only punctuation or combining marks: no letter, no digit and no symbol. `POST /v1/designs` refuses it, too.
    NoLetter,
    /// An open card or a shared design has the name, or one that looks the same.
    Taken,
}

impl NameObstacle {
    fn of(content: &DesignContent, is_taken: bool) -> Option<Self> {
        if content.name.is_empty() {
            Some(Self::Missing)
        } else if !content.has_proper_name() {
            Some(Self::NoLetter)
        } else {
            is_taken.then_some(Self::Taken)
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Missing => "A design needs a name before it can be shared.",
            Self::NoLetter => "A name must contain a letter, a digit or a symbol.",
            Self::Taken => {
                "An open card or a shared design has this name, or one that looks the same."
            }
        }
    }
}

/// Why a design cannot be released as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseObstacle {
    /// It breaks rules.
    Violations,
    /// A sentence comes from no template.
    FreeText,
    /// No template was found within the limit of steps of the search, which does not depend on time or load. The sentence has `complete: false` and no `matches`.
    EffectSearchLimit,
    /// Its name is missing, taken, or looks like another.
    Name,
    /// Its licence does not allow the release.
    Licence,
    /// Its artwork was taken down.
    Artwork,
}

/// A possible improvement of a design. It prevents neither storing nor releasing the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DesignWarning {
    /// Its artwork has no alternative text.
    AltMissing,
    /// PNG pictures have outlines in place of some letters of its texts, because the fonts of the service lack them.
    LettersNotDrawn,
}

/// The result of a check of a design.
#[derive(Serialize, ToSchema)]
pub struct DesignCheckResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Every rule that the design breaks; empty: it is a valid card of the game.
    pub violations: Vec<DesignViolationResponse>,
    /// All printings, with the numbers that were sent and computed numbers for the others.
    pub all_printings: Vec<DesignPrintingBody>,
    /// Each sentence, with the templates that make it.
    pub effects: Vec<CheckedEffectResponse>,
    /// The result for the name.
    pub name: CheckedNameResponse,
    /// Open cards, shared designs and your own designs of the same kind whose effects differ only in numbers.
    pub same_effects: Vec<AlikeResponse>,
    /// Whether the design could be released as it is, as far as this check can determine: hidden cards are not compared. `false` also if there was not enough time
    /// to find out whether a template makes each sentence; then there may be no obstacle, and the same check may find out later.
    #[schema(example = true)]
    pub releasable: bool,
    /// Why it could not be released: `violations`, `free_text`, `effect_search_limit` (no template of a sentence was found within the limit of steps: it is always so, as long as the sentence and the
    /// effect texts stay the same), `name`, `licence`, `artwork` (it was taken down).
    #[schema(example = json!([]))]
    pub obstacles: Vec<ReleaseObstacle>,
    /// Possible improvements: `alt_missing` (its artwork has no alternative text), `letters_not_drawn` (PNG pictures show outlines in place of some letters, which the fonts of the service
    /// lack; SVG pictures are drawn with the fonts of the reader).
    #[schema(example = json!([]))]
    pub warnings: Vec<DesignWarning>,
}

impl DesignCheckResponse {
    /// Whether there was enough time to search the templates of every sentence.
    pub(super) fn is_complete(&self) -> bool {
        self.effects.iter().all(|effect| effect.matched.searched)
    }
}

/// Checks a design as it is sent. The response about similar designs depends only on what everybody may see and on the
/// caller's own designs. Artwork of others is refused as if it did not exist. `stored`: the design that it would be a
/// revision of, with which it is not compared. Effects may lack their text: that is a violation.
pub async fn check(
    app: &AppState,
    network: Network,
    requester: Option<&Granted<ReadOwnDesigns>>,
    request: DesignRequest,
    stored: Option<StoredAs>,
) -> Result<DesignCheckResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let design = parse_unfinished(app, &mut conn, request).await?;
    require_own_artwork(&mut conn, requester, &design.content).await?;
    drop(conn);
    judge(app, network, requester, &design, stored).await
}

/// One of the caller's designs, by its identifier as it was typed. 422 for a design of somebody else, as if it did not
/// exist.
pub async fn find_own_design(
    app: &AppState,
    requester: Option<&Granted<ReadOwnDesigns>>,
    typed: &str,
) -> Result<StoredAs, Problem> {
    let stored = match (requester, DesignCode::parse(typed)) {
        (Some(requester), Ok(code)) => {
            let mut conn = app.store.connection().await?;
            design_lifecycle::find(&mut conn, Some(requester), None, code)
                .await?
                .filter(|stored| stored.design.account_id == requester.account())
        }
        _ => None,
    };
    let unknown =
        || Problem::invalid(vec![InputFault::at("/design", "must be one of your own designs")]);
    let stored = stored.ok_or_else(unknown)?;
    Ok(StoredAs { design: stored.design.code, card: stored.card.map(|card| card.card_id) })
}

/// 422 for artwork that the caller has not uploaded, as when the design is stored. Artwork of the caller that was taken
/// down is an obstacle to the release instead.
async fn require_own_artwork(
    conn: &mut StepConnection<'_>,
    requester: Option<&Granted<ReadOwnDesigns>>,
    content: &DesignContent,
) -> Result<(), Problem> {
    let Some(artwork) = &content.artwork else { return Ok(()) };
    let is_own = match requester {
        Some(requester) => artworks::is_own(conn.get().await?, requester, artwork.id).await?,
        None => false,
    };
    if is_own { Ok(()) } else { Err(foreign_artwork()) }
}

/// Checks a design. A stored design is not compared with itself.
pub(super) async fn judge<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    network: Network,
    requester: Option<&Granted<P>>,
    design: &ParsedDesign,
    stored: Option<StoredAs>,
) -> Result<DesignCheckResponse, Problem> {
    let ParsedDesign { game, content } = design;
    let code = game.game.code();
    let definition = content.definition(&game.game);
    let written = Written::new(content, &definition);
    let fixed = |(at, fault): (usize, SetFault)| {
        let edits = if at < MAX_FIXED { fix(&game.game, &written, &fault) } else { Vec::new() };
        DesignViolationResponse::new(fault, edits)
    };
    let faults = design_faults(&game.game, &definition, &content.name);
    let violations: Vec<DesignViolationResponse> =
        faults.into_iter().enumerate().map(fixed).collect();
    let effects = check_effects(app, code, content).await?;
    let mut alike = likeness::find(app, network, requester, code, content, stored).await?;
    let name = CheckedNameResponse::new(content, &mut alike);
    let mut conn = StepConnection::new(&app.store);
    let artwork_removed = has_removed_artwork(&mut conn, content).await?;
    drop(conn);
    let obstacles: Vec<ReleaseObstacle> = [
        (!violations.is_empty(), ReleaseObstacle::Violations),
        (effects.iter().any(|effect| effect.free_text), ReleaseObstacle::FreeText),
        (
            effects.iter().any(CheckedEffectResponse::exceeds_search),
            ReleaseObstacle::EffectSearchLimit,
        ),
        (!name.available, ReleaseObstacle::Name),
        (!content.licence.allows_release(), ReleaseObstacle::Licence),
        (artwork_removed, ReleaseObstacle::Artwork),
    ]
    .into_iter()
    .filter_map(|(stands, obstacle)| stands.then_some(obstacle))
    .collect();
    metrics::counter!("design_checks_total", "game" => code.to_owned()).increment(1);
    let mut check = DesignCheckResponse {
        game: code.to_owned(),
        violations,
        all_printings: printing_bodies(definition.printings),
        effects,
        name,
        same_effects: alike.effects,
        releasable: obstacles.is_empty(),
        obstacles,
        warnings: warnings(app, content),
    };
    check.releasable &= check.is_complete();
    Ok(check)
}

fn warnings(app: &AppState, content: &DesignContent) -> Vec<DesignWarning> {
    let has_no_alt = content.artwork.as_ref().is_some_and(|artwork| artwork.alt.is_none());
    let fonts = &app.settings.picture_fonts;
    let values = content.attributes.values().filter_map(Value::as_str);
    let effects = content.effects.iter().map(|effect| effect.text.as_str());
    // The card shows one of the two.
    let lore = content.flavour.as_deref().or(content.lore.as_deref());
    let mut texts = [content.name.as_str()].into_iter().chain(lore).chain(values).chain(effects);
    let lacks_letters = texts.any(|text| fonts.lack_letters_of(text));
    let found =
        [(has_no_alt, DesignWarning::AltMissing), (lacks_letters, DesignWarning::LettersNotDrawn)];
    found.into_iter().filter_map(|(stands, warning)| stands.then_some(warning)).collect()
}

/// Whether the artwork of the content was taken down.
pub(super) async fn has_removed_artwork(
    conn: &mut StepConnection<'_>,
    content: &DesignContent,
) -> Result<bool, Problem> {
    let Some(artwork) = &content.artwork else { return Ok(false) };
    Ok(artworks::is_removed(conn.get().await?, artwork.id).await?)
}
