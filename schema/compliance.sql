-- Countries, the gate that checks players before they play or pay, exclusions and limits, and identity verification.

-- ---------------------------------------------------------------- Countries

-- A country with its dial code, and whether staff have blocked it.
create table countries (
  -- ISO 3166-1 alpha-2.
  code text primary key check (code ~ '^[A-Z]{2}$'),
  name text not null,
  dial_code text not null,
  is_blocked boolean not null default false,
  updated_at timestamptz not null default now()
);
create index countries_name_idx on countries (name);
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

-- ---------------------------------------------------------------- Limits and exclusions

-- A player's limits and exclusion, in the form that the gate reads for each bet. Derived from exclusions and gambling_limits.
create table restrictions (
  user_id integer primary key references users,
  excluded_until timestamptz,
  -- When the player may bet again: at the end of a cooling-off period, or one day after the end of a self-exclusion.
  play_from timestamptz,
  -- Limits by type and period, such as {"WAGER": {"DAY": "5000000000"}}. Amounts are in US dollars × 10^8, but SESSION is in minutes.
  limits json not null default '{}',
  -- The player's stakes, payouts and playing time in the current periods. Null until a limit on play is set for the first time.
  play json
);

-- A cooling-off period or self-exclusion that was set for a player. It applies until it ends or is lifted.
create table exclusions (
  id integer generated by default as identity primary key,
  user_id integer not null references users,
  kind text not null check (kind in ('COOL_OFF', 'SELF_EXCLUSION')),
  source text not null check (source in ('PLAYER', 'STAFF')),
  -- Start of the exclusion. If it extends another exclusion, the start of the first one.
  started_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the player may bet again: at the end of a cooling-off period, or one day after the end of a self-exclusion.
  play_from timestamptz not null check (play_from >= expires_at),
  reason text,
  created_by integer not null references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  lifted_at timestamptz,
  lifted_by integer references users,
  lift_reason text,
  -- When the end of the exclusion was processed. The player is then notified, unless another exclusion still applies. Also set when the
  -- exclusion is lifted.
  end_told_at timestamptz
);
create index exclusions_user_idx on exclusions (user_id, play_from) where lifted_at is null;
create index exclusions_ending_idx on exclusions (play_from) where end_told_at is null;

-- A player's current limit of one type for one period, set by the player or by staff.
create table gambling_limits (
  id integer generated by default as identity primary key,
  user_id integer not null references users,
  type text not null check (type in ('DEPOSIT', 'WAGER', 'LOSS', 'SESSION')),
  period text not null check (period in ('DAY', 'WEEK', 'MONTH')),
  source text not null check (source in ('PLAYER', 'STAFF')),
  -- US dollars × 10^8, or minutes for SESSION. Null if the limit was removed.
  amount bigint check (amount >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (user_id, type, period, source)
);

-- A requested change of a limit. A stricter limit is applied immediately. A less strict limit is applied when the player confirms it, and
-- the outcome is null until the request is confirmed, cancelled or lapsed.
create table gambling_limit_changes (
  id uuid primary key,
  limit_id integer not null references gambling_limits,
  amount bigint check (amount >= 0),
  requested_by integer not null references users,
  requested_at timestamptz not null default now(),
  -- Start of the period in which the player can confirm the change.
  confirmable_from timestamptz,
  -- End of that period. The request then lapses.
  lapses_at timestamptz check (lapses_at > confirmable_from),
  outcome text check (outcome in ('APPLIED', 'CONFIRMED', 'CANCELLED', 'LAPSED')),
  closed_at timestamptz,
  check ((outcome is null) = (closed_at is null)),
  check (outcome is not distinct from 'APPLIED' or (confirmable_from is not null and lapses_at is not null))
);
create unique index gambling_limit_changes_waiting_key on gambling_limit_changes (limit_id) where outcome is null;

-- A warning to a player that 80 % of a limit is used. It is sent once for each limit and period, and again if the amount of the limit
-- changes.
create table limit_warnings (
  user_id integer not null,
  type text not null,
  period text not null,
  period_start timestamptz not null,
  amount bigint not null,
  warned_at timestamptz not null default now(),
  primary key (user_id, type, period, period_start, amount)
);
create index limit_warnings_warned_idx on limit_warnings (warned_at);

-- ---------------------------------------------------------------- Identity verification

-- The identity that a player has stated, such as name, birth date and address.
create table kyc_persons (
  user_id integer primary key references users,
  -- The stated identity as JSON, encrypted by the application.
  sealed bytea,
  -- Keyed hash of name and birth date, which is the same for all accounts of the same person.
  person_key bytea,
  stated_at timestamptz,
  -- When the player last stated a birth date below the minimum age.
  underage_at timestamptz,
  created_at timestamptz not null default now(),
  -- Country that issued the identity document, as the identity verification provider reported it. Null if unknown.
  document_country text check (document_country ~ '^[A-Z]{2}$'),
  check ((sealed is null) = (person_key is null) and (sealed is null) = (stated_at is null))
);
create index kyc_persons_key_idx on kyc_persons (person_key) where person_key is not null;

-- A player's account at an identity verification provider, under the id that the provider assigned.
create table kyc_applicants (
  provider text not null,
  applicant_id text not null,
  user_id integer not null references users,
  created_at timestamptz not null default now(),
  primary key (provider, applicant_id),
  unique (provider, user_id)
);

-- The state of a player's identity verification in one tier. A missing row means the status NONE.
create table kyc_tiers (
  user_id integer not null references users,
  tier text not null check (tier in ('BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS')),
  status text not null check (status in
    ('NONE', 'PENDING', 'ON_HOLD', 'APPROVED', 'MANUALLY_APPROVED', 'REJECTED', 'RESUBMIT', 'EXPIRED')),
  provider text,
  -- Time of the latest report or decision that determined this state. Older reports from the provider are ignored.
  as_of timestamptz not null,
  submitted_at timestamptz,
  decided_at timestamptz,
  decided_by integer references users,
  expires_at timestamptz,
  moderation_comment text,
  client_comment text,
  reject_labels text[] not null default '{}',
  -- RETRY if the player may submit documents again, FINAL if not.
  reject_type text check (reject_type in ('RETRY', 'FINAL')),
  -- Results of the provider's individual checks.
  checks json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, tier)
);
create index kyc_tiers_expires_idx on kyc_tiers (expires_at)
  where expires_at is not null and status in ('APPROVED', 'MANUALLY_APPROVED');
-- Indexes for the staff's list. There are three for each sort order: without a filter, within a status, and within a tier and status.
create index kyc_tiers_updated_idx on kyc_tiers (updated_at, user_id, tier);
create index kyc_tiers_status_updated_idx on kyc_tiers (status, updated_at, user_id, tier);
create index kyc_tiers_tier_updated_idx on kyc_tiers (tier, status, updated_at, user_id);
create index kyc_tiers_submitted_idx on kyc_tiers (submitted_at nulls first, user_id, tier);
create index kyc_tiers_status_submitted_idx on kyc_tiers (status, submitted_at nulls first, user_id, tier);
create index kyc_tiers_tier_submitted_idx on kyc_tiers (tier, status, submitted_at nulls first, user_id);
create index kyc_tiers_decided_idx on kyc_tiers (decided_at nulls first, user_id, tier);
create index kyc_tiers_status_decided_idx on kyc_tiers (status, decided_at nulls first, user_id, tier);
create index kyc_tiers_tier_decided_idx on kyc_tiers (tier, status, decided_at nulls first, user_id);

-- A change of a player's status in a tier. Append-only.
create table kyc_history (
  id uuid primary key,
  user_id integer not null references users,
  tier text not null,
  from_status text not null,
  to_status text not null,
  reject_type text,
  -- The user who changed the status. Null if a report from the provider changed it or the approval expired.
  actor_id integer references users,
  reason text,
  created_at timestamptz not null default now()
);
create index kyc_history_user_idx on kyc_history (user_id, id);
create trigger kyc_history_append_only before update or delete or truncate on kyc_history
  for each statement execute function refuse_change();

-- A report from an identity verification provider. A report that is received again is ignored.
create table kyc_events (
  provider text not null,
  event_id text not null,
  applicant_id text not null,
  user_id integer,
  tier text,
  status text not null,
  -- How the report was processed.
  outcome text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (provider, event_id)
);
