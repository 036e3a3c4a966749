-- Counts follow whatever changes about comments and ratings, once for each statement instead of each row: a ban takes thousands of them away. The rows of the
-- designs, which the writer holds, are the lock. Programs that run beside notice nothing.

DROP TRIGGER design_comments_added_are_counted ON design_comments;
DROP TRIGGER design_comments_changed_are_counted ON design_comments;
CREATE OR REPLACE FUNCTION design_comments_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE designs d SET comment_count = comment_count + more
        FROM (SELECT design_id, count(*) AS more FROM after WHERE stands GROUP BY design_id) x WHERE d.id = x.design_id;
        UPDATE design_comments c SET reply_count = reply_count + more
        FROM (SELECT reply_to, count(*) AS more FROM after WHERE stands AND reply_to IS NOT NULL GROUP BY reply_to) x WHERE c.id = x.reply_to;
        RETURN NULL;
    END IF;
    -- This function counts replies in the same table: then nothing stands or falls.
    IF NOT EXISTS (SELECT FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands) THEN
        RETURN NULL;
    END IF;
    UPDATE designs d SET comment_count = comment_count + more
    FROM (SELECT a.design_id, sum(CASE WHEN a.stands THEN 1 ELSE -1 END) AS more FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands
          GROUP BY a.design_id) x WHERE d.id = x.design_id;
    UPDATE design_comments c SET reply_count = reply_count + more
    FROM (SELECT a.reply_to, sum(CASE WHEN a.stands THEN 1 ELSE -1 END) AS more FROM before b JOIN after a ON a.id = b.id AND a.stands <> b.stands
          WHERE a.reply_to IS NOT NULL GROUP BY a.reply_to) x WHERE c.id = x.reply_to;
    RETURN NULL;
END $$;
CREATE TRIGGER design_comments_added_are_counted AFTER INSERT ON design_comments
    REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION design_comments_are_counted();
CREATE TRIGGER design_comments_changed_are_counted AFTER UPDATE ON design_comments
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION design_comments_are_counted();

DROP TRIGGER design_ratings_are_counted ON design_ratings;
-- Adds up what ratings give and take, once for each statement: how many, their points, and the points by criterion.
CREATE TYPE counted_design_ratings AS (design_id uuid, revision bigint, ratings bigint, fun bigint, balance bigint, flavour bigint, clarity bigint);
CREATE FUNCTION count_design_ratings(more counted_design_ratings[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE designs d SET rating_count = rating_count + x.ratings, rating_points = rating_points + x.points
    FROM (SELECT design_id, sum(ratings) AS ratings, sum(fun + balance + flavour + clarity) AS points FROM unnest(more) GROUP BY design_id) x
    WHERE d.id = x.design_id;
    UPDATE design_rating_sums s SET ratings = s.ratings + x.ratings, fun = s.fun + x.fun, balance = s.balance + x.balance, flavour = s.flavour + x.flavour,
        clarity = s.clarity + x.clarity
    FROM unnest(more) x WHERE s.design_id = x.design_id AND s.revision = x.revision;
    INSERT INTO design_rating_sums (design_id, revision, ratings, fun, balance, flavour, clarity)
    SELECT x.* FROM unnest(more) x WHERE x.ratings > 0
        AND NOT EXISTS (SELECT FROM design_rating_sums s WHERE s.design_id = x.design_id AND s.revision = x.revision);
END $$;

CREATE OR REPLACE FUNCTION design_ratings_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more counted_design_ratings[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(ROW (x.*)::counted_design_ratings) INTO more FROM (
            SELECT design_id, revision, count(*), sum(fun), sum(balance), sum(flavour), sum(clarity) FROM after WHERE counted GROUP BY design_id, revision) x;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(ROW (x.*)::counted_design_ratings) INTO more FROM (
            SELECT design_id, revision, -count(*), -sum(fun), -sum(balance), -sum(flavour), -sum(clarity) FROM before WHERE counted GROUP BY design_id, revision) x;
    ELSE
        SELECT array_agg(ROW (x.*)::counted_design_ratings) INTO more FROM (
            SELECT design_id, revision, sum(sign), sum(sign * fun), sum(sign * balance), sum(sign * flavour), sum(sign * clarity) FROM (
                SELECT 1 AS sign, a.* FROM after a WHERE counted UNION ALL SELECT -1, b.* FROM before b WHERE counted) both_sides
            GROUP BY design_id, revision) x;
    END IF;
    PERFORM count_design_ratings(more) WHERE more IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER design_ratings_added_are_counted AFTER INSERT ON design_ratings
    REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION design_ratings_are_counted();
CREATE TRIGGER design_ratings_changed_are_counted AFTER UPDATE ON design_ratings
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION design_ratings_are_counted();
CREATE TRIGGER design_ratings_deleted_are_counted AFTER DELETE ON design_ratings
    REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION design_ratings_are_counted();
DROP FUNCTION count_design_rating(design_ratings, integer);
