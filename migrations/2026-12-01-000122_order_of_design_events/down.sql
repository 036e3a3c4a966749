DROP TRIGGER design_events_are_in_order ON events;
DROP FUNCTION design_events_are_in_order;
