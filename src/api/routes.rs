//! Every URL on one screen.

use actix_web::dev::HttpServiceFactory;
use actix_web::middleware::from_fn;
use actix_web::{HttpResponse, Scope, web};
use utoipa::OpenApi;

use super::accounts::{
    account_events, own_account, own_password, people, second_factor, sessions, tokens,
};
use super::catalogue::{
    bulk_files, card_edits, card_legalities, card_lookups, card_migrations, cards, changes, facets,
    games, history, rulings, sets,
};
use super::collection::{collection_imports, collection_progress, counts};
use super::contract;
use super::copies::{copy_moderation, disputes, own_copies, trade_lists, trades, trading};
use super::decks::{deck_lists, deck_reports};
use super::effects::{effect_edits, effect_texts, sentences};
use super::operations::{audit_log, health, webhook_deliveries, webhooks};
use super::printing::{print_commitments, print_plans, print_runs, print_statistics};
use super::problems;
use super::serials::{
    community, submission_batches, submission_reviews, submissions, unlock_policies, unlocks,
};
use crate::app::problem::{Problem, ProblemCode};
use crate::http::middleware::deadline;

/// Routes with the same beginning. The router tries one after the other, with a regular expression for each that has parameters; so that it
/// need not try all, it looks for the beginning first.
#[derive(Default)]
struct Groups(Vec<(&'static str, Scope)>);

/// The beginning of everything about one game: the largest group but for that.
const GAME: &str = "/v1/games/{game}";

impl Groups {
    /// The beginning and the rest of a path. Without a beginning: it is in no group.
    fn split(path: &'static str) -> (Option<&'static str>, &'static str) {
        let beginning = match path.strip_prefix("/v1/") {
            None => return (None, path),
            Some(_) if path.starts_with(GAME) => GAME.len(),
            Some(rest) => {
                rest.find('/').map_or(path.len(), |length| path.len() - rest.len() + length)
            }
        };
        let (beginning, rest) = path.split_at(beginning);
        (Some(beginning), rest)
    }

    fn add(
        &mut self,
        config: &mut web::ServiceConfig,
        path: &'static str,
        resource: impl HttpServiceFactory + 'static,
    ) {
        let (Some(beginning), _) = Self::split(path) else {
            config.service(resource);
            return;
        };
        let known = self.0.iter().position(|(of, _)| *of == beginning);
        let group = match known {
            Some(at) => self.0.remove(at).1,
            None => web::scope(beginning),
        };
        let at = known.unwrap_or(self.0.len());
        self.0.insert(at, (beginning, group.service(resource)));
    }

    fn mount(mut self, config: &mut web::ServiceConfig) {
        // What begins like another group comes after it.
        self.0.sort_by_key(|(beginning, _)| GAME.starts_with(&format!("{beginning}/")));
        for (_, group) in self.0 {
            config.service(group);
        }
    }
}

macro_rules! on {
    // HEAD is GET without a body; the server leaves the body out.
    ($resource:expr, get, $handler:path) => {
        $resource.route(web::get().to($handler)).route(web::head().to($handler))
    };
    ($resource:expr, $method:ident, $handler:path) => {
        $resource.route(web::$method().to($handler))
    };
}

macro_rules! routes {
    ($($path:literal => $($method:ident $room:ident::$handler:ident),+;)+) => {
        /// Mounts every route.
        pub fn configure(config: &mut web::ServiceConfig) {
            let mut groups = Groups::default();
            $(
                let resource = web::resource(Groups::split($path).1).wrap(from_fn(deadline::limit));
                $(let resource = on!(resource, $method, $room::$handler);)+
                groups.add(config, $path, resource.default_service(web::to(async || method_not_allowed(&[$(stringify!($method)),+]))));
            )+
            groups.mount(config);
        }

        /// The operations of the OpenAPI document, in this order.
        #[derive(OpenApi)]
        #[openapi(paths($($($room::$handler),+),+))]
        pub struct Operations;

        /// Method, path and operation id of every route.
        pub const ROUTES: &[(&str, &str, &str)] = &[$($((stringify!($method), $path, stringify!($handler))),+),+];
    };
}

routes! {
    // The router tries one after the other, within each group: what is asked for most comes first.
    "/v1/cards"                   => get cards::list_cards;
    "/v1/cards/named"             => get card_lookups::find_named_card;
    "/v1/cards/autocomplete"      => get card_lookups::suggest_card_names;
    "/v1/cards/random"            => get card_lookups::draw_card;
    "/v1/cards/lookup"            => post card_lookups::look_up_cards;
    "/v1/cards/{card}"            => get cards::find_card, patch card_edits::edit_card;
    "/v1/cards/{card}/printings"  => get cards::list_printings;
    "/v1/cards/{card}/legalities" => get card_legalities::list_legalities;
    "/v1/cards/{card}/rulings"    => get rulings::list_rulings, post rulings::create_ruling;
    "/v1/cards/{card}/history"    => get history::list_history;
    "/v1/cards/{card}/move"       => post card_migrations::move_card;
    "/v1/cards/{card}/merge"      => post card_migrations::merge_card;
    "/v1/rulings/{ruling}"        => get rulings::find_ruling, put rulings::replace_ruling, delete rulings::delete_ruling;
    "/v1/card-migrations"         => get card_migrations::list_card_migrations;
    "/v1/card-migrations/{migration}" => get card_migrations::find_card_migration;

    "/v1/accounts"                => get people::list_accounts, post own_account::register;
    "/v1/accounts/recover"        => post own_account::recover;
    "/v1/accounts/{account}"      => get own_account::find_account, patch own_account::change_account;
    "/v1/accounts/{account}/second-factor" => delete second_factor::remove_second_factor;
    "/v1/me"                      => get own_account::find_me;
    "/v1/me/password"             => put own_password::change_password;
    "/v1/me/recovery-codes"       => post own_password::replace_recovery_codes;
    "/v1/me/second-factor"        => get second_factor::find_second_factor, post second_factor::begin_second_factor;
    "/v1/me/second-factor/confirm" => post second_factor::confirm_second_factor;
    "/v1/me/second-factor/switch-off" => post second_factor::switch_off_second_factor;
    "/v1/me/second-factor/recovery-codes" => post second_factor::replace_second_factor_codes;
    "/v1/me/events"               => get account_events::list_account_events;
    "/v1/me/events/stream"        => get account_events::stream_account_events;
    "/v1/me/leaderboard"          => put community::change_listing;
    "/v1/me/trading"              => put trading::change_trading;
    "/v1/sessions"                => get sessions::list_sessions, post sessions::log_in;
    "/v1/sessions/refresh"        => post sessions::refresh;
    "/v1/sessions/current"        => delete sessions::log_out;
    "/v1/sessions/{session}"      => delete sessions::end_session;
    "/v1/tokens"                  => get tokens::list_tokens, post tokens::create_token;
    "/v1/tokens/{token}"          => delete tokens::revoke_token;

    "/v1/games"                   => get games::list_games;
    "/v1/games/{game}"            => get games::find_game;
    "/v1/games/{game}/manifest"   => get games::find_manifest, put games::replace_manifest;
    "/v1/games/{game}/schema"     => get games::find_schema;
    "/v1/games/{game}/formats"    => get games::list_formats;
    "/v1/games/{game}/formats/{format}" => get games::find_format;
    "/v1/games/{game}/sets"       => get sets::list_sets;
    "/v1/sets"                    => get sets::list_all_sets;
    "/v1/games/{game}/sets/{set}" => get sets::find_set, put sets::replace_set, patch sets::edit_set;
    "/v1/games/{game}/sets/{set}/cards/{number}" => get cards::find_card_by_number;
    "/v1/games/{game}/facets"     => get facets::list_facets;
    "/v1/games/{game}/effect-templates" => get effect_texts::list_effect_templates, post effect_edits::create_effect_template, put effect_edits::replace_effect_templates;
    "/v1/games/{game}/effect-templates/{number}" => get effect_texts::find_effect_template, put effect_edits::replace_effect_template, delete effect_edits::delete_effect_template;
    "/v1/games/{game}/effect-placeholders" => get effect_texts::list_effect_placeholders;
    "/v1/games/{game}/effect-placeholders/{name}" => get effect_texts::find_effect_placeholder, put effect_edits::replace_effect_placeholder, delete effect_edits::delete_effect_placeholder;
    "/v1/games/{game}/effect-phrase-rules" => get effect_texts::find_phrase_rules, put effect_edits::replace_phrase_rules;
    "/v1/games/{game}/effects"    => get sentences::list_effects;
    "/v1/games/{game}/effects/random" => get sentences::draw_effects;
    "/v1/games/{game}/effects/match" => post sentences::match_effects;
    "/v1/games/{game}/effects/expand" => post sentences::expand_template;
    "/v1/bulk-files"              => get bulk_files::list_bulk_files;
    "/v1/bulk-files/{name}"       => get bulk_files::download_bulk_file;
    "/v1/changes"                 => get changes::list_changes;
    "/v1/changes/stream"          => get changes::stream_changes;

    "/v1/decks"                   => get deck_lists::list_decks, post deck_lists::create_deck;
    "/v1/decks/{deck}"            => get deck_lists::find_deck, put deck_lists::replace_deck, delete deck_lists::delete_deck;
    "/v1/decks/{deck}/report"     => get deck_reports::find_deck_report;
    "/v1/deck-reports"            => post deck_reports::create_deck_report;

    "/v1/collection"              => get counts::list_collection;
    "/v1/collection/changes"      => post counts::change_counts;
    "/v1/collection/imports"      => post collection_imports::read_import;
    "/v1/collection/imports/{import}/commit" => post collection_imports::commit_import;
    "/v1/collection/export"       => get collection_imports::export_collection;
    "/v1/collection/completion"   => get collection_progress::find_completion;
    "/v1/collection/duplicates"   => get collection_progress::list_duplicates;
    "/v1/collection/{printing}"   => put counts::set_count;
    "/v1/me/wants"                => get trade_lists::find_wants, put trade_lists::replace_wants;
    "/v1/me/haves"                => get trade_lists::find_haves, put trade_lists::replace_haves;
    "/v1/players/{player}/wants"  => get trade_lists::list_player_wants;
    "/v1/players/{player}/haves"  => get trade_lists::list_player_haves;
    "/v1/trade-matches"           => get trade_lists::list_trade_matches;

    "/v1/submissions"             => get submissions::list_submissions, post submissions::create_submission;
    "/v1/submissions/batch"       => post submission_batches::create_submissions;
    "/v1/submissions/{submission}" => get submissions::find_submission;
    "/v1/submissions/{submission}/review" => put submission_reviews::review_submission;
    "/v1/submission-reviews"      => get submission_reviews::list_waiting_submissions;
    "/v1/games/{game}/unlock-policy" => get unlock_policies::find_game_policy, put unlock_policies::set_game_policy, delete unlock_policies::remove_game_policy;
    "/v1/games/{game}/sets/{set}/unlock-policy" => get unlock_policies::find_set_policy, put unlock_policies::set_set_policy, delete unlock_policies::remove_set_policy;
    "/v1/games/{game}/sets/{set}/unlocks" => get unlocks::list_set_unlocks, post unlocks::unlock_set;
    "/v1/statistics/unlocks"      => get community::find_unlock_statistics;
    "/v1/statistics/leaderboard"  => get community::find_leaderboard;
    "/v1/unlocks"                 => get unlocks::list_unlocks;
    "/v1/cards/{card}/unlock"     => get unlocks::find_unlock, post unlocks::unlock_card;

    "/v1/copies"                  => get own_copies::list_copies;
    "/v1/copies/{copy}"           => get own_copies::find_copy;
    "/v1/copies/{copy}/history"   => get own_copies::list_copy_history;
    "/v1/copies/{copy}/freeze"    => post copy_moderation::freeze_copy;
    "/v1/copies/{copy}/unfreeze"  => post copy_moderation::unfreeze_copy;
    "/v1/copies/{copy}/void"      => post copy_moderation::void_copy;
    "/v1/players/{player}/copies" => get trading::list_player_copies;
    "/v1/trades"                  => get trades::list_trades, post trades::create_trade;
    "/v1/trades/{trade}"          => get trades::find_trade;
    "/v1/trades/{trade}/accept"   => post trades::accept_trade;
    "/v1/trades/{trade}/decline"  => post trades::decline_trade;
    "/v1/trades/{trade}/cancel"   => post trades::cancel_trade;
    "/v1/trades/{trade}/counter"  => post trades::counter_trade;
    "/v1/disputes"                => get disputes::list_disputes;
    "/v1/disputes/{dispute}"      => get disputes::find_dispute;
    "/v1/disputes/{dispute}/statements" => post disputes::create_statement;
    "/v1/disputes/{dispute}/withdraw" => post disputes::withdraw_dispute;
    "/v1/disputes/{dispute}/decide" => post disputes::decide_dispute;

    "/v1/print-runs"              => get print_runs::list_print_runs;
    "/v1/print-runs/{run}"        => get print_runs::find_print_run;
    "/v1/games/{game}/sets/{set}/print-plans" => post print_plans::create_print_plan;
    "/v1/games/{game}/sets/{set}/print-commitments" => get print_commitments::list_print_commitments, post print_commitments::create_print_commitment;
    "/v1/games/{game}/sets/{set}/print-statistics" => get print_statistics::find_print_statistics;
    "/v1/print-commitments/{commitment}" => get print_commitments::find_print_commitment;
    "/v1/print-commitments/{commitment}/reveal" => put print_commitments::reveal_print_commitment;

    "/v1/webhooks"                => get webhooks::list_webhooks, post webhooks::create_webhook;
    "/v1/webhooks/{webhook}"      => get webhooks::find_webhook, put webhooks::replace_webhook, delete webhooks::delete_webhook;
    "/v1/webhooks/{webhook}/secret" => post webhooks::rotate_webhook_secret;
    "/v1/webhooks/{webhook}/ping" => post webhook_deliveries::ping_webhook;
    "/v1/webhooks/{webhook}/deliveries" => get webhook_deliveries::list_webhook_deliveries;
    "/v1/webhooks/{webhook}/deliveries/{delivery}" => get webhook_deliveries::find_webhook_delivery;
    "/v1/webhooks/{webhook}/deliveries/{delivery}/resend" => post webhook_deliveries::resend_webhook_delivery;

    "/v1/audit-log"               => get audit_log::list_audit_log;

    "/problems"                   => get problems::list_problems;
    "/problems/{code}"            => get problems::find_problem;
    "/healthz"                    => get health::healthz;
    "/readyz"                     => get health::readyz;
    "/metrics"                    => get health::metrics;
    "/openapi.json"               => get contract::find_document;
}

/// 405 with the methods that the resource does have.
pub(super) fn method_not_allowed(methods: &[&str]) -> Result<HttpResponse, Problem> {
    let mut allow: Vec<String> = methods.iter().map(|method| method.to_ascii_uppercase()).collect();
    if methods.contains(&"get") {
        allow.push("HEAD".to_owned());
    }
    Err(Problem::new(ProblemCode::MethodNotAllowed).allow(allow.join(", ")))
}
