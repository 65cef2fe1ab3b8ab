-- Who wants to be told when the site opens, by their address in lower case. Deleted 90 days after the launch.
create table coming_soon_subscribers (
  email text primary key check (email = lower(email)),
  -- Where they came from, and the code of an affiliate, as they were sent.
  referrer text,
  affiliate_code text,
  created_at timestamptz not null default now(),
  -- Each further request writes too: one for an address that is known takes no less time than for a new one.
  asked_at timestamptz not null default now()
);
