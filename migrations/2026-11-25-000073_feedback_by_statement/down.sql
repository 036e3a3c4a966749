DROP TRIGGER design_comments_added_are_counted ON design_comments;
DROP TRIGGER design_comments_changed_are_counted ON design_comments;
CREATE OR REPLACE FUNCTION design_comments_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more integer := CASE WHEN NEW.stands THEN 1 ELSE -1 END;
BEGIN
    UPDATE designs SET comment_count = comment_count + more WHERE id = NEW.design_id;
    IF NEW.reply_to IS NOT NULL THEN
        UPDATE design_comments SET reply_count = reply_count + more WHERE id = NEW.reply_to;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER design_comments_added_are_counted AFTER INSERT ON design_comments
    FOR EACH ROW WHEN (NEW.stands) EXECUTE FUNCTION design_comments_are_counted();
CREATE TRIGGER design_comments_changed_are_counted AFTER UPDATE ON design_comments
    FOR EACH ROW WHEN (OLD.stands <> NEW.stands) EXECUTE FUNCTION design_comments_are_counted();

DROP TRIGGER design_ratings_added_are_counted ON design_ratings;
DROP TRIGGER design_ratings_changed_are_counted ON design_ratings;
DROP TRIGGER design_ratings_deleted_are_counted ON design_ratings;
CREATE FUNCTION count_design_rating(rating design_ratings, more integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE designs SET rating_count = rating_count + more,
        rating_points = rating_points + more * (rating.fun + rating.balance + rating.flavour + rating.clarity)
    WHERE id = rating.design_id;
    UPDATE design_rating_sums SET ratings = ratings + more, fun = fun + more * rating.fun, balance = balance + more * rating.balance,
        flavour = flavour + more * rating.flavour, clarity = clarity + more * rating.clarity
    WHERE design_id = rating.design_id AND revision = rating.revision;
    IF NOT FOUND AND more > 0 THEN
        INSERT INTO design_rating_sums (design_id, revision, ratings, fun, balance, flavour, clarity)
        VALUES (rating.design_id, rating.revision, more, rating.fun, rating.balance, rating.flavour, rating.clarity);
    END IF;
END $$;
CREATE OR REPLACE FUNCTION design_ratings_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        IF OLD.counted THEN PERFORM count_design_rating(OLD, -1); END IF;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        IF NEW.counted THEN PERFORM count_design_rating(NEW, 1); END IF;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER design_ratings_are_counted AFTER INSERT OR UPDATE OR DELETE ON design_ratings
    FOR EACH ROW EXECUTE FUNCTION design_ratings_are_counted();
DROP FUNCTION count_design_ratings(counted_design_ratings[]);
DROP TYPE counted_design_ratings;
