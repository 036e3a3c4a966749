-- What was counted when a card was unlocked stays counted, too: the condition of the trigger had left that out.
DROP TRIGGER unlocks_are_final ON unlocks;
CREATE TRIGGER unlocks_are_final BEFORE UPDATE ON unlocks FOR EACH ROW
    WHEN (OLD.unlocked_at IS NOT NULL AND (NEW.unlocked_at IS DISTINCT FROM OLD.unlocked_at OR NEW.submissions < OLD.submissions))
    EXECUTE FUNCTION unlocks_are_final();
