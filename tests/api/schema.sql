-- Writes the tables of the connected database as diesel's table! macros: the text of src/store/db/schema.rs.
WITH typed AS (
    SELECT a.attrelid, a.attnum, a.attname,
           CASE format_type(a.atttypid, NULL)
               WHEN 'uuid' THEN 'Uuid' WHEN 'text' THEN 'Text' WHEN 'boolean' THEN 'Bool'
               WHEN 'smallint' THEN 'Int2' WHEN 'integer' THEN 'Int4' WHEN 'bigint' THEN 'Int8'
               WHEN 'bytea' THEN 'Bytea' WHEN 'jsonb' THEN 'Jsonb' WHEN 'date' THEN 'Date'
               WHEN 'timestamp with time zone' THEN 'Timestamptz' WHEN 'text[]' THEN 'Array<Text>' WHEN 'bytea[]' THEN 'Array<Bytea>'
               -- Entries that are bound to no card have NULL there.
               WHEN 'uuid[]' THEN 'Array<Nullable<Uuid>>'
               ELSE 'unknown type: ' || format_type(a.atttypid, NULL)
           END AS kind,
           a.attnotnull
    FROM pg_attribute a
    WHERE a.attnum > 0 AND NOT a.attisdropped
), tables AS (
    SELECT c.oid, c.relname,
           (SELECT string_agg(a.attname, ', ' ORDER BY k.ord)
            FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(attnum, ord), pg_attribute a
            WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.attnum) AS key
    FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
      AND c.relname <> '__diesel_schema_migrations'
), bodies AS (
    SELECT relname, E'diesel::table! {\n    ' || relname || ' (' || key || E') {\n'
        || (SELECT string_agg('        ' || attname || ' -> '
                || CASE WHEN attnotnull THEN kind ELSE 'Nullable<' || kind || '>' END || E',\n', '' ORDER BY attnum)
            FROM typed WHERE attrelid = tables.oid)
        || E'    }\n}\n' AS body
    FROM tables
)
SELECT E'// Generated from the migrated database; `make schema` writes it, a test compares it.\n\n'
    || (SELECT string_agg(body, E'\n' ORDER BY relname) FROM bodies);
