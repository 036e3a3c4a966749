"""Journeys through several pages, by keyboard alone: each is a function that takes a player with a keyboard (`Keys`), and ends where the player is `Stuck`."""

from urllib.error import URLError

from browser_keys import Keys, Stuck
from journeys_cards import hidden_card_unlocked, keys_of_cards_and_search, refused_query_mended, search_card_next, wall_turns_a_card
from journeys_codes import account_with_the_first_card, code_of_a_photo, code_of_qr_address, first_card_of_a_newcomer, results_of_a_batch_in_sight
from journeys_decks import deck_built_by_name, deck_kept_when_the_session_ends, deck_liked_commented_and_copied, list_judged_while_typed, unsaved_deck_asked_for
from journeys_designs import design_checked_while_typing, design_of_a_card
from journeys_imports import file_mended_and_imported
from journeys_tabs import one_stream_for_two_tabs, unlocks_without_a_stream
from journeys_taps import taps_of_a_newcomer_who_types, taps_of_a_newcomer_with_qr_code, taps_of_a_player_with_qr_code
from journeys_traces import code_left_nowhere, code_of_a_newcomer_left_nowhere, code_of_a_stranger_left_nowhere
from journeys_trades import count_changed_and_undone, trade_accepted, trade_looked_at_and_kept
from journeys_twice import code_sent_once, deck_saved_once

# At both widths, with and without script.
JOURNEYS = [
    search_card_next,
    refused_query_mended,
    code_of_qr_address,
    code_of_a_photo,
    first_card_of_a_newcomer,
    account_with_the_first_card,
    results_of_a_batch_in_sight,
    wall_turns_a_card,
    design_of_a_card,
    design_checked_while_typing,
    file_mended_and_imported,
    trade_looked_at_and_kept,
    trade_accepted,
    count_changed_and_undone,
    deck_built_by_name,
    deck_kept_when_the_session_ends,
    deck_liked_commented_and_copied,
    list_judged_while_typed,
    unsaved_deck_asked_for,
    keys_of_cards_and_search,
    hidden_card_unlocked,
]

# Once, with script.
ONCE = [
    taps_of_a_newcomer_with_qr_code,
    taps_of_a_player_with_qr_code,
    taps_of_a_newcomer_who_types,
    code_sent_once,
    deck_saved_once,
    code_left_nowhere,
    code_of_a_stranger_left_nowhere,
    code_of_a_newcomer_left_nowhere,
    one_stream_for_two_tabs,
    unlocks_without_a_stream,
]


def play(journey, page, base, scene):
    """Plays a journey; what is wrong, one line each."""
    try:
        journey(Keys(page, base, scene))
    except Stuck as stuck:
        return [str(stuck)]
    except URLError as failure:
        return [f"the API fails: {failure}"]
    return []
