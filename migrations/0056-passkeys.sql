-- Passkeys (WebAuthn): each is a second factor, and a sign-in by itself.

create table passkeys (
  id uuid primary key,
  user_id integer not null references users,
  -- What the authenticator calls it; nobody else has the same one.
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- COSE (RFC 9052).
  public_key bytea not null check (octet_length(public_key) <= 2048),
  -- How often it was used, where the authenticator counts: a count that does not grow is that of a copy.
  sign_count bigint not null check (sign_count between 0 and 4294967295),
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_user_idx on passkeys (user_id, created_at, id);

alter table sessions
  drop constraint sessions_mfa_method_check,
  add constraint sessions_mfa_method_check check (mfa_method in ('TOTP', 'RECOVERY', 'PASSKEY')) not valid;

alter table one_time_tokens
  drop constraint one_time_tokens_purpose_check,
  add constraint one_time_tokens_purpose_check check (purpose in (
    'MFA', 'SETUP_USERNAME', 'VERIFY_EMAIL', 'RESET_PASSWORD', 'IDP_STATE',
    'PASSKEY_REGISTER', 'PASSKEY_PROVE', 'PASSKEY_SIGN_IN', 'PASSKEY_CODE', 'EMAIL_CHANGE_OLD', 'EMAIL_CHANGE_NEW'
  )) not valid;

-- A change of an e-mail address until both addresses are proven: the last one that a user asked for.
create table email_changes (
  id uuid primary key,
  user_id integer not null unique references users,
  -- The session that asked for it; it outlives the change.
  session_id uuid not null,
  new_email text not null,
  -- Whose owner has to agree; null: the account had no proven address.
  old_email text,
  old_proven_at timestamptz,
  new_proven_at timestamptz,
  -- Whether the new address was proven in a browser where the account was signed in.
  is_new_proven_by_holder boolean not null default false,
  changed_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
