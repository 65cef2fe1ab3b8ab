-- ---------------------------------------------------------------- identity verification

-- What players state about themselves: sealed by the application. `person_key` is equal for the same name and birth date and tells
-- nothing without the key.
create table kyc_persons (
  user_id integer primary key references users,
  sealed bytea,
  person_key bytea,
  stated_at timestamptz,
  -- When he last stated a birth date that makes him too young.
  underage_at timestamptz,
  created_at timestamptz not null default now(),
  check ((sealed is null) = (person_key is null) and (sealed is null) = (stated_at is null))
);
create index kyc_persons_key_idx on kyc_persons (person_key) where person_key is not null;

-- Who a user is at a provider.
create table kyc_applicants (
  provider text not null,
  applicant_id text not null,
  user_id integer not null references users,
  created_at timestamptz not null default now(),
  primary key (provider, applicant_id),
  unique (provider, user_id)
);

-- One row for each tier in which something has happened; no row is status NONE. `as_of`: when the newest thing happened that was
-- accepted; what is older is late.
create table kyc_tiers (
  user_id integer not null references users,
  tier text not null check (tier in ('BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS')),
  status text not null check (status in
    ('NONE', 'PENDING', 'ON_HOLD', 'APPROVED', 'MANUALLY_APPROVED', 'REJECTED', 'RESUBMIT', 'EXPIRED')),
  provider text,
  as_of timestamptz not null,
  submitted_at timestamptz,
  decided_at timestamptz,
  decided_by integer references users,
  expires_at timestamptz,
  moderation_comment text,
  client_comment text,
  reject_labels text[] not null default '{}',
  reject_type text check (reject_type in ('RETRY', 'FINAL')),
  checks json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, tier)
);
create index kyc_tiers_expires_idx on kyc_tiers (expires_at)
  where expires_at is not null and status in ('APPROVED', 'MANUALLY_APPROVED');
-- The staff's list: each sort alone, within a status, within a tier and status.
create index kyc_tiers_updated_idx on kyc_tiers (updated_at, user_id, tier);
create index kyc_tiers_status_updated_idx on kyc_tiers (status, updated_at, user_id, tier);
create index kyc_tiers_tier_updated_idx on kyc_tiers (tier, status, updated_at, user_id);
create index kyc_tiers_submitted_idx on kyc_tiers (submitted_at nulls first, user_id, tier);
create index kyc_tiers_status_submitted_idx on kyc_tiers (status, submitted_at nulls first, user_id, tier);
create index kyc_tiers_tier_submitted_idx on kyc_tiers (tier, status, submitted_at nulls first, user_id);
create index kyc_tiers_decided_idx on kyc_tiers (decided_at nulls first, user_id, tier);
create index kyc_tiers_status_decided_idx on kyc_tiers (status, decided_at nulls first, user_id, tier);
create index kyc_tiers_tier_decided_idx on kyc_tiers (tier, status, decided_at nulls first, user_id);

create table kyc_history (
  id uuid primary key,
  user_id integer not null references users,
  tier text not null,
  from_status text not null,
  to_status text not null,
  reject_type text,
  -- Null: the provider, or time.
  actor_id integer references users,
  reason text,
  created_at timestamptz not null default now()
);
create index kyc_history_user_idx on kyc_history (user_id, id);
create trigger kyc_history_append_only before update or delete or truncate on kyc_history
  for each statement execute function refuse_change();

-- What providers have said: each event counts once. `outcome` says what came of it.
create table kyc_events (
  provider text not null,
  event_id text not null,
  applicant_id text not null,
  user_id integer,
  tier text,
  status text not null,
  outcome text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (provider, event_id)
);

-- Levels that were set before there were tiers.
update users set kyc_level = 4 where kyc_level > 4;
insert into kyc_tiers (user_id, tier, status, as_of, decided_at)
select u.id, t.tier, 'MANUALLY_APPROVED', now(), now()
from users u cross join (values (1, 'BASIC'), (2, 'IDENTITY'), (3, 'ADDRESS'), (4, 'SOURCE_OF_FUNDS')) t(number, tier)
where t.number <= u.kyc_level;
