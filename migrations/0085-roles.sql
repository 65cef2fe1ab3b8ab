-- A role that staff have created, or a shipped role that they have changed. Shipped roles without a row have the permissions of the
-- running version.
create table roles (
  name text primary key check (name ~ '^[A-Z][A-Z0-9_]{1,31}$' and name <> 'SUPERADMIN'),
  -- Null: the shipped title.
  title text,
  -- Null: the shipped description.
  description text,
  -- Null: the shipped permissions. A role that staff created always has its own.
  permissions text[],
  -- Increases with every change, so that a change based on an older version is rejected.
  version integer not null default 1,
  -- Staff member who made the last change. Null if an upgrade stored the role.
  updated_by integer references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Three shipped roles have more permissions from this version on. A role that has users keeps its previous permissions, so that an
-- upgrade gives no user more permissions. Staff can reset it to the shipped ones.
insert into roles (name, permissions)
select previous.name, string_to_array(previous.permissions, ' ')
from (values
  ('FINANCE', 'user.read user.pii note.read note.write apikey.read transaction.read bet.read deposit.read withdraw.read withdraw.approve withdrawblock.read withdrawblock.write kyc.read'),
  ('SUPPORT', 'user.read user.write user.pii note.read note.write transaction.read bet.read deposit.read withdraw.read withdrawblock.read limit.read limit.write kyc.read'),
  ('MARKETING', 'user.read country.read affiliate.read')
) previous (name, permissions)
where exists (select from users where roles @> array[previous.name] and roles <> '{}');
