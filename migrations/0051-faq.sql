-- Questions that players often ask, and their answers, in the order in which they are shown.
create table faq (
  id integer generated always as identity primary key,
  title text not null,
  text text not null,
  sort_order integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
