CREATE OR REPLACE FUNCTION design_steps_are_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    what text := CASE
        WHEN NEW.listed AND NOT OLD.listed THEN CASE WHEN NEW.status = 'official' THEN 'design.official' ELSE 'design.shared' END
        WHEN OLD.listed AND NOT NEW.listed THEN 'design.withdrawn'
        WHEN NEW.listed AND NEW.status <> OLD.status AND NEW.status IN ('approved', 'official') THEN 'design.' || NEW.status
    END;
BEGIN
    -- A ban and its end lock all designs of the author: each either sees this change, or is seen here.
    IF what IS NOT NULL AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = NEW.account_id AND a.banned_at IS NOT NULL) THEN
        INSERT INTO events (id, kind, subject_id, payload, created_at)
        VALUES (gen_random_uuid(), what, NEW.id, jsonb_build_object('game', NEW.game_code, 'design', NEW.code), NEW.updated_at);
    END IF;
    IF NEW.status = 'official' AND OLD.status <> 'official' AND OLD.taken_down_at IS NULL THEN
        PERFORM tell_of_design(NEW.account_id, NULL, 'design.official', NEW.id, NULL, NULL, NEW.updated_at);
    END IF;
    IF (NEW.taken_down_at IS NULL) <> (OLD.taken_down_at IS NULL) THEN
        PERFORM tell_of_design(NEW.account_id, NULL, CASE WHEN NEW.taken_down_at IS NULL THEN 'design.reinstated' ELSE 'design.taken_down' END,
                               NEW.id, NULL, NULL, NEW.updated_at);
    END IF;
    RETURN NULL;
END $$;
