-- How users sign in: sessions, passwords, second factors, passkeys, linked identities and API keys.

-- ---------------------------------------------------------------- Sessions

-- A sign-in of a user on one device, until it is revoked or expires.
create table sessions (
  id uuid primary key,
  user_id integer not null references users,
  -- Hash of the current refresh token.
  refresh_hash bytea not null unique,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  -- How the user signed in.
  provider text not null default 'password',
  country_code text,
  device text,
  browser text,
  os text,
  device_type text,
  -- When the session last proved a second factor.
  mfa_at timestamptz,
  mfa_method text,
  -- Written about once a minute, and only if a pause ends the session.
  last_request_at timestamptz not null default now(),
  -- When the user last lost their permissions. Together with the two pauses, it lets a session that has ended stay ended when other
  -- limits begin to apply.
  rights_until timestamptz,
  -- The longest pause while the user had permissions.
  pause_with_rights interval,
  -- The longest pause while the user had none.
  pause_without_rights interval,
  -- Use of the session up to this time was published as the event `session.used`.
  said_until timestamptz,
  -- The refresh token is derived from this salt and the exchanged token, so that a client that lost the response gets the same token
  -- again.
  refresh_salt bytea,
  -- Hash of the device that made the latest refresh.
  refresh_device bytea
);
alter table sessions add constraint sessions_mfa_method_check check (mfa_method in ('TOTP', 'RECOVERY', 'PASSKEY')) not valid;
create index sessions_user_idx on sessions (user_id) where revoked_at is null;
create index sessions_ip_idx on sessions (ip_address, user_id);
create index sessions_user_used_idx on sessions (user_id, last_used_at desc);
create index sessions_over_idx on sessions (least(revoked_at, expires_at));

-- A refresh token that was exchanged for a new one. If it is used again, it was copied.
create table used_refresh_tokens (
  hash bytea primary key,
  session_id uuid not null references sessions,
  used_at timestamptz not null default now()
);
create index used_refresh_tokens_used_idx on used_refresh_tokens (used_at);
create index used_refresh_tokens_session_idx on used_refresh_tokens (session_id);

-- ---------------------------------------------------------------- Second factors

-- A user's authenticator app.
create table mfa_secrets (
  user_id integer primary key references users,
  -- Encrypted secret.
  active bytea,
  -- Not used any more. See pending_factors.
  pending bytea,
  -- Not used any more.
  pending_at timestamptz,
  -- Newest accepted time step, so that no code works twice.
  last_step bigint not null default 0,
  enabled_at timestamptz,
  -- When a recovery code last replaced the factor. Withdrawals are held for a while afterwards.
  reset_at timestamptz
);

-- The secret of a second factor that its session has not confirmed yet.
create table pending_factors (
  session_id uuid primary key references sessions on delete cascade,
  -- Encrypted.
  key bytea not null,
  created_at timestamptz not null default now()
);
create index pending_factors_created_idx on pending_factors (created_at);

-- A recovery code of a user. Each works once.
create table recovery_codes (
  user_id integer not null references users,
  hash bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- A passkey (WebAuthn) of a user: a second factor, and a way to sign in on its own.
create table passkeys (
  id uuid primary key,
  user_id integer not null references users,
  -- Id that the authenticator chose.
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- COSE key (RFC 9052).
  public_key bytea not null check (octet_length(public_key) <= 2048),
  -- Number of uses, if the authenticator counts. A number that does not increase reveals a copy.
  sign_count bigint not null check (sign_count between 0 and 4294967295),
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- The authenticator may copy the passkey to other devices. Null if registered before this was recorded.
  is_multi_device boolean
);
create index passkeys_user_idx on passkeys (user_id, created_at, id);

-- ---------------------------------------------------------------- Identities and tokens

-- The account of a user at an identity provider.
create table identities (
  issuer text not null,
  -- The provider's own id of the user, never an email address.
  subject text not null,
  user_id integer not null references users,
  email text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create unique index identities_one_per_issuer on identities (user_id, issuer);

-- A nonce of an OpenID 2.0 response, so that a response works once.
create table openid_nonces (
  nonce text primary key,
  seen_at timestamptz not null default now()
);
create index openid_nonces_seen_idx on openid_nonces (seen_at);

-- A token that works once, for one purpose, such as the link in an email. Only its hash is stored.
create table one_time_tokens (
  hash bytea primary key,
  purpose text not null,
  user_id integer references users,
  payload jsonb not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
alter table one_time_tokens add constraint one_time_tokens_purpose_check check (purpose in (
  'MFA', 'SETUP_USERNAME', 'VERIFY_EMAIL', 'RESET_PASSWORD', 'IDP_STATE',
  'PASSKEY_REGISTER', 'PASSKEY_PROVE', 'PASSKEY_SIGN_IN', 'PASSKEY_CODE', 'EMAIL_CHANGE_OLD', 'EMAIL_CHANGE_NEW'
  )) not valid;
create index one_time_tokens_user_idx on one_time_tokens (user_id, purpose) where user_id is not null;
create index one_time_tokens_expires_idx on one_time_tokens (expires_at);
-- For the purge, as the next one.
create index one_time_tokens_unused_idx on one_time_tokens (expires_at) where purpose <> 'VERIFY_EMAIL' or used_at is null;
create index one_time_tokens_verified_idx on one_time_tokens (used_at) where purpose = 'VERIFY_EMAIL' and used_at is not null;

-- A pending change of a user's email address, which both addresses must confirm.
create table email_changes (
  id uuid primary key,
  user_id integer not null unique references users,
  -- The session that requested the change. The change does not end with it.
  session_id uuid not null,
  new_email text not null,
  -- Null if the account had no confirmed address.
  old_email text,
  old_proven_at timestamptz,
  new_proven_at timestamptz,
  -- The new address was confirmed in a browser that was signed in to the account.
  is_new_proven_by_holder boolean not null default false,
  changed_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index email_changes_expires_idx on email_changes (expires_at);

-- A counter of attempts that may fail only so often, such as sign-ins to an account.
create table attempts (
  -- The counted kind of attempt, and the account or address.
  key text primary key,
  tries integer not null,
  expires_at timestamptz not null
);
create index attempts_expires_idx on attempts (expires_at);

-- An API key. A user has at most one that is not revoked.
create table api_keys (
  id uuid primary key,
  user_id integer not null references users,
  -- The first characters, shown to the user.
  prefix text not null,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index api_keys_one_per_user on api_keys (user_id) where revoked_at is null;
