//! The toolkit of a game: everything that a design editor needs, in one document made from its manifest and effect
//! texts.

use cardscape_artwork::Limits;
use cardscape_engine::{DesignGuide, Game, Kind, PrintingCheck, Rarity, RuleReference};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::artworks::upload_limits;
use super::design_sentences::find_templates;
use super::toolkit_parts::{RulebookPlace, ToolkitGuide, ToolkitKind, ToolkitRarity};
use crate::app::catalogue::games;
use crate::app::effects::effect_texts::EffectTemplateResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::accounts::daily_limits::{DailyActivity, DailyLimit};
use crate::domain::code::Code;
use crate::domain::designs::artwork::{ARTWORK_MEDIA_TYPES, ARTWORK_QUOTA, MAX_ALT};
use crate::domain::designs::budgets::{BudgetLine, BudgetTable, budget_tables};
use crate::domain::designs::content::{self, Licence};
use crate::domain::designs::limits::{MAX_BYTES, MAX_DESIGNS, MAX_REVISIONS};
use crate::domain::designs::suggested_change::MAX_MESSAGE;
use crate::domain::effects::effect_texts::EffectLibrary;
use crate::domain::feedback::comment::MAX_COMMENT;
use crate::memory::rendered::{Freshness, Rendered};

/// Changes of effect texts must show at once.
const FRESHNESS: Freshness = Freshness::Public(0);

/// Everything that an editor of card designs needs to know about a game.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "game": "ttcg", "name": "TTCG", "rules_version": "ttcg/0.042",
    "rarities": [{ "code": "common", "name": "Common", "weight": 40, "tier": 1, "finish": "matte", "aliases": ["C"] }],
    "kinds": [{
        "code": "unit", "name": "Unit", "rule": "T-3.1a", "section": "3.1", "provenance": "source",
        "text": "A unit has one of eight types and one or more subtypes.",
        "attributes": {
            "type": {
                "name": "type", "type": "choice", "values": ["earth", "water", "fire"], "optional": false, "per_printing": false,
                "rule": "T-3.1a", "section": "3.1", "provenance": "source", "text": "A unit has exactly one of the eight types.",
            },
            "rank": {
                "name": "rank", "type": "integer", "min": 1, "max": 5, "optional": false, "per_printing": false,
                "rule": "T-4.6a", "section": "4.6", "provenance": "source", "text": "A unit has a rank from 1 to 5.",
            },
        },
        "effects": [{
            "min": 2, "max": 2, "styles": ["normal", "continuous", "counter", "equip"], "slots": [], "rule": "T-2.2.5a", "section": "2.2.5",
            "provenance": "source", "text": "Every card has exactly two effects, each of one of seven styles.",
        }],
        "printings": {
            "every_rarity": true, "rule": "T-4.6e", "section": "4.6", "provenance": "source", "text": "Every card exists in all six rarities.",
        },
        "checks": [],
    }],
    "budgets": [{
        "kind": "unit", "rule": "T-4.6b", "section": "4.6", "provenance": "source",
        "text": "A unit's attack and defense add up to 500 for each rank, plus 10 for each rarity tier above the first.",
        "check": "total", "of": ["attack", "defense"], "by": "rank",
        "totals": [{ "value": 1, "rarity": "common", "total": 500 }, { "value": 1, "rarity": "uncommon", "total": 510 }],
    }],
    "guide": {
        "tendencies": [{
            "rule": "T-3.1b", "section": "3.1", "provenance": "assumed", "text": "High attack, in figures: about two thirds of a Fire unit's total.",
            "select": { "kinds": ["unit"], "where": { "type": { "in": ["fire"] } } }, "of": ["attack", "defense"], "shares": [65, 35],
        }],
        "styles": [{
            "rule": "T-2.2.5m", "section": "2.2.5", "provenance": "assumed", "text": "An Equip effect attaches its card to another one.",
            "style": "equip", "begins": ["Equip this card to "],
        }],
        "suits": [{
            "rule": "T-4.6f", "section": "4.6", "provenance": "source", "text": "Only spells lie below a unit.",
            "contains": ["above this card"], "select": { "kinds": ["spell"] },
        }],
    },
    "limits": {
        "name": 120, "attributes": 64, "attribute_values": 100, "attribute_text": 500, "effects": 12, "effect_text": 500, "printings": 32,
        "flavour": 200, "lore": 2000, "credits": 200, "revision_bytes": 32_768, "designs": 500, "revisions": 500, "comment": 2000,
        "suggestion_message": 1000, "new_account_days": 3,
        "daily": [{ "limit": "new_designs", "max": 100, "max_new_account": 30 }],
        "artwork": {
            "media_types": ["image/png", "image/jpeg", "image/webp"], "bytes": 10_485_760, "pixels": 16_000_000, "side_min": 200,
            "ratio_max": 4, "alt": 500, "bytes_quota": 104_857_600, "uploads": 100, "uploads_new_account": 20,
        },
    },
    "licences": [{
        "code": "none", "text": "Others may only read it here; it cannot be submitted for release.", "allows_release": false,
    }],
    "effect_texts": {
        "combinations": 9590,
        "templates": [{
            "number": 34, "template": "Discard <fodder> to <deed>.", "placeholders": ["fodder", "deed"], "combinations": 851,
        }],
    },
}))]
pub struct DesignToolkitResponse<'a> {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: &'a str,
    /// Name of the game.
    #[schema(example = "TTCG")]
    pub name: &'a str,
    /// Version of the rulebook that the manifest restates.
    #[schema(example = "ttcg/0.042")]
    pub rules_version: &'a str,
    /// Rarities from the lowest up, at least one; the printing of the first is the base printing.
    #[schema(value_type = Vec<ToolkitRarity>)]
    pub rarities: &'a [Rarity],
    /// Kinds of cards, at least one.
    #[schema(value_type = Vec<ToolkitKind>)]
    pub kinds: &'a [Kind],
    /// Totals that numbers of cards must have, by the deciding attribute and by rarity. Empty: the game checks no totals.
    pub budgets: Vec<DesignBudget<'a>>,
    /// Advice for designers. It is not checked.
    #[schema(value_type = ToolkitGuide)]
    pub guide: &'a DesignGuide,
    /// Limits of a design.
    pub limits: DesignLimits,
    /// Licences that an author can choose; the first is the default.
    pub licences: Vec<LicenceResponse>,
    /// Templates of effect texts; absent: the game has no template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect_texts: Option<DesignEffectTexts>,
}

/// A total that some numbers of the cards of a kind must have.
#[derive(Serialize, ToSchema)]
pub struct DesignBudget<'a> {
    /// Code of the kind of card.
    #[schema(example = "unit")]
    pub kind: &'a str,
    /// Reference to the rulebook.
    #[serde(flatten)]
    #[schema(value_type = RulebookPlace)]
    pub reference: &'a RuleReference,
    /// What is added up: `total` (the numbers of each printing) or `gain` (by how much the numbers of a printing exceed those of the base printing).
    #[schema(example = "total")]
    pub check: &'static str,
    /// Codes of the attributes that are added up.
    #[schema(example = json!(["attack", "defense"]))]
    pub of: &'a [String],
    /// Code of the attribute that decides the total; absent: the total is the same for all cards of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rank")]
    pub by: Option<&'a str>,
    /// For a gain: the minimum gain of each attribute; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each_at_least: Option<i64>,
    /// The totals, by value and rarity. Absent if all budgets together would have more than 10,000 totals with them: then compute them from `checks` of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<Vec<BudgetTotal<'a>>>,
}

/// The total for one rarity.
#[derive(Serialize, ToSchema)]
pub struct BudgetTotal<'a> {
    /// Value of the deciding attribute: a number, a text, `true` or `false`; absent: no attribute decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>, example = 2)]
    pub value: Option<Value>,
    /// Code of the rarity.
    #[schema(example = "rare")]
    pub rarity: &'a str,
    /// The total.
    #[schema(example = 1020)]
    pub total: i64,
}

impl<'a> DesignBudget<'a> {
    fn new(table: BudgetTable<'a>) -> Self {
        let BudgetTable { kind, check, lines } = table;
        let (word, of, by, each_at_least) = match &check.check {
            PrintingCheck::Total { of, by, .. } => ("total", &of[..], by.as_deref(), None),
            PrintingCheck::Gain { of, each_at_least, .. } => {
                ("gain", &of[..], None, Some(*each_at_least))
            }
            // The engine has no other check yet.
            _ => ("", &[][..], None, None),
        };
        let total = |line: BudgetLine<'a>| {
            let BudgetLine { value, rarity, total } = line;
            BudgetTotal { value, rarity, total }
        };
        Self {
            kind: &kind.code,
            reference: &check.reference,
            check: word,
            of,
            by,
            each_at_least,
            totals: lines.map(|lines| lines.into_iter().map(total).collect()),
        }
    }
}

/// Limits of every design, in addition to the rules of its game, and of what an account does with designs. Lengths are in characters.
#[derive(Serialize, ToSchema)]
pub struct DesignLimits {
    /// Maximum length of the name.
    #[schema(example = 120)]
    pub name: usize,
    /// Maximum number of attributes of the design, and of each printing.
    #[schema(example = 64)]
    pub attributes: usize,
    /// Maximum number of values of an attribute that is a list.
    #[schema(example = 100)]
    pub attribute_values: usize,
    /// Maximum length of the value of an attribute that is a text.
    #[schema(example = 500)]
    pub attribute_text: usize,
    /// Maximum number of effects.
    #[schema(example = 12)]
    pub effects: usize,
    /// Maximum length of the sentence of an effect.
    #[schema(example = 500)]
    pub effect_text: usize,
    /// Maximum number of printings.
    #[schema(example = 32)]
    pub printings: usize,
    /// Maximum length of the flavour text.
    #[schema(example = 200)]
    pub flavour: usize,
    /// Maximum length of the lore.
    #[schema(example = 2000)]
    pub lore: usize,
    /// Maximum length of the credits.
    #[schema(example = 200)]
    pub credits: usize,
    /// Maximum size of a revision as JSON in bytes.
    #[schema(example = 32_768)]
    pub revision_bytes: usize,
    /// Maximum number of designs of an account.
    #[schema(example = 500)]
    pub designs: i64,
    /// Maximum number of revisions of a design.
    #[schema(example = 500)]
    pub revisions: i64,
    /// Maximum length of a comment.
    #[schema(example = 2000)]
    pub comment: usize,
    /// Maximum length of the message of a suggested change.
    #[schema(example = 1000)]
    pub suggestion_message: usize,
    /// For how many days an account is new.
    #[schema(example = 3)]
    pub new_account_days: i64,
    /// How often an account may do something in a day (UTC). A request beyond that gets 429 `daily_limit_reached`.
    pub daily: Vec<DailyLimitResponse>,
    /// Limits of its artwork.
    pub artwork: ArtworkLimits,
}

/// How often an account may do something in a day (UTC).
#[derive(Serialize, ToSchema)]
pub struct DailyLimitResponse {
    /// What is counted: `new_designs`, `revisions`, `shares`, `submissions`, `comments` (on designs and decks together), `ratings`, `suggestions`, `reports`
    /// or `uploads`; the `limit` of the problem `daily_limit_reached`. More may be added later.
    #[schema(example = "new_designs")]
    pub limit: &'static str,
    /// The maximum.
    #[schema(example = 100)]
    pub max: i32,
    /// The maximum for a new account.
    #[schema(example = 30)]
    pub max_new_account: i32,
}

impl From<DailyActivity> for DailyLimitResponse {
    fn from(activity: DailyActivity) -> Self {
        let DailyLimit { usual, new_account, .. } = activity.daily_limit();
        Self { limit: activity.counted(), max: usual, max_new_account: new_account }
    }
}

/// What accounts do with designs, and how often is limited.
const WITH_DESIGNS: [DailyActivity; 9] = [
    DailyActivity::Create,
    DailyActivity::Revise,
    DailyActivity::Share,
    DailyActivity::Submit,
    DailyActivity::Comment,
    DailyActivity::Rate,
    DailyActivity::Suggest,
    DailyActivity::Report,
    DailyActivity::Upload,
];

/// Limits of artwork: of an uploaded picture, and of all uploads of an account.
#[derive(Serialize, ToSchema)]
pub struct ArtworkLimits {
    /// Media types of pictures.
    #[schema(value_type = Vec<String>, example = json!(["image/png", "image/jpeg", "image/webp"]))]
    pub media_types: [&'static str; 3],
    /// Maximum size of a picture in bytes.
    #[schema(example = 10_485_760)]
    pub bytes: usize,
    /// Maximum number of pixels: width times height.
    #[schema(example = 16_000_000)]
    pub pixels: u64,
    /// Minimum length of the shorter side in pixels.
    #[schema(example = 200)]
    pub side_min: u32,
    /// Maximum ratio of the longer side to the shorter one.
    #[schema(example = 4)]
    pub ratio_max: u32,
    /// Maximum length of the alternative text.
    #[schema(example = 500)]
    pub alt: usize,
    /// Maximum size of all stored artwork of an account in bytes, with both files of each.
    #[schema(example = 104_857_600)]
    pub bytes_quota: i64,
    /// Maximum number of uploads of an account in a day (UTC); refused pictures count as well.
    #[schema(example = 100)]
    pub uploads: i32,
    /// The same for an account in its first three days.
    #[schema(example = 20)]
    pub uploads_new_account: i32,
}

impl ArtworkLimits {
    fn of_uploads() -> Self {
        let Limits { bytes, pixels, side_min, ratio_max } = upload_limits();
        let DailyLimit { usual, new_account, .. } = DailyActivity::Upload.daily_limit();
        Self {
            media_types: ARTWORK_MEDIA_TYPES,
            bytes,
            pixels,
            side_min,
            ratio_max,
            alt: MAX_ALT,
            bytes_quota: ARTWORK_QUOTA,
            uploads: usual,
            uploads_new_account: new_account,
        }
    }
}

impl DesignLimits {
    fn of_designs() -> Self {
        Self {
            name: content::MAX_NAME,
            attributes: content::MAX_ATTRIBUTES,
            attribute_values: content::MAX_VALUES,
            attribute_text: content::MAX_VALUE,
            effects: content::MAX_EFFECTS,
            effect_text: content::MAX_EFFECT,
            printings: content::MAX_PRINTINGS,
            flavour: content::MAX_FLAVOUR,
            lore: content::MAX_LORE,
            credits: content::MAX_CREDITS,
            revision_bytes: MAX_BYTES,
            designs: MAX_DESIGNS,
            revisions: MAX_REVISIONS,
            comment: MAX_COMMENT,
            suggestion_message: MAX_MESSAGE,
            new_account_days: DailyActivity::Create.daily_limit().new_for.num_days(),
            daily: WITH_DESIGNS.into_iter().map(Into::into).collect(),
            artwork: ArtworkLimits::of_uploads(),
        }
    }
}

/// A licence: what an author allows others to do with a design.
#[derive(Serialize, ToSchema)]
pub struct LicenceResponse {
    /// Code of the licence, with its version.
    #[schema(example = "cc-by-4.0")]
    pub code: &'static str,
    /// What it allows, for people.
    #[schema(
        example = "Creative Commons Attribution 4.0: anybody may share and adapt it with the author's name."
    )]
    pub text: &'static str,
    /// Whether a design with this licence may become an official card.
    #[schema(example = true)]
    pub allows_release: bool,
}

impl From<Licence> for LicenceResponse {
    fn from(licence: Licence) -> Self {
        let text = match licence {
            Licence::None => "Others may only read it here; it cannot be submitted for release.",
            Licence::Release => {
                "Cardscape may print and publish it as a card of the game, with the author's name."
            }
            Licence::CcBy => {
                "Creative Commons Attribution 4.0: anybody may share and adapt it with the author's name."
            }
            Licence::Cc0 => "Creative Commons Zero 1.0: anybody may do anything with it.",
        };
        Self { code: licence.as_str(), text, allows_release: licence.allows_release() }
    }
}

/// The effect texts of a game: templates, which are filled step by step with `GET /v1/games/{game}/effect-templates/{number}/choices`.
#[derive(Serialize, ToSchema)]
pub struct DesignEffectTexts {
    /// Number of combinations of all templates, including those that the phrase rules remove.
    #[schema(example = 9590, maximum = 9_007_199_254_740_991_u64)]
    pub combinations: u64,
    /// All templates in order, at most 2,000.
    #[schema(max_items = 2000)]
    pub templates: Vec<EffectTemplateResponse>,
}

impl From<&EffectLibrary> for DesignEffectTexts {
    fn from(library: &EffectLibrary) -> Self {
        Self { combinations: library.count(), templates: EffectTemplateResponse::all(library) }
    }
}

impl<'a> DesignToolkitResponse<'a> {
    fn new(game: &'a Game, library: Option<&EffectLibrary>) -> Self {
        Self {
            game: game.code(),
            name: game.name(),
            rules_version: game.rules_version(),
            rarities: game.rarities(),
            kinds: game.kinds(),
            budgets: budget_tables(game).into_iter().map(DesignBudget::new).collect(),
            guide: game.design_guide(),
            limits: DesignLimits::of_designs(),
            licences: Licence::ALL.into_iter().map(Into::into).collect(),
            effect_texts: library.map(Into::into),
        }
    }
}

/// The toolkit of a game; it is rendered once for each version of the game's manifest and effect texts.
pub async fn find(app: &AppState, game: &Code) -> Result<Rendered, Problem> {
    let loaded = games::find(app, game).await?;
    let texts = find_templates(app, game.as_str()).await?;
    let versions = (game.clone(), loaded.revision, texts.as_ref().map(|texts| texts.revision));
    let make = async {
        let library = texts.as_ref().map(|texts| &texts.library);
        Ok(Rendered::list(FRESHNESS, None, &DesignToolkitResponse::new(&loaded.game, library))?
            .into_cached())
    };
    app.toolkits.find_or(versions, make).await
}
