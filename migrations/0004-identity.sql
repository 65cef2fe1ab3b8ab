-- ---------------------------------------------------------------- users

create extension if not exists pg_trgm;

alter table users
  add column can_use_chat boolean not null default true,
  add column custom_min_affiliate_level smallint,
  add column is_mfa_enabled boolean not null default false,
  -- Kept by player protection; read by the list of users and the own profile.
  add column self_excluded_until timestamptz;

-- The staff's list of users: every filter and sort reads an index in its order, whatever the number of users. Rare flags have
-- partial indexes; common values are met soon in any order.
create index users_created_idx on users (created_at, id);
-- Who has never signed in comes before everybody who has; who has no name or address yet sorts as the empty text that is shown.
create index users_last_login_idx on users (last_login_at nulls first, id);
-- The column beside its expression lets the index answer alone.
create index users_username_idx on users ((coalesce(lower(username), '') collate "C"), id) include (username);
create index users_email_idx on users ((coalesce(lower(email), '') collate "C"), id) include (email);
create index users_vip_idx on users (vip_level, id);
create index users_kyc_idx on users (kyc_level, id);
create index users_country_idx on users (country_code, id);
create index users_affiliate_code_idx on users (affiliate_code, id) where affiliate_code is not null;
create index users_roles_idx on users using gin (roles) where roles <> '{}';
create index users_username_trgm on users using gin (lower(username) gin_trgm_ops);
create index users_email_trgm on users using gin (lower(email) gin_trgm_ops);
create index users_banned_idx on users (id) where banned_at is not null;
create index users_staff_idx on users (id) where is_staff;
create index users_test_idx on users (id) where is_test;
create index users_streamer_idx on users (id) where is_streamer;
create index users_youtuber_idx on users (id) where is_youtuber;
create index users_private_idx on users (id) where is_private;
create index users_mfa_idx on users (id) where is_mfa_enabled;
create index users_verified_idx on users (id) where email_verified;
create index users_unverified_idx on users (id) where not email_verified;
create index users_excluded_idx on users (created_at, id) include (self_excluded_until) where self_excluded_until is not null;

-- How many users there are without counting them: sixteen rows, so that sign-ups seldom wait for each other.
create table user_counts (
  shard smallint primary key,
  users bigint not null default 0
);
insert into user_counts (shard) select generate_series(0, 15);
update user_counts set users = (select count(*) from users) where shard = 0;
create function count_new_users() returns trigger language plpgsql as $$
begin
  update user_counts set users = users + (select count(*) from added) where shard = pg_backend_pid() % 16;
  return null;
end $$;
create trigger users_counted after insert on users
  referencing new table as added for each statement execute function count_new_users();
create trigger users_no_delete before delete or truncate on users
  for each statement execute function refuse_change();

-- Names that look alike are one name: homoglyphs and digits for letters are folded by the application.
alter table users add column username_skeleton text;
-- As rules.ts of users does it; of accounts that look alike already the oldest has the name.
update users u set username_skeleton = s.skeleton
from (
  select id, skeleton, row_number() over (partition by skeleton order by id) as place
  from (
    select id, translate(replace(replace(lower(username), 'vv', 'w'), 'rn', 'm'), '01258i', 'olszbl') as skeleton
    from users where username is not null
  ) named
) s
where s.id = u.id and s.place = 1;
create unique index users_username_skeleton_key on users (username_skeleton);

-- ---------------------------------------------------------------- sessions and sign-in

alter table sessions
  add column provider text not null default 'password',
  add column country_code text,
  add column device text,
  add column browser text,
  add column os text,
  add column device_type text,
  -- When this session last proved the second factor.
  add column mfa_at timestamptz,
  add column mfa_method text check (mfa_method in ('TOTP', 'RECOVERY'));
create index sessions_ip_idx on sessions (ip_address, user_id);
create index sessions_user_used_idx on sessions (user_id, last_used_at desc);
create index sessions_over_idx on sessions (least(revoked_at, expires_at));
create index used_refresh_tokens_session_idx on used_refresh_tokens (session_id);

-- Tokens that are good once and for one purpose; only their hash is kept.
create table one_time_tokens (
  hash bytea primary key,
  purpose text not null check (purpose in ('MFA', 'SETUP_USERNAME', 'VERIFY_EMAIL', 'RESET_PASSWORD', 'IDP_STATE')),
  user_id integer references users,
  payload jsonb not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_user_idx on one_time_tokens (user_id, purpose) where user_id is not null;
create index one_time_tokens_expires_idx on one_time_tokens (expires_at);

-- Attempts that may fail only so often: a row counts from its first attempt until it expires.
create table attempts (
  key text primary key,
  tries integer not null,
  expires_at timestamptz not null
);
create index attempts_expires_idx on attempts (expires_at);

-- Second factors. Secrets are sealed; last_step is the newest time step that was accepted, so that no code works twice.
create table mfa_secrets (
  user_id integer primary key references users,
  active bytea,
  pending bytea,
  pending_at timestamptz,
  last_step bigint not null default 0,
  enabled_at timestamptz,
  -- When a recovery code last replaced the factor: withdrawals are held for a while.
  reset_at timestamptz
);
create table recovery_codes (
  user_id integer not null references users,
  hash bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- Who a user is at an identity provider. The key is the provider's own id of him, never an e-mail address.
create table identities (
  issuer text not null,
  subject text not null,
  user_id integer not null references users,
  email text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create unique index identities_one_per_issuer on identities (user_id, issuer);

create table openid_nonces (
  nonce text primary key,
  seen_at timestamptz not null default now()
);

create table registration_info (
  user_id integer primary key references users,
  type text not null,
  ip_address text,
  country_code text,
  language text,
  device text,
  device_type text,
  browser text,
  os text,
  user_agent text,
  referrer text,
  created_at timestamptz not null default now()
);
create index registration_info_ip_idx on registration_info (ip_address, user_id);

-- ---------------------------------------------------------------- staff

create table user_notes (
  id integer generated by default as identity primary key,
  user_id integer not null references users,
  created_by integer not null references users,
  note text not null,
  risk_level text not null default 'NONE' check (risk_level in ('NONE', 'LOW', 'MEDIUM', 'HIGH')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index user_notes_user_idx on user_notes (user_id, id);
create index user_notes_created_idx on user_notes (created_at, id);
create index user_notes_updated_idx on user_notes (updated_at, id);
create index user_notes_risk_idx on user_notes (risk_level, id);
-- In the order of the risk.
create index user_notes_severity_idx on user_notes (array_position(array['NONE', 'LOW', 'MEDIUM', 'HIGH'], risk_level), id);
create index user_notes_text_trgm on user_notes using gin (lower(note) gin_trgm_ops);

create table api_keys (
  id uuid primary key,
  user_id integer not null references users,
  prefix text not null,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index api_keys_one_per_user on api_keys (user_id) where revoked_at is null;

-- What staff did and tried: every row carries the hash of the row before it, so that a changed, missing or inserted row shows.
create table admin_audit (
  id bigint primary key,
  user_id integer not null,
  method text not null,
  path text not null,
  service text not null,
  permission text not null,
  status_code smallint not null,
  reason text,
  request_body jsonb,
  before jsonb,
  after jsonb,
  ip text,
  request_id text not null,
  created_at timestamptz not null,
  hash bytea not null
);
create index admin_audit_user_idx on admin_audit (user_id, (status_code / 100), id);
create index admin_audit_class_idx on admin_audit ((status_code / 100), id);
create table admin_audit_head (
  one boolean primary key default true check (one),
  id bigint not null,
  hash bytea not null
);
insert into admin_audit_head (id, hash) values (0, sha256('croupier audit'));

create function audit_hash(previous bytea, a admin_audit) returns bytea immutable language sql as $$
  select sha256(previous || convert_to(jsonb_build_array(a.id, a.user_id, a.method, a.path, a.service, a.permission, a.status_code,
    a.reason, a.request_body, a.before, a.after, a.ip, a.request_id, extract(epoch from a.created_at))::text, 'utf8'))
$$;
-- The head's lock orders the rows: ids have no gap and each hash follows from the one before.
create function chain_audit() returns trigger language plpgsql as $$
declare head admin_audit_head;
begin
  select * into head from admin_audit_head for update;
  new.id := head.id + 1;
  new.created_at := clock_timestamp();
  new.hash := audit_hash(head.hash, new);
  update admin_audit_head set id = new.id, hash = new.hash;
  return new;
end $$;
create trigger admin_audit_chained before insert on admin_audit for each row execute function chain_audit();
create trigger admin_audit_append_only before update or delete on admin_audit
  for each statement execute function refuse_change();
create trigger admin_audit_no_truncate before truncate on admin_audit
  for each statement execute function refuse_change();

-- ---------------------------------------------------------------- settings that staff changes

create table site_config (
  code text primary key,
  config jsonb not null,
  version integer not null default 1,
  updated_at timestamptz not null default now(),
  updated_by integer
);
create table site_config_history (
  code text not null,
  version integer not null,
  config jsonb not null,
  changed_by integer,
  changed_at timestamptz not null default now(),
  primary key (code, version)
);
create trigger site_config_history_append_only before update or delete on site_config_history
  for each statement execute function refuse_change();

create table log_levels (
  one boolean primary key default true check (one),
  levels jsonb not null,
  expires_at timestamptz not null
);

create table countries (
  code text primary key check (code ~ '^[A-Z]{2}$'),
  name text not null,
  dial_code text not null,
  is_blocked boolean not null default false,
  updated_at timestamptz not null default now()
);
create index countries_name_idx on countries (name);

-- ---------------------------------------------------------------- statistics

-- Durable cursors of consumers: everything with an id up to `position` has been taken in. What a consumer has built counts while
-- it is of the cursor's generation: a rebuild begins the next one, whatever the number of rows.
create table cursors (
  name text primary key,
  position bigint not null default 0,
  generation integer not null default 0,
  updated_at timestamptz not null default now()
);
insert into cursors (name) values ('user-stats');

-- What a player's settled bets up to the cursor `user-stats` add up to, in US dollars × 10^8.
create table user_stats (
  user_id integer primary key references users,
  generation integer not null default 0,
  bets bigint not null default 0,
  wins bigint not null default 0,
  wagered_usd numeric(38, 0) not null default 0,
  payout_usd numeric(38, 0) not null default 0,
  biggest_win_usd bigint not null default 0,
  -- Payout ÷ stake of the best bet × 10^4, rounded down.
  best_multiplier_e4 bigint not null default 0
) with (fillfactor = 80);
create table user_game_stats (
  user_id integer not null references users,
  game_id integer not null references games,
  generation integer not null default 0,
  bets bigint not null default 0,
  primary key (user_id, game_id)
) with (fillfactor = 80);

-- Completed deposits and withdrawals per player and period in US dollars × 10^8; period_start is -infinity for ALL.
create table payment_stats (
  kind text not null check (kind in ('DEPOSIT', 'WITHDRAW')),
  period text not null check (period in ('ALL', 'HOUR', 'DAY', 'WEEK', 'MONTH')),
  period_start timestamptz not null,
  user_id integer not null references users,
  usd_amount numeric(38, 0) not null default 0,
  payments bigint not null default 0,
  last_at timestamptz not null,
  primary key (kind, period, period_start, user_id)
);
create index payment_stats_amount_idx on payment_stats (kind, period, period_start, usd_amount, user_id);

insert into countries (code, name, dial_code) values
  ('AC', 'Ascension Island', '247'),
  ('AD', 'Andorra', '376'),
  ('AE', 'United Arab Emirates', '971'),
  ('AF', 'Afghanistan', '93'),
  ('AG', 'Antigua and Barbuda', '1268'),
  ('AI', 'Anguilla', '1264'),
  ('AL', 'Albania', '355'),
  ('AM', 'Armenia', '374'),
  ('AO', 'Angola', '244'),
  ('AQ', 'Antarctica', '672'),
  ('AR', 'Argentina', '54'),
  ('AS', 'American Samoa', '1684'),
  ('AT', 'Austria', '43'),
  ('AU', 'Australia', '61'),
  ('AW', 'Aruba', '297'),
  ('AX', 'Aland', '358'),
  ('AZ', 'Azerbaijan', '994'),
  ('BA', 'Bosnia and Herzegovina', '387'),
  ('BB', 'Barbados', '1246'),
  ('BD', 'Bangladesh', '880'),
  ('BE', 'Belgium', '32'),
  ('BF', 'Burkina Faso', '226'),
  ('BG', 'Bulgaria', '359'),
  ('BH', 'Bahrain', '973'),
  ('BI', 'Burundi', '257'),
  ('BJ', 'Benin', '229'),
  ('BL', 'Saint Barthelemy', '590'),
  ('BM', 'Bermuda', '1441'),
  ('BN', 'Brunei', '673'),
  ('BO', 'Bolivia', '591'),
  ('BQ', 'Bonaire', '5997'),
  ('BR', 'Brazil', '55'),
  ('BS', 'Bahamas', '1242'),
  ('BT', 'Bhutan', '975'),
  ('BV', 'Bouvet Island', '47'),
  ('BW', 'Botswana', '267'),
  ('BY', 'Belarus', '375'),
  ('BZ', 'Belize', '501'),
  ('CA', 'Canada', '1'),
  ('CC', 'Cocos (Keeling) Islands', '61'),
  ('CD', 'Democratic Republic of the Congo', '243'),
  ('CF', 'Central African Republic', '236'),
  ('CG', 'Republic of the Congo', '242'),
  ('CH', 'Switzerland', '41'),
  ('CI', 'Ivory Coast', '225'),
  ('CK', 'Cook Islands', '682'),
  ('CL', 'Chile', '56'),
  ('CM', 'Cameroon', '237'),
  ('CN', 'China', '86'),
  ('CO', 'Colombia', '57'),
  ('CR', 'Costa Rica', '506'),
  ('CU', 'Cuba', '53'),
  ('CV', 'Cabo Verde', '238'),
  ('CW', 'Curacao', '5999'),
  ('CX', 'Christmas Island', '61'),
  ('CY', 'Cyprus', '357'),
  ('CZ', 'Czechia', '420'),
  ('DE', 'Germany', '49'),
  ('DJ', 'Djibouti', '253'),
  ('DK', 'Denmark', '45'),
  ('DM', 'Dominica', '1767'),
  ('DO', 'Dominican Republic', '1809'),
  ('DZ', 'Algeria', '213'),
  ('EC', 'Ecuador', '593'),
  ('EE', 'Estonia', '372'),
  ('EG', 'Egypt', '20'),
  ('EH', 'Western Sahara', '212'),
  ('ER', 'Eritrea', '291'),
  ('ES', 'Spain', '34'),
  ('ET', 'Ethiopia', '251'),
  ('FI', 'Finland', '358'),
  ('FJ', 'Fiji', '679'),
  ('FK', 'Falkland Islands', '500'),
  ('FM', 'Micronesia', '691'),
  ('FO', 'Faroe Islands', '298'),
  ('FR', 'France', '33'),
  ('GA', 'Gabon', '241'),
  ('GB', 'United Kingdom', '44'),
  ('GD', 'Grenada', '1473'),
  ('GE', 'Georgia', '995'),
  ('GF', 'French Guiana', '594'),
  ('GG', 'Guernsey', '44'),
  ('GH', 'Ghana', '233'),
  ('GI', 'Gibraltar', '350'),
  ('GL', 'Greenland', '299'),
  ('GM', 'Gambia', '220'),
  ('GN', 'Guinea', '224'),
  ('GP', 'Guadeloupe', '590'),
  ('GQ', 'Equatorial Guinea', '240'),
  ('GR', 'Greece', '30'),
  ('GS', 'South Georgia and the South Sandwich Islands', '500'),
  ('GT', 'Guatemala', '502'),
  ('GU', 'Guam', '1671'),
  ('GW', 'Guinea-Bissau', '245'),
  ('GY', 'Guyana', '592'),
  ('HK', 'Hong Kong', '852'),
  ('HM', 'Heard Island and McDonald Islands', '61'),
  ('HN', 'Honduras', '504'),
  ('HR', 'Croatia', '385'),
  ('HT', 'Haiti', '509'),
  ('HU', 'Hungary', '36'),
  ('ID', 'Indonesia', '62'),
  ('IE', 'Ireland', '353'),
  ('IL', 'Israel', '972'),
  ('IM', 'Isle of Man', '44'),
  ('IN', 'India', '91'),
  ('IO', 'British Indian Ocean Territory', '246'),
  ('IQ', 'Iraq', '964'),
  ('IR', 'Iran', '98'),
  ('IS', 'Iceland', '354'),
  ('IT', 'Italy', '39'),
  ('JE', 'Jersey', '44'),
  ('JM', 'Jamaica', '1876'),
  ('JO', 'Jordan', '962'),
  ('JP', 'Japan', '81'),
  ('KE', 'Kenya', '254'),
  ('KG', 'Kyrgyzstan', '996'),
  ('KH', 'Cambodia', '855'),
  ('KI', 'Kiribati', '686'),
  ('KM', 'Comoros', '269'),
  ('KN', 'Saint Kitts and Nevis', '1869'),
  ('KP', 'North Korea', '850'),
  ('KR', 'South Korea', '82'),
  ('KW', 'Kuwait', '965'),
  ('KY', 'Cayman Islands', '1345'),
  ('KZ', 'Kazakhstan', '7'),
  ('LA', 'Laos', '856'),
  ('LB', 'Lebanon', '961'),
  ('LC', 'Saint Lucia', '1758'),
  ('LI', 'Liechtenstein', '423'),
  ('LK', 'Sri Lanka', '94'),
  ('LR', 'Liberia', '231'),
  ('LS', 'Lesotho', '266'),
  ('LT', 'Lithuania', '370'),
  ('LU', 'Luxembourg', '352'),
  ('LV', 'Latvia', '371'),
  ('LY', 'Libya', '218'),
  ('MA', 'Morocco', '212'),
  ('MC', 'Monaco', '377'),
  ('MD', 'Moldova', '373'),
  ('ME', 'Montenegro', '382'),
  ('MF', 'Saint Martin', '590'),
  ('MG', 'Madagascar', '261'),
  ('MH', 'Marshall Islands', '692'),
  ('MK', 'North Macedonia', '389'),
  ('ML', 'Mali', '223'),
  ('MM', 'Myanmar', '95'),
  ('MN', 'Mongolia', '976'),
  ('MO', 'Macao', '853'),
  ('MP', 'Northern Mariana Islands', '1670'),
  ('MQ', 'Martinique', '596'),
  ('MR', 'Mauritania', '222'),
  ('MS', 'Montserrat', '1664'),
  ('MT', 'Malta', '356'),
  ('MU', 'Mauritius', '230'),
  ('MV', 'Maldives', '960'),
  ('MW', 'Malawi', '265'),
  ('MX', 'Mexico', '52'),
  ('MY', 'Malaysia', '60'),
  ('MZ', 'Mozambique', '258'),
  ('NA', 'Namibia', '264'),
  ('NC', 'New Caledonia', '687'),
  ('NE', 'Niger', '227'),
  ('NF', 'Norfolk Island', '672'),
  ('NG', 'Nigeria', '234'),
  ('NI', 'Nicaragua', '505'),
  ('NL', 'Netherlands', '31'),
  ('NO', 'Norway', '47'),
  ('NP', 'Nepal', '977'),
  ('NR', 'Nauru', '674'),
  ('NU', 'Niue', '683'),
  ('NZ', 'New Zealand', '64'),
  ('OM', 'Oman', '968'),
  ('PA', 'Panama', '507'),
  ('PE', 'Peru', '51'),
  ('PF', 'French Polynesia', '689'),
  ('PG', 'Papua New Guinea', '675'),
  ('PH', 'Philippines', '63'),
  ('PK', 'Pakistan', '92'),
  ('PL', 'Poland', '48'),
  ('PM', 'Saint Pierre and Miquelon', '508'),
  ('PN', 'Pitcairn Islands', '64'),
  ('PR', 'Puerto Rico', '1787'),
  ('PS', 'Palestine', '970'),
  ('PT', 'Portugal', '351'),
  ('PW', 'Palau', '680'),
  ('PY', 'Paraguay', '595'),
  ('QA', 'Qatar', '974'),
  ('RE', 'Reunion', '262'),
  ('RO', 'Romania', '40'),
  ('RS', 'Serbia', '381'),
  ('RU', 'Russia', '7'),
  ('RW', 'Rwanda', '250'),
  ('SA', 'Saudi Arabia', '966'),
  ('SB', 'Solomon Islands', '677'),
  ('SC', 'Seychelles', '248'),
  ('SD', 'Sudan', '249'),
  ('SE', 'Sweden', '46'),
  ('SG', 'Singapore', '65'),
  ('SH', 'Saint Helena', '290'),
  ('SI', 'Slovenia', '386'),
  ('SJ', 'Svalbard and Jan Mayen', '4779'),
  ('SK', 'Slovakia', '421'),
  ('SL', 'Sierra Leone', '232'),
  ('SM', 'San Marino', '378'),
  ('SN', 'Senegal', '221'),
  ('SO', 'Somalia', '252'),
  ('SR', 'Suriname', '597'),
  ('SS', 'South Sudan', '211'),
  ('ST', 'Sao Tome and Principe', '239'),
  ('SV', 'El Salvador', '503'),
  ('SX', 'Sint Maarten', '1721'),
  ('SY', 'Syria', '963'),
  ('SZ', 'Eswatini', '268'),
  ('TA', 'Tristan da Cunha', '290'),
  ('TC', 'Turks and Caicos Islands', '1649'),
  ('TD', 'Chad', '235'),
  ('TF', 'French Southern Territories', '262'),
  ('TG', 'Togo', '228'),
  ('TH', 'Thailand', '66'),
  ('TJ', 'Tajikistan', '992'),
  ('TK', 'Tokelau', '690'),
  ('TL', 'East Timor', '670'),
  ('TM', 'Turkmenistan', '993'),
  ('TN', 'Tunisia', '216'),
  ('TO', 'Tonga', '676'),
  ('TR', 'Türkiye', '90'),
  ('TT', 'Trinidad and Tobago', '1868'),
  ('TV', 'Tuvalu', '688'),
  ('TW', 'Taiwan', '886'),
  ('TZ', 'Tanzania', '255'),
  ('UA', 'Ukraine', '380'),
  ('UG', 'Uganda', '256'),
  ('UM', 'U.S. Minor Outlying Islands', '1'),
  ('US', 'United States', '1'),
  ('UY', 'Uruguay', '598'),
  ('UZ', 'Uzbekistan', '998'),
  ('VA', 'Vatican City', '379'),
  ('VC', 'Saint Vincent and the Grenadines', '1784'),
  ('VE', 'Venezuela', '58'),
  ('VG', 'British Virgin Islands', '1284'),
  ('VI', 'U.S. Virgin Islands', '1340'),
  ('VN', 'Vietnam', '84'),
  ('VU', 'Vanuatu', '678'),
  ('WF', 'Wallis and Futuna', '681'),
  ('WS', 'Samoa', '685'),
  ('XK', 'Kosovo', '377'),
  ('YE', 'Yemen', '967'),
  ('YT', 'Mayotte', '262'),
  ('ZA', 'South Africa', '27'),
  ('ZM', 'Zambia', '260'),
  ('ZW', 'Zimbabwe', '263');
