DROP TABLE seed_loads;
