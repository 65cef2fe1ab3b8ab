-- The key of a new second factor waits for the session that asked for it: no other one sees or confirms it. What waited for a user
-- before is asked for anew; the columns stay until no process of the version before is left.

create table pending_factors (
  session_id uuid primary key references sessions on delete cascade,
  -- Sealed.
  key bytea not null,
  created_at timestamptz not null default now()
);

update mfa_secrets set pending = null, pending_at = null where pending is not null;
