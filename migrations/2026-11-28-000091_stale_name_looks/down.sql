DROP INDEX card_content_stale_looks, designs_stale_looks;
