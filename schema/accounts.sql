-- How users sign in: sessions, passwords, second factors, passkeys, linked identities and API keys.

-- ---------------------------------------------------------------- Sessions

-- A user's session on one device. It lasts until it is revoked or expires.
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
  -- When the user last proved a second factor in this session.
  mfa_at timestamptz,
  mfa_method text,
  -- Time of the latest request, accurate to about a minute. Written only if the session ends after a time without requests.
  last_request_at timestamptz not null default now(),
  -- When the user last lost their permissions. Staff and players have different time limits. This column and the two idle times below
  -- ensure that a session that ended under one set of limits does not become valid again under the other.
  rights_until timestamptz,
  -- How long the session had been idle when the user lost their permissions. The longest time if this happened more than once.
  pause_with_rights interval,
  -- How long the session had been idle when the user gained permissions. The longest time if this happened more than once.
  pause_without_rights interval,
  -- Latest use of the session that was published as the event `session.used`.
  said_until timestamptz,
  -- The current refresh token was derived from this salt and the previous token. A client that lost the response therefore gets the same
  -- token again.
  refresh_salt bytea,
  -- Hash that identifies the device that made the latest refresh.
  refresh_device bytea
);
alter table sessions add constraint sessions_mfa_method_check check (mfa_method in ('TOTP', 'RECOVERY', 'PASSKEY')) not valid;
create index sessions_user_idx on sessions (user_id) where revoked_at is null;
create index sessions_ip_idx on sessions (ip_address, user_id);
create index sessions_user_used_idx on sessions (user_id, last_used_at desc);
create index sessions_over_idx on sessions (least(revoked_at, expires_at));

-- A refresh token that was exchanged for a new one. If it is used again after a short grace period, or by another device, it was probably
-- stolen, and the session ends.
create table used_refresh_tokens (
  hash bytea primary key,
  session_id uuid not null references sessions,
  used_at timestamptz not null default now()
);
create index used_refresh_tokens_used_idx on used_refresh_tokens (used_at);
create index used_refresh_tokens_session_idx on used_refresh_tokens (session_id);

-- ---------------------------------------------------------------- Second factors

-- A user's authenticator app, if there is one. The row is also the lock for all of the user's second factors.
create table mfa_secrets (
  user_id integer primary key references users,
  -- Encrypted secret of the app. Null if the app is not enabled.
  active bytea,
  -- No longer written. Replaced by the table pending_factors.
  pending bytea,
  -- No longer used.
  pending_at timestamptz,
  -- Time step of the latest code that was accepted, so that no code works twice.
  last_step bigint not null default 0,
  enabled_at timestamptz,
  -- When a second factor was last reset without a proof of the previous one, for example with a recovery code or by staff. Withdrawals are
  -- put on hold for a while afterwards.
  reset_at timestamptz
);

-- The secret of a second factor that a user is setting up in a session and has not confirmed yet.
create table pending_factors (
  session_id uuid primary key references sessions on delete cascade,
  -- Encrypted secret.
  key bytea not null,
  created_at timestamptz not null default now()
);
create index pending_factors_created_idx on pending_factors (created_at);

-- A user's recovery code. Each code works once.
create table recovery_codes (
  user_id integer not null references users,
  hash bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- A user's passkey (WebAuthn). It serves as a second factor, or as a way to sign in on its own.
create table passkeys (
  id uuid primary key,
  user_id integer not null references users,
  -- The id that the authenticator assigned to the passkey.
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- COSE key (RFC 9052).
  public_key bytea not null check (octet_length(public_key) <= 2048),
  -- The authenticator's signature counter, or 0 if it has none. On a single device, a counter that does not increase shows that the passkey
  -- was copied.
  sign_count bigint not null check (sign_count between 0 and 4294967295),
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- True if the authenticator may copy the passkey to other devices. Null if the passkey was registered before this was recorded.
  is_multi_device boolean
);
create index passkeys_user_idx on passkeys (user_id, created_at, id);

-- ---------------------------------------------------------------- Identities and tokens

-- A user's account at an identity provider, with which the user can sign in.
create table identities (
  issuer text not null,
  -- The id that the provider assigned to the user. Never an email address.
  subject text not null,
  user_id integer not null references users,
  email text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create unique index identities_one_per_issuer on identities (user_id, issuer);

-- The nonce of an OpenID 2.0 response that was accepted, so that a response works only once.
create table openid_nonces (
  nonce text primary key,
  seen_at timestamptz not null default now()
);
create index openid_nonces_seen_idx on openid_nonces (seen_at);

-- A token that works once and for one purpose, such as the link in an email. Only its hash is stored.
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
-- This index and the next one serve the job that deletes old tokens.
create index one_time_tokens_unused_idx on one_time_tokens (expires_at) where purpose <> 'VERIFY_EMAIL' or used_at is null;
create index one_time_tokens_verified_idx on one_time_tokens (used_at) where purpose = 'VERIFY_EMAIL' and used_at is not null;

-- A pending change of a user's email address, which both addresses must confirm.
create table email_changes (
  id uuid primary key,
  user_id integer not null unique references users,
  -- The session that requested the change. The change remains valid when this session ends.
  session_id uuid not null,
  new_email text not null,
  -- Null if the account had no confirmed address.
  old_email text,
  old_proven_at timestamptz,
  new_proven_at timestamptz,
  -- True if the new address was confirmed in a browser where the account is or was signed in.
  is_new_proven_by_holder boolean not null default false,
  changed_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index email_changes_expires_idx on email_changes (expires_at);

-- A counter of attempts whose number is limited, such as sign-ins to an account.
create table attempts (
  -- The kind of attempt, and what it is counted for, such as the account or address. Example: `email-change:<user id>`.
  key text primary key,
  tries integer not null,
  expires_at timestamptz not null
);
create index attempts_expires_idx on attempts (expires_at);

-- A user's API key. A user has at most one that is not revoked.
create table api_keys (
  id uuid primary key,
  user_id integer not null references users,
  -- The first characters of the key, which are shown to the user.
  prefix text not null,
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index api_keys_one_per_user on api_keys (user_id) where revoked_at is null;
