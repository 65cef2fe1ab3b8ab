-- The CRM: what players agree to, what it has credited, and the messages that it is sent.

-- What a player agrees to be told by which way. E-mail is not here: that is users.is_email_notifications_enabled.
create table consents (
  user_id integer not null references users,
  type text not null check (type in ('sms', 'telephone', 'postMail', 'siteNotification', 'pushNotification')),
  opted_in boolean not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, type)
);

-- What the CRM has credited, once for each of its triggers. `content` is a hash of what was asked for, `refs` how the CRM names the trigger.
create table crm_credits (
  hash bytea primary key,
  user_id integer not null references users,
  content bytea not null,
  grant_id bigint references promo_grants,
  entry_id bigint,
  refs json not null,
  created_at timestamptz not null default now(),
  check (num_nonnulls(grant_id, entry_id) = 1)
);
create unique index crm_credits_grant_idx on crm_credits (grant_id) where grant_id is not null;

-- Cash that the CRM has credited on a day, in dollars at the rates of then; user 0: all players together.
create table crm_funds_days (
  day date not null,
  user_id integer not null,
  usd_amount bigint not null check (usd_amount >= 0),
  primary key (day, user_id)
);

-- What waits for the CRM. Of each player in the order of ids, which whoever writes them takes while crm_players holds the player.
create table crm_messages (
  id bigint generated always as identity primary key,
  user_id integer not null,
  event_id text not null,
  name text not null,
  body text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default now()
);
create index crm_messages_user_idx on crm_messages (user_id, id);
create index crm_messages_created_idx on crm_messages (created_at);

-- Up to which event a player's messages are written, and when their next one is due; null: none waits.
create table crm_players (
  user_id integer primary key,
  position bigint not null,
  due_at timestamptz
) with (fillfactor = 70);
create index crm_players_due_idx on crm_players (due_at) where due_at is not null;

-- The bets that were consumed in a minute, until that is over: one message for each player comes of them.
create table crm_rounds (
  minute timestamptz not null,
  user_id integer not null,
  game_id integer not null,
  currency_id text not null,
  bets integer not null,
  staked bigint not null,
  paid bigint not null,
  staked_usd bigint not null,
  paid_usd bigint not null,
  primary key (minute, user_id, game_id, currency_id)
) with (fillfactor = 70);
-- Players whose money has moved in a minute by other things than bets.
create table crm_minutes (
  minute timestamptz not null,
  user_id integer not null,
  primary key (minute, user_id)
);
