-- A bot is nobody's figure either: it is no registration. It has neither played nor paid, so nothing that was summed up changes; whoever is
-- made one, or a player again, is moved as staff and test users are.
create or replace view uncounted_users as select id as user_id from users where is_staff or is_test or is_bot;
drop index users_uncounted_idx;
create index users_uncounted_idx on users (id) where is_staff or is_test or is_bot;
drop trigger users_game_hours_moved on users;
create trigger users_game_hours_moved after update of is_staff, is_test, is_bot on users for each row
  when ((old.is_staff or old.is_test or old.is_bot) is distinct from (new.is_staff or new.is_test or new.is_bot))
  execute function move_game_hours();
