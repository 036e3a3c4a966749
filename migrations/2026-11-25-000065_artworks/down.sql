DROP TABLE design_artworks;
DROP TABLE artwork_uploads;
DROP TABLE artwork_chunks;
DROP TABLE artwork_renditions;
DROP TABLE artworks;
