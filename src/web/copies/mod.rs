//! Pages of registered copies: the visitor's own copies with their history, wants and haves, trades, the public pages of players, blocked players, and disputes.

mod blocks;
mod choices;
mod copy;
mod dispute;
mod disputes;
mod event_words;
mod item;
mod list;
mod list_form;
mod lists;
mod matches;
mod narrowing;
mod offer;
mod offer_form;
mod own;
mod partners;
mod picks;
mod player;
mod reports;
mod section;
mod trade;
mod trade_words;
mod trades;
mod views;
pub(super) mod words;

pub(super) use blocks::BlockButton;
pub(super) use choices::{Games, TypedCard};
pub(super) use narrowing::{NarrowForm, Narrowing};
pub(super) use section::Section;
pub(super) use views::CardCell;

use crate::http::router::Mounts;
use crate::web::page::player_path;
use uuid::Uuid;

use blocks::{block_player, list_blocks, unblock_player};
use copy::find_copy;
use dispute::{find_dispute, say, withdraw};
use disputes::list_disputes;
use list::{show_list, write_list};
use lists::find_lists;
use matches::list_matches;
use offer::{counter, create, show_counter, show_new};
use own::list_copies;
use player::find_player;
use reports::{report, show_report};
use trade::{accept, cancel, decline, find_trade, show_accept};
use trades::list_trades;

/// The page of one of the visitor's own copies.
pub(super) fn copy_path(id: Uuid) -> String {
    format!("/my/copies/{id}")
}

/// The page of a trade.
pub(super) fn trade_path(id: Uuid) -> String {
    format!("/trades/{id}")
}

/// The page of a dispute.
pub(super) fn dispute_path(id: &str) -> String {
    format!("/disputes/{id}")
}

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config
        .service(page!("/my/copies", list_copies))
        .service(page!("/my/copies/{copy}", find_copy))
        .service(page!("/my/lists", find_lists))
        .service(form!("/my/lists/{kind}", show_list, write_list))
        .service(page!("/trades", list_trades))
        .service(form!("/trades/new", show_new, create))
        .service(page!("/trades/find", list_matches))
        .service(page!("/trades/{trade}", find_trade))
        .service(form!("/trades/{trade}/accept", show_accept, accept))
        .service(action!("/trades/{trade}/decline", decline))
        .service(action!("/trades/{trade}/cancel", cancel))
        .service(form!("/trades/{trade}/counter", show_counter, counter))
        .service(page!("/players/{player}", find_player))
        .service(form!("/players/{player}/report", show_report, report))
        .service(action!("/players/{player}/block", block_player))
        .service(action!("/players/{player}/unblock", unblock_player))
        .service(page!("/my/blocks", list_blocks))
        .service(page!("/disputes", list_disputes))
        .service(form!("/disputes/{dispute}", find_dispute, say))
        .service(action!("/disputes/{dispute}/withdraw", withdraw));
}
