//! Suggestions for incomplete designs.

use cardscape_engine::{CardDefinition, Effect, PrintingDefinition, SetFault};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::design_bodies::{DesignPrintingBody, printing_bodies};
use super::design_sentences::find_templates;
use crate::app::catalogue::cards::EffectResponse;
use crate::app::effects::sentences::EffectSeed;
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::words::must_be_one_of;
use crate::domain::designs::content::{ContentFault, DesignContent, Licence};
use crate::domain::designs::suggestion::{Suggestion, suggest};

/// An incomplete design.
pub struct PartialDesign {
    /// Code of the kind of card.
    pub kind: String,
    /// Attributes by code.
    pub attributes: Map<String, Value>,
    /// Effects, in printed order; the text `None` requests a sentence.
    pub effects: Vec<PartialEffect>,
    /// Printings with numbers that the author chose.
    pub printings: Vec<PrintingDefinition>,
}

/// An incomplete effect.
pub struct PartialEffect {
    pub style: Option<String>,
    pub slot: Option<String>,
    /// The sentence; `None` or blank requests one.
    pub text: Option<String>,
}

impl PartialDesign {
    /// The design in stored form, with empty texts where sentences are wanted; or every fault.
    fn normalised(self) -> Result<DesignContent, Vec<ContentFault>> {
        let effect = |effect: PartialEffect| {
            let PartialEffect { style, slot, text } = effect;
            Effect { style, slot, text: text.unwrap_or_default() }
        };
        let content = DesignContent {
            artwork: None,
            name: String::new(),
            kind: self.kind,
            attributes: self.attributes,
            effects: self.effects.into_iter().map(effect).collect(),
            printings: self.printings,
            flavour: None,
            lore: None,
            credits: None,
            licence: Licence::None,
        };
        content.normalised_unfinished()
    }
}

/// A completed design.
#[derive(Serialize, ToSchema)]
pub struct SuggestedDesign {
    /// Code of the kind of card.
    #[schema(example = "unit")]
    pub kind: String,
    /// Attributes by code; those that differ between printings have the values of the base printing.
    #[schema(value_type = Object, example = json!({ "type": "fire", "subtypes": ["dragon"], "rank": 1, "attack": 325, "defense": 175 }))]
    pub attributes: Map<String, Value>,
    /// Effects in printed order.
    #[schema(value_type = Vec<EffectResponse>)]
    pub effects: Vec<Effect>,
    /// Printings, from the lowest rarity up, with the values in which they differ from the design. The base printing repeats the values of the design.
    pub printings: Vec<DesignPrintingBody>,
}

impl From<CardDefinition> for SuggestedDesign {
    fn from(card: CardDefinition) -> Self {
        let CardDefinition { kind, attributes, effects, printings, .. } = card;
        let attributes = attributes.into();
        Self { kind, attributes, effects, printings: printing_bodies(printings) }
    }
}

/// A suggestion: the design that was sent, completed.
#[derive(Serialize, ToSchema)]
pub struct DesignSuggestionResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// The seed: with it, the same request has the same answer.
    #[schema(example = 7, maximum = 9_007_199_254_740_991_u64)]
    pub seed: u64,
    /// The completed design. The parts that were sent are not changed, right or wrong.
    pub design: SuggestedDesign,
    /// What was filled in: JSON Pointers (RFC 6901) into `design`, to whole parts and to members of parts that were sent.
    #[schema(example = json!(["/attributes/attack", "/attributes/defense", "/effects/0", "/printings/0"]))]
    pub filled: Vec<String>,
    /// Required parts that could not be filled in: pointers into `design`, each with the reason.
    #[schema(example = json!([{ "pointer": "/attributes/emoji", "detail": "It is a text: only the author can write it." }]))]
    pub unfilled: Vec<InputFault>,
    /// Rules of the game that the result breaks: pointers into `design`, each with the code of the violation and the number of the rule. Empty unless something
    /// that was sent is wrong, or something could not be filled in. The name is not checked.
    #[schema(example = json!([]))]
    pub violations: Vec<InputFault>,
}

/// Suggests the missing parts of a design. Without a seed, each call gives another result. 422 when the game or the
/// kind does not exist, or a text cannot be stored.
pub async fn create(
    app: &AppState,
    game: String,
    seed: Option<EffectSeed>,
    design: PartialDesign,
) -> Result<DesignSuggestionResponse, Problem> {
    let loaded = app.named_game(&game).await?;
    let mut faults = Vec::new();
    let loaded = loaded.map_err(|unknown| faults.push(InputFault::at("/game", unknown))).ok();
    let design = design.normalised().map_err(|found| {
        let here =
            |fault: ContentFault| InputFault::at(format!("/design{}", fault.pointer), fault.reason);
        faults.extend(found.into_iter().map(here));
    });
    let (Some(loaded), Ok(design)) = (loaded, design) else {
        return Err(Problem::invalid(faults));
    };
    let texts = find_templates(app, loaded.game.code()).await?;
    let seed = seed.unwrap_or_else(EffectSeed::random).number();
    let (of, kind) = (loaded.clone(), design.kind.clone());
    let suggest = move || {
        let library = texts.as_ref().map(|texts| &texts.library);
        suggest(&of.game, library, design, seed)
    };
    let suggestion = app.work.run(suggest).await?.ok_or_else(|| {
        let known = loaded.game.kinds().iter().map(|known| known.code.as_str());
        let fault = InputFault::at("/design/kind", must_be_one_of(&kind, known));
        Problem::invalid(vec![fault])
    })?;
    let Suggestion { card, filled, unfilled, faults } = suggestion;
    let open = unfilled.into_iter().map(|part| InputFault::at(part.pointer, part.reason));
    Ok(DesignSuggestionResponse {
        game,
        seed,
        design: card.into(),
        filled,
        unfilled: open.collect(),
        violations: faults.into_iter().map(violation).collect(),
    })
}

/// The fault for a violated rule of the game.
fn violation(fault: SetFault) -> InputFault {
    let SetFault { pointer, violation } = fault;
    InputFault {
        code: Some(violation.code.as_str().to_owned()),
        rule: Some(violation.rule.clone()),
        ..InputFault::at(pointer, violation)
    }
}
