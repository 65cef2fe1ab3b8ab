-- Staff look up payments by transaction hash. On a large installation, create the indexes of this file with "concurrently" before the
-- upgrade; admin_audit_subject_idx needs the function.
create index if not exists withdrawals_transaction_idx on withdrawals (tx_hash) where tx_hash is not null;
create index if not exists deposit_returns_transaction_idx on deposit_returns (tx_hash) where tx_hash is not null;

-- Returns the user whom a staff request concerns: the one in the path, or the field userId of the body. Null if it names no user.
create or replace function audited_user(path text, body jsonb) returns integer language sql immutable parallel safe as $$
  select coalesce(
    substring(path from '^/(?:admin/)?(?:users?|kyc|api-keys|withdrawals-block)/(\d{1,9})(?:/|$)'),
    substring(body->>'userId' from '^\d{1,9}$'))::integer
$$;

-- The timeline of a user reads these rows, newest first: changes by staff, sign-ins, changes of limits, and exclusions.
create index if not exists admin_audit_subject_idx on admin_audit (audited_user(path, request_body), id)
  where method <> 'GET' and status_code < 400 and permission not like '%.read' and audited_user(path, request_body) is not null;
create index if not exists sessions_user_created_idx on sessions (user_id, created_at);
create index if not exists gambling_limit_changes_limit_idx on gambling_limit_changes (limit_id, requested_at);
create index if not exists exclusions_started_idx on exclusions (user_id, created_at);
