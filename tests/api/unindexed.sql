-- References whose columns no whole index has, or none of the rows in question, unless what they refer to is never deleted.
SELECT coalesce(string_agg(reference, E'\n' ORDER BY reference), '') FROM (
    SELECT c.conrelid::regclass || ' (' || string_agg(a.attname, ', ' ORDER BY k.place) || ') -> ' || c.confrelid::regclass AS reference
    FROM pg_constraint c, unnest(c.conkey) WITH ORDINALITY AS k (attnum, place) JOIN pg_attribute a ON a.attnum = k.attnum
    WHERE a.attrelid = c.conrelid AND c.contype = 'f'
      AND c.confrelid NOT IN ('accounts'::regclass, 'games'::regclass, 'print_runs'::regclass, 'copy_ledger'::regclass)
      AND NOT EXISTS (
          SELECT FROM pg_index i
          WHERE i.indrelid = c.conrelid
            AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname))
            AND (SELECT array_agg(key ORDER BY key) FROM unnest((i.indkey::smallint[])[0:cardinality(c.conkey) - 1]) AS key)
              = (SELECT array_agg(key ORDER BY key) FROM unnest(c.conkey) AS key))
    GROUP BY c.oid, c.conrelid, c.confrelid) AS unindexed
