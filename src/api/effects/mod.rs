//! Effect texts: templates, expansion, matching, edits.

pub mod effect_choices;
pub mod effect_edits;
pub mod effect_texts;
pub mod sentences;

use super::route_table::routes;

routes! {
    "/v1/games/{game}/effect-templates" => get effect_texts::list_effect_templates, post effect_edits::create_effect_template, put effect_edits::replace_effect_templates;
    "/v1/games/{game}/effect-templates/{number}" => get effect_texts::find_effect_template, put effect_edits::replace_effect_template, delete effect_edits::delete_effect_template;
    "/v1/games/{game}/effect-templates/{number}/choices" => get effect_choices::find_effect_choices;
    "/v1/games/{game}/effect-placeholders" => get effect_texts::list_effect_placeholders;
    "/v1/games/{game}/effect-placeholders/{name}" => get effect_texts::find_effect_placeholder, put effect_edits::replace_effect_placeholder, delete effect_edits::delete_effect_placeholder;
    "/v1/games/{game}/effect-phrase-rules" => get effect_texts::find_phrase_rules, put effect_edits::replace_phrase_rules;
    "/v1/games/{game}/effects" => get sentences::list_effects;
    "/v1/games/{game}/effects/random" => get sentences::draw_effects;
    "/v1/games/{game}/effects/match" => post sentences::match_effects;
    "/v1/games/{game}/effects/expand" => post sentences::expand_template;
}
