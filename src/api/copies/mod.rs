//! Copies, their ledger, moderation, disputes, trades, and lists of wanted and offered cards.

pub mod copy_moderation;
pub mod disputes;
pub mod own_copies;
pub mod trade_lists;
pub mod trades;
pub mod trading;

use super::route_table::routes;

routes! {
    "/v1/me/trading" => put trading::change_trading;
    "/v1/me/wants" => get trade_lists::find_wants, put trade_lists::replace_wants;
    "/v1/me/haves" => get trade_lists::find_haves, put trade_lists::replace_haves;
    "/v1/players/{player}/wants" => get trade_lists::list_player_wants;
    "/v1/players/{player}/haves" => get trade_lists::list_player_haves;
    "/v1/trade-matches" => get trade_lists::list_trade_matches;
    "/v1/copies" => get own_copies::list_copies;
    "/v1/copies/{copy}" => get own_copies::find_copy;
    "/v1/copies/{copy}/history" => get own_copies::list_copy_history;
    "/v1/copies/{copy}/freeze" => post copy_moderation::freeze_copy;
    "/v1/copies/{copy}/unfreeze" => post copy_moderation::unfreeze_copy;
    "/v1/copies/{copy}/void" => post copy_moderation::void_copy;
    "/v1/players/{player}/copies" => get trading::list_player_copies;
    "/v1/trades" => get trades::list_trades, post trades::create_trade;
    "/v1/trades/{trade}" => get trades::find_trade;
    "/v1/trades/{trade}/accept" => post trades::accept_trade;
    "/v1/trades/{trade}/decline" => post trades::decline_trade;
    "/v1/trades/{trade}/cancel" => post trades::cancel_trade;
    "/v1/trades/{trade}/counter" => post trades::counter_trade;
    "/v1/disputes" => get disputes::list_disputes;
    "/v1/disputes/{dispute}" => get disputes::find_dispute;
    "/v1/disputes/{dispute}/statements" => post disputes::create_statement;
    "/v1/disputes/{dispute}/withdraw" => post disputes::withdraw_dispute;
    "/v1/disputes/{dispute}/decide" => post disputes::decide_dispute;
}
