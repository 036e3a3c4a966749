DROP INDEX audit_log_noun;
DROP INDEX audit_log_action;
DROP INDEX audit_log_target;
DROP INDEX audit_log_actor;
DROP INDEX accounts_banned;
DROP INDEX accounts_staff;
DROP INDEX accounts_name_trigrams;
DROP INDEX accounts_name_order;
