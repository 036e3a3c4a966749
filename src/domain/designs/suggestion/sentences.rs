//! Suggests effects: sentences of the game's templates that fit the style and suit the card.

use cardscape_engine::rng::RandomNumbers as _;
use cardscape_engine::{Effect, EffectSchema};

use super::{Draft, UnfilledReason};
use crate::domain::designs::content::{MAX_EFFECT, MAX_EFFECTS};

/// How many sentences of a template are tried before the next template.
const TRIED_OF_EACH: usize = 8;
/// How many sentences are tried for one effect: enough for all templates in three styles.
const MAX_TRIED: usize = 50_000;

impl<'a> Draft<'a> {
    /// The effect schema that applies to the card with its present values.
    fn effect_schema(&self) -> Option<&'a EffectSchema> {
        let applies = |schema: &&EffectSchema| {
            schema.when.as_ref().is_none_or(|when| when.matches(&self.card, "", None))
        };
        self.kind.effects.iter().find(applies)
    }

    /// How many existing effects the card may not have, plus how many required effects are missing that cannot be suggested.
    pub(super) fn effect_obstacles(&self) -> usize {
        let Some(schema) = self.effect_schema() else { return self.card.effects.len() };
        let effects = &self.card.effects;
        let foreign = effects.iter().filter(|effect| {
            effect.style.as_ref().is_some_and(|style| !schema.styles.contains(style))
                || effect.slot.as_ref().is_some_and(|slot| !has_slot(schema, slot))
        });
        let outside = |count: usize, min: u32, max: u32| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let least = if self.library.is_some() { 0 } else { min };
            count.saturating_sub(max).max(least.saturating_sub(count)) as usize
        };
        let counts: usize = if schema.slots.is_empty() {
            outside(effects.len(), schema.min, schema.max)
        } else {
            let slots = schema.slots.iter();
            slots.map(|slot| outside(self.count_in(&slot.code), slot.min, slot.max)).sum()
        };
        foreign.count() + counts
    }

    fn count_in(&self, slot: &str) -> usize {
        self.card.effects.iter().filter(|effect| effect.slot.as_deref() == Some(slot)).count()
    }

    /// Completes existing effects, and adds required ones.
    pub(super) fn fill_effects(&mut self) {
        let Some(schema) = self.effect_schema() else { return };
        for at in 0..self.card.effects.len() {
            self.complete_effect(schema, at);
        }
        if schema.slots.is_empty() {
            let missing = (schema.min as usize).saturating_sub(self.card.effects.len());
            self.add_effects(schema, None, missing);
        }
        for slot in &schema.slots {
            let missing = (slot.min as usize).saturating_sub(self.count_in(&slot.code));
            self.add_effects(schema, Some(&slot.code), missing);
        }
    }

    /// Adds the missing parts of an author's effect: slot, style, sentence.
    fn complete_effect(&mut self, schema: &EffectSchema, at: usize) {
        let pointer = format!("/effects/{at}");
        if self.card.effects[at].slot.is_none()
            && let Some(slot) = self.free_slot(schema)
        {
            self.card.effects[at].slot = Some(slot);
            self.filled.push(format!("{pointer}/slot"));
        }
        let Effect { style, text, .. } = self.card.effects[at].clone();
        let lacks_style = style.is_none() && !schema.styles.is_empty();
        if !text.is_empty() {
            if lacks_style {
                let fits = |style: &&String| self.game.design_guide().fits_style(style, &text);
                let styles = self.styles(schema, &pointer);
                let style = styles.iter().find(fits).or(styles.first()).cloned();
                self.card.effects[at].style = style;
                self.filled.push(format!("{pointer}/style"));
            }
            return;
        }
        let styles = match style {
            Some(style) => vec![Some(style)],
            None => self.open_styles(schema, &pointer),
        };
        match self.sentence(&styles, &pointer) {
            Ok((style, text)) => {
                if lacks_style {
                    self.filled.push(format!("{pointer}/style"));
                }
                self.filled.push(format!("{pointer}/text"));
                let effect = &mut self.card.effects[at];
                (effect.style, effect.text) = (style, text);
            }
            Err(reason) => self.cannot(format!("{pointer}/text"), reason),
        }
    }

    /// A slot that needs an effect, or else a slot that may have one more.
    fn free_slot(&self, schema: &EffectSchema) -> Option<String> {
        let room = |bound: u32| move |count: usize| count < bound as usize;
        let needs = schema.slots.iter().find(|slot| room(slot.min)(self.count_in(&slot.code)));
        let takes = || schema.slots.iter().find(|slot| room(slot.max)(self.count_in(&slot.code)));
        needs.or_else(takes).map(|slot| slot.code.clone())
    }

    fn add_effects(&mut self, schema: &EffectSchema, slot: Option<&str>, missing: usize) {
        for _ in 0..missing {
            let at = self.card.effects.len();
            if at >= MAX_EFFECTS {
                return self.cannot("/effects".to_owned(), UnfilledReason::TooManyEffects);
            }
            let pointer = format!("/effects/{at}");
            match self.sentence(&self.open_styles(schema, &pointer), &pointer) {
                Ok((style, text)) => {
                    let slot = slot.map(str::to_owned);
                    self.card.effects.push(Effect { style, slot, text });
                    self.filled.push(pointer);
                }
                // A search for further effects would fail as well.
                Err(reason) => return self.cannot("/effects".to_owned(), reason),
            }
        }
    }

    /// The styles that an effect may have, in random order; one `None` if effects have no styles.
    fn open_styles(&self, schema: &EffectSchema, pointer: &str) -> Vec<Option<String>> {
        let styles = self.styles(schema, pointer);
        if styles.is_empty() { vec![None] } else { styles.into_iter().map(Some).collect() }
    }

    fn styles(&self, schema: &EffectSchema, pointer: &str) -> Vec<String> {
        let mut styles = schema.styles.clone();
        self.random(&format!("{pointer}/style")).shuffle(&mut styles);
        styles
    }

    /// Finds a sentence for the effect at this pointer, for the first of these styles that has one. The sentence suits the card and is not on the card yet.
    /// The templates are tried in random order; the number of their sentences does not matter.
    fn sentence(
        &self,
        styles: &[Option<String>],
        pointer: &str,
    ) -> Result<(Option<String>, String), UnfilledReason> {
        let Some(library) = self.library else {
            return Err(UnfilledReason::NoEffectTexts);
        };
        let mut random = self.random(&format!("{pointer}/text"));
        let mut templates: Vec<usize> = (0..library.texts().templates.len()).collect();
        random.shuffle(&mut templates);
        let mut renderer = library.rules().renderer();
        let mut tries = MAX_TRIED;
        for style in styles {
            for &template in &templates {
                let count = library.count_of(template);
                for number in random.distinct_below(count.into(), TRIED_OF_EACH) {
                    let Some(left) = tries.checked_sub(1) else {
                        return Err(UnfilledReason::NoSentence);
                    };
                    tries = left;
                    let raw = library.effects().nth_of(template, number);
                    let text = raw.as_deref().and_then(|raw| renderer.render(raw));
                    if let Some(text) = text.filter(|text| self.takes(style.as_deref(), text)) {
                        return Ok((style.clone(), text.to_owned()));
                    }
                }
            }
        }
        Err(UnfilledReason::NoSentence)
    }

    /// Whether the card can take an effect with this style and sentence.
    fn takes(&self, style: Option<&str>, text: &str) -> bool {
        let guide = self.game.design_guide();
        !text.is_empty()
            && text.chars().nth(MAX_EFFECT).is_none()
            && style.is_none_or(|style| guide.fits_style(style, text))
            && guide.suits(&self.card, text)
            && !self.card.effects.iter().any(|effect| effect.text == text)
    }
}

fn has_slot(schema: &EffectSchema, slot: &str) -> bool {
    schema.slots.iter().any(|known| known.code == slot)
}
