-- The change feed numbers events by their time. Those of a design get the time at which they are written, while its row is locked, so that they have the order of
-- its changes: a ban that waited for a lock does not seem older than what it withdraws. A trigger, so that this holds for older instances as well.
CREATE FUNCTION design_events_are_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.created_at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER design_events_are_in_order BEFORE INSERT ON events
    FOR EACH ROW WHEN (NEW.kind LIKE 'design.%') EXECUTE FUNCTION design_events_are_in_order();
