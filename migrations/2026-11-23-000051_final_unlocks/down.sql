DROP TRIGGER unlocks_are_final ON unlocks;
CREATE TRIGGER unlocks_are_final BEFORE UPDATE ON unlocks FOR EACH ROW
    WHEN (OLD.unlocked_at IS NOT NULL AND NEW.unlocked_at IS DISTINCT FROM OLD.unlocked_at) EXECUTE FUNCTION unlocks_are_final();
