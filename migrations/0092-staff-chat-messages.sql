-- Staff write in chat rooms. Clients mark these messages.

alter table chat_messages
  -- True if the author wrote as a member of staff, and not as a player.
  add column is_staff boolean not null default false;
