"""Journeys through several pages, by keyboard alone. Each returns its faults, one line each."""

import urllib.parse


def tab_to(page, selector, most=120):
    """Presses Tab until the focus is on a control; whether it came there."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return True
    return False


def follow(page):
    """Presses Enter and waits for the page that it leads to."""
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.address = page.url


def path(page):
    return urllib.parse.urlsplit(page.url).path


def search_card_next(page, base):
    """From the first page by a search to a card, and on to the next one."""
    page.address = base + "/"
    page.goto(page.address)
    if not tab_to(page, "#find"):
        return ["Tab does not reach the search"]
    page.keyboard.type("set:hearth name:kettle")
    follow(page)
    if path(page) != "/search" or not tab_to(page, ".tile a"):
        return [f"the search shows no card: {page.url}"]
    follow(page)
    card = path(page)
    if not card.startswith("/cards/ttcg/hearth/"):
        return [f"the result leads to {card}"]
    if not tab_to(page, "a[rel=next]"):
        return ["Tab does not reach the next card"]
    follow(page)
    if not path(page).startswith("/cards/ttcg/hearth/") or path(page) == card:
        return [f"the next card is {page.url}"]
    return []


def refused_query_mended(page, base):
    """A query that cannot be read puts the focus on what is wrong, and can be written anew."""
    page.address, page.expected = base + "/search?q=(((", 400
    page.goto(page.address)
    if not page.evaluate("() => document.activeElement.id === 'faults'"):
        return ["the fault has not the focus"]
    if not tab_to(page, "#q"):
        return ["Tab does not reach the search again"]
    page.keyboard.press("Control+A")
    page.keyboard.type("t:fire")
    follow(page)
    count = page.locator(".tile").count()
    return [] if count else ["the mended query finds nothing"]


JOURNEYS = [search_card_next, refused_query_mended]
