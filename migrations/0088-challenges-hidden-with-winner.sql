-- A challenge that is hidden or published while it has a winner keeps its bets until it is reopened.
-- safe challenges.challenges_shown_check: less strict than before
alter table challenges drop constraint if exists challenges_shown_check;
alter table challenges add constraint challenges_shown_check check (
  (shown_at is null) = (shown_id is null)
  and (status <> 'ACTIVE' or is_hidden = (shown_at is null or hidden_at is not null))) not valid;
alter table challenges validate constraint challenges_shown_check;
