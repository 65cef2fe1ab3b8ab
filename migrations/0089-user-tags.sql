-- Labels that staff give to users. Lists of users can be filtered by them.
create table user_tags (
  user_id integer not null references users,
  tag text not null,
  created_by integer not null references users,
  created_at timestamptz not null default now(),
  primary key (user_id, tag)
);
create index user_tags_tag_idx on user_tags (tag, user_id);
