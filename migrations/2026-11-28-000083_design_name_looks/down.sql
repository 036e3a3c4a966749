DROP TRIGGER changed_designs_are_noted ON designs;
CREATE TRIGGER changed_designs_are_noted AFTER UPDATE ON designs FOR EACH ROW
    WHEN ((OLD.listed OR NEW.listed)
          AND (OLD.listed, OLD.status, OLD.revision, OLD.name, OLD.name_key, OLD.name_skeleton, OLD.effects_key, OLD.code, OLD.game_code, OLD.account_id,
               OLD.shared_at, OLD.searched_revision, OLD.comment_count, OLD.rating_count, OLD.rating)
              IS DISTINCT FROM
              (NEW.listed, NEW.status, NEW.revision, NEW.name, NEW.name_key, NEW.name_skeleton, NEW.effects_key, NEW.code, NEW.game_code, NEW.account_id,
               NEW.shared_at, NEW.searched_revision, NEW.comment_count, NEW.rating_count, NEW.rating))
    EXECUTE FUNCTION design_changes_are_noted();

DROP TRIGGER name_looks_follow_names ON designs;
DROP FUNCTION name_looks_follow_names();
DROP INDEX designs_listed_looks, designs_without_looks;
ALTER TABLE designs DROP COLUMN name_looks;
