-- Players who are VIPs elsewhere apply for a level here; staff decides.

create table vip_applications (
  id uuid primary key,
  user_id integer not null references users,
  status text not null default 'NEW' check (status in ('NEW', 'IN_REVIEW', 'APPROVED', 'REJECTED', 'CANCELLED')),
  platform_name text not null,
  platform_username text not null,
  -- As the player states it.
  total_wagered_usd bigint not null check (total_wagered_usd >= 0),
  rank text not null,
  contact_method text not null,
  contact_username text not null,
  country text,
  note text,
  how_did_you_hear text,
  -- Of staff, for staff.
  tag text,
  staff_note text,
  assignee_id integer references users,
  reason text,
  -- The decision. Also when the closing of the account made it.
  decided_at timestamptz,
  decided_by integer references users,
  public_comment text,
  granted_vip_level smallint,
  promo_grant_id bigint references promo_grants,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status in ('APPROVED', 'REJECTED', 'CANCELLED')) = (decided_at is not null)),
  check ((status = 'APPROVED') = (granted_vip_level is not null))
);
create unique index vip_applications_open_key on vip_applications (user_id) where status in ('NEW', 'IN_REVIEW');
create index vip_applications_user_idx on vip_applications (user_id, id);
create index vip_applications_created_idx on vip_applications (created_at, id);
create index vip_applications_updated_idx on vip_applications (updated_at, id);
create index vip_applications_wagered_idx on vip_applications (total_wagered_usd, id);
create index vip_applications_status_idx on vip_applications (status, created_at, id);
create index vip_applications_assignee_idx on vip_applications (assignee_id, created_at, id) where assignee_id is not null;
create index vip_applications_platform_trgm on vip_applications using gin (lower(platform_username) gin_trgm_ops);

-- What an applicant shows. The row is there before the file and after it: no file is ever left behind.
create table vip_application_images (
  -- 128 random bits: the name of the file.
  id text primary key,
  application_id uuid not null references vip_applications,
  created_at timestamptz not null default now(),
  -- Null while the application is open.
  delete_at timestamptz
);
create index vip_application_images_application_idx on vip_application_images (application_id, created_at, id);
create index vip_application_images_delete_idx on vip_application_images (delete_at) where delete_at is not null;
