-- The mailbox behind an email address, as far as providers document it. Replaces mailbox_of, which the previous version still uses. The new
-- index recomputes the rows that exist.
create function person_mailbox(email text) returns text language sql immutable parallel safe as $$
  select case
    when host in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com'
    -- Proton delivers all of its domains to one account and ignores punctuation.
    when host in ('proton.me', 'protonmail.com', 'pm.me') then translate(name, '._-', '') || '@proton.me'
    when host in ('icloud.com', 'me.com', 'mac.com') then name || '@icloud.com'
    -- One login on all Yandex domains; a dot and a hyphen are the same there.
    when host in ('yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'ya.ru') then translate(name, '.', '-') || '@yandex.ru'
    -- Fastmail delivers anything@name.fastmail.com to name@fastmail.com.
    when host like '%.fastmail.com' and host not like '%.%.fastmail.com' then split_part(host, '.', 1) || '@fastmail.com'
    else name || '@' || host end
  from (select coalesce(nullif(split_part(split_part(lower(email), '@', 1), '+', 1), ''), split_part(lower(email), '@', 1)) as name,
    split_part(lower(email), '@', 2) as host) parts
$$;
create index if not exists users_person_mailbox_idx on users (person_mailbox(email)) where email is not null;
