-- Names that somebody has left, as hashes: the table tells nobody what somebody was called.
create table freed_usernames (
  name_hash bytea primary key,
  -- Who left it, and may take it back. 0: somebody who has been erased.
  user_id integer not null,
  -- Of somebody who is or was staff: nobody else is given it, ever.
  is_for_ever boolean not null,
  freed_at timestamptz not null
);
create index freed_usernames_freed_idx on freed_usernames (freed_at) where not is_for_ever;

alter table users add column was_staff boolean not null default false;
update users set was_staff = true where is_staff or opened_by is not null;
create function remember_staff() returns trigger language plpgsql as $$
begin
  new.was_staff := new.was_staff or new.is_staff;
  return new;
end $$;
create trigger users_staff_remembered before insert or update of is_staff on users
  for each row execute function remember_staff();

create function username_hash(name text) returns bytea immutable language sql as $$
  select sha256(convert_to(name, 'utf8'))
$$;
-- Accounts of before may have a name that looks like another's, and no skeleton: theirs is the name itself.
--
-- After the row, not before it: whoever takes a name that another transaction is leaving waits for that one at the unique index, and must
-- see then what it has left here.
create function keep_freed_username() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.username_skeleton is not distinct from old.username_skeleton and new.username is not distinct from old.username then
      return null;
    end if;
    if old.username is not null and lower(old.username) is distinct from lower(new.username) then
      insert into freed_usernames as f (name_hash, user_id, is_for_ever, freed_at)
      values (username_hash(coalesce(old.username_skeleton, lower(old.username))), old.id, old.was_staff, now())
      on conflict (name_hash) do update
        set user_id = excluded.user_id, freed_at = excluded.freed_at, is_for_ever = f.is_for_ever or excluded.is_for_ever;
    end if;
  end if;
  if exists (
    select from freed_usernames
    where name_hash in (username_hash(new.username_skeleton), username_hash(lower(new.username))) and user_id <> new.id
  ) then
    raise unique_violation using constraint = 'users_username_freed', message = 'this username was left by somebody else';
  end if;
  return null;
end $$;
create trigger users_freed_usernames after insert or update of username, username_skeleton on users
  for each row execute function keep_freed_username();
