UPDATE sessions SET revoked_reason = 'logout' WHERE revoked_reason = 'second_factor_changed';
ALTER TABLE sessions DROP CONSTRAINT sessions_revoked_reason_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_revoked_reason_check
    CHECK (revoked_reason IN ('logout', 'password_changed', 'refresh_reused', 'banned', 'role_changed', 'recovered'));
DROP TABLE second_factor_codes;
DROP TABLE second_factors;
ALTER TABLE accounts DROP COLUMN second_factor_since;
