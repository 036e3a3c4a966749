DROP INDEX card_content_hidden_names;
