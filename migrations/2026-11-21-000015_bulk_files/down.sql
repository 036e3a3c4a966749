DROP INDEX events_game;
DROP TABLE bulk_chunks;
DROP TABLE bulk_files;
