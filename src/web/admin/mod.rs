//! Pages of moderators and admins: items that wait for a decision, accounts, the catalogue, print runs, webhooks, the audit log.

mod announcements;
mod audit_log;
mod card;
mod card_document;
mod card_moves;
mod card_unlock;
mod cards;
mod catalogue_words;
mod copies;
mod deliveries;
mod disputes;
mod home;
mod import_check;
mod import_file;
mod import_page;
mod imports;
mod merged_cards;
mod moderation_words;
mod operations_words;
mod parts;
mod people;
mod person;
mod print_plans;
mod print_runs;
mod printing_words;
mod reports;
mod reviews;
mod rulings;
mod set_words;
mod sets;
mod stored_card;
mod webhook_form;
mod webhook_steps;
mod webhooks;
mod words;

use crate::http::router::Mounts;

use announcements::{find_announcement, list_announcements, reveal, show_reveal};
use audit_log::list_audit_log;
use card::{change_card, show_card};
use card_document::{change_document, show_document};
use card_moves::{merge_card, move_card, show_merge, show_move};
use card_unlock::{show_unlock, unlock};
use cards::list_cards;
use copies::{find_copy, find_copy_by_id, moderate, show_moderate};
use deliveries::{list_deliveries, ping, resend};
use disputes::{decide, list_disputes, show_dispute};
use home::find_start;
use imports::{check_import, run_import, show_imports, show_manifest};
use people::list_people;
use person::{
    ban, change_role, find_person, lift_ban, remove_factor, show_ban, show_remove_factor,
};
use print_plans::{announce, plan, show_plan};
use print_runs::{find_print_run, list_print_runs};
use reports::{decide_report, list_reports, show_report};
use reviews::{list_reviews, review, show_review};
use rulings::{
    change_ruling, create_ruling, delete_ruling, show_delete_ruling, show_new_ruling, show_ruling,
};
use sets::{create_set, delete_set, list_sets, show_set};
use webhook_steps::{delete_webhook, rotate, show_delete_webhook, show_rotate};
use webhooks::{change_webhook, create_webhook, show_webhook, show_webhooks};

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config.service(page!("/admin", find_start)).configure(moderation).configure(catalogue);
    config
        .service(page!("/admin/print-runs", list_print_runs))
        .service(page!("/admin/print-runs/{run}", find_print_run))
        .service(form!("/admin/print-plans", show_plan, plan))
        .service(action!("/admin/print-plans/announce", announce))
        .service(page!("/admin/announcements", list_announcements))
        .service(page!("/admin/announcements/{commitment}", find_announcement))
        .service(form!("/admin/announcements/{commitment}/reveal", show_reveal, reveal))
        .service(form!("/admin/webhooks", show_webhooks, create_webhook))
        .service(form!("/admin/webhooks/{webhook}", show_webhook, change_webhook))
        .service(form!("/admin/webhooks/{webhook}/delete", show_delete_webhook, delete_webhook))
        .service(form!("/admin/webhooks/{webhook}/secret", show_rotate, rotate))
        .service(action!("/admin/webhooks/{webhook}/ping", ping))
        .service(page!("/admin/webhooks/{webhook}/deliveries", list_deliveries))
        .service(action!(
            "/admin/webhooks/{webhook}/deliveries/{delivery}/resend",
            resend,
            "/admin/webhooks/{webhook}/deliveries"
        ))
        .service(page!("/admin/audit-log", list_audit_log));
}

/// Accounts, and the decisions of moderators.
fn moderation(config: &mut Mounts<'_>) {
    config
        .service(page!("/admin/people", list_people))
        .service(page!("/admin/people/{account}", find_person))
        .service(action!("/admin/people/{account}/role", change_role))
        .service(form!("/admin/people/{account}/ban", show_ban, ban))
        .service(action!("/admin/people/{account}/unban", lift_ban))
        .service(form!("/admin/people/{account}/second-factor", show_remove_factor, remove_factor))
        .service(page!("/admin/reviews", list_reviews))
        .service(form!("/admin/reviews/{submission}", show_review, review))
        .service(page!("/admin/disputes", list_disputes))
        .service(form!("/admin/disputes/{dispute}", show_dispute, decide))
        .service(page!("/admin/copies", find_copy_by_id))
        .service(page!("/admin/copies/{copy}", find_copy))
        .service(form!("/admin/copies/{copy}/{action}", show_moderate, moderate))
        .service(page!("/admin/reports", list_reports))
        .service(form!("/admin/reports/{report}", show_report, decide_report));
}

/// Games, sets, cards and rulings.
fn catalogue(config: &mut Mounts<'_>) {
    config
        .service(form!("/admin/imports", show_imports, check_import))
        .service(action!("/admin/imports/run", run_import))
        .service(page!("/admin/imports/games/{game}", show_manifest))
        .service(form!("/admin/sets", list_sets, create_set))
        .service(form!("/admin/sets/{game}/{set}", show_set, delete_set))
        .service(page!("/admin/cards", list_cards))
        .service(form!("/admin/cards/{card}", show_card, change_card))
        .service(form!("/admin/cards/{card}/document", show_document, change_document))
        .service(form!("/admin/cards/{card}/unlock", show_unlock, unlock))
        .service(form!("/admin/cards/{card}/move", show_move, move_card))
        .service(form!("/admin/cards/{card}/merge", show_merge, merge_card))
        .service(form!("/admin/cards/{card}/rulings", show_new_ruling, create_ruling))
        .service(form!("/admin/rulings/{ruling}", show_ruling, change_ruling))
        .service(form!("/admin/rulings/{ruling}/delete", show_delete_ruling, delete_ruling));
}
