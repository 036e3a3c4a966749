"""Journeys with trades and the collection."""

from browser_keys import expect


def trade_looked_at_and_kept(keys):
    """From the own trades to the second question before an offer is accepted, and back without a word."""
    keys.log_in("ben", "/trades")
    keys.follow(".decks a.title")
    offer = keys.path
    keys.follow("a[href$='/accept']")
    expect(keys.heading == "Accept this offer?", f"nothing is asked: {keys.page.url}")
    keys.follow(".actions a.button")
    expect(keys.path == offer, f"the way back leads to {keys.page.url}")


def trade_accepted(keys):
    """An offer is accepted by the page that asks once more, and the copy is among those of whoever has accepted."""
    offer, copy = keys.scene.offer("cleo", "eve")
    keys.log_in("eve", "/trades")
    keys.follow(f"a[href='{offer}']")
    keys.follow("a[href$='/accept']")
    expect(keys.heading == "Accept this offer?", f"nothing is asked: {keys.page.url}")
    keys.follow("form[action$='/accept'] button")
    expect(keys.path == offer, f"accepting leads to {keys.page.url}")
    keys.expect_announced("The trade is done")
    keys.follow(".sections a[href='/my/copies']")
    keys.follow(f"a[href='/my/copies/{copy}']")
    expect(keys.path == f"/my/copies/{copy}", f"the copy is not there: {keys.page.url}")


def count_changed_and_undone(keys):
    """One more of a card, which is told and undone."""
    keys.log_in("ada", "/my/collection")
    before = keys.value(".quantity-field")
    keys.follow("button[value=more]")
    after = keys.value(".quantity-field")
    expect(int(after) == int(before) + 1, f"the count is {after}, not one more than {before}")
    keys.expect_announced(f"{after}")
    keys.follow(".notice button")
    after = keys.value(".quantity-field")
    expect(after == before, f"the count is {after}, not {before} again")
    keys.expect_announced(f"{after}")
