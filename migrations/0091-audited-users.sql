-- On a large installation, create the function and then, with "concurrently", the index before the upgrade.

-- Returns the users whom a change concerns according to its values before and after: the fields userId and winnerId, and the users of
-- `grants`. These are the users whom the request itself does not name, for example those of a payment. Null if no field names a user, which
-- is checked first because most changes of settings name none.
create or replace function audited_users(before jsonb, after jsonb) returns integer[] language sql immutable parallel safe as $$
  select case when before ?| '{userId,winnerId}' or after ?| '{userId,winnerId,grants}' then (select array_agg(distinct found.id::integer) from (
    select before->>'userId' as id
    union all select after->>'userId'
    union all select before->>'winnerId'
    union all select after->>'winnerId'
    union all select each->>'userId'
      from jsonb_array_elements(case jsonb_typeof(after->'grants') when 'array' then after->'grants' else '[]' end) each
  ) found where found.id ~ '^\d{1,9}$') end
$$;

-- The timeline of a user reads these rows. Without the pending list, a read never has to scan one.
create index if not exists admin_audit_subjects_idx on admin_audit using gin (audited_users(before, after)) with (fastupdate = off)
  where method <> 'GET' and status_code < 400 and permission not like '%.read' and audited_users(before, after) is not null;
