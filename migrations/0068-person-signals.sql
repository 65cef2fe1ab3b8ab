-- Signals that two accounts belong to the same person.

-- The mailbox behind an email address: large providers deliver every tag after a plus, and Gmail ignores dots.
create function mailbox_of(email text) returns text language sql immutable parallel safe as $$
  select case
    when host in ('gmail.com', 'googlemail.com') then replace(split_part(name, '+', 1), '.', '') || '@gmail.com'
    when host in ('outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'icloud.com', 'me.com', 'mac.com', 'proton.me', 'protonmail.com', 'pm.me',
      'fastmail.com', 'zoho.com', 'gmx.de', 'gmx.net', 'web.de', 'yandex.com', 'yandex.ru', 'mail.ru') then split_part(name, '+', 1) || '@' || host
    else name || '@' || host end
  from (select split_part(lower(email), '@', 1) as name, split_part(lower(email), '@', 2) as host) parts
$$;
create index if not exists users_mailbox_idx on users (mailbox_of(email)) where email is not null;
create index if not exists withdrawals_recipient_idx on withdrawals (lower(recipient_address), user_id);

-- The signals that a referral shares with their affiliate, and when an approved identity showed that they are different people.
alter table referrals add column signals text[] not null default '{}', add column cleared_at timestamptz;
