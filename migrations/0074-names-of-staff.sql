-- Staff names without separators: a player may not be called big_boss if a staff member is called bigboss.
create index if not exists users_staff_names_idx on users (replace(username_skeleton, '_', '')) where is_staff;
