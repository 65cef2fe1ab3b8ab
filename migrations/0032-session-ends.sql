-- Sessions end by themselves: some time after their sign-in, and after a pause. How long both may be is configuration, and depends on whether
-- their user holds rights; the rule is computed where a session is looked at (src/modules/auth/session-ends.ts) from what is kept here.

alter table sessions
  -- The last request, noted about once a minute, and only where a pause ends the session.
  add column last_request_at timestamptz not null default now(),
  -- A session that has ended stays so when the rule changes with its user's rights: until when they held some, and the longest pause
  -- that it had come to when they lost or gained them.
  add column rights_until timestamptz,
  add column pause_with_rights interval,
  add column pause_without_rights interval;

create function sessions_follow_rights() returns trigger language plpgsql as $$
declare
  holds boolean := new.is_staff or new.roles <> '{}' or new.permissions <> '{}';
begin
  if holds then
    update sessions
    set pause_without_rights = greatest(pause_without_rights, now() - last_request_at), last_request_at = now()
    where user_id = new.id and revoked_at is null;
  else
    update sessions
    set rights_until = now(), pause_with_rights = greatest(pause_with_rights, now() - last_request_at)
    where user_id = new.id and revoked_at is null;
  end if;
  return null;
end $$;

create trigger users_sessions_follow_rights
  after update of is_staff, roles, permissions on users
  for each row
  when ((old.is_staff or old.roles <> '{}' or old.permissions <> '{}')
    is distinct from (new.is_staff or new.roles <> '{}' or new.permissions <> '{}'))
  execute function sessions_follow_rights();
