-- A copy of an unlisted deck of somebody else does not say who owns that deck. Copies that older programs made still have the account.

-- A program that knows no unlisted decks left public decks without revisions: their states were stored as private ones later. A revision that is not stored any
-- more counts as public if its deck is, or was until it was deleted. This reads all decks once, and locks only copies.
UPDATE decks d SET cloned_account_id = NULL
WHERE d.cloned_account_id IS NOT NULL AND d.cloned_account_id <> d.account_id AND NOT coalesce(
    (SELECT r.visibility <> 'unlisted' FROM deck_revisions r WHERE r.deck_id = d.cloned_deck_id AND r.revision = d.cloned_revision),
    (SELECT coalesce(source.visibility_before, source.visibility) = 'public' FROM decks source WHERE source.id = d.cloned_deck_id),
    false);
