DROP TABLE unlocks;
DROP TABLE printing_content;
DROP TABLE printings;
DROP TABLE card_content;
DROP TABLE cards;
DROP TABLE sets;
DROP TABLE games;
DROP FUNCTION unlocks_are_final;
