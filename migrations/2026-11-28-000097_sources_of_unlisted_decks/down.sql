-- What was removed is not needed by any program.
SELECT 1;
