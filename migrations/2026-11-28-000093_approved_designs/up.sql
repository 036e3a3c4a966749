-- Admins find approved designs, also those that were never shared.

CREATE INDEX designs_approved ON designs (id) WHERE status = 'approved';
