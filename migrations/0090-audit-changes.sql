-- The audit log records every read by staff, so changes are a small part of its rows. These indexes make it fast to list the changes of all
-- staff or of one member. On a large installation, create them with "concurrently" before the upgrade.
create index if not exists admin_audit_changes_idx on admin_audit ((status_code / 100), id)
  where method <> 'GET' and status_code < 400 and permission not like '%.read';
create index if not exists admin_audit_user_changes_idx on admin_audit (user_id, (status_code / 100), id)
  where method <> 'GET' and status_code < 400 and permission not like '%.read';
