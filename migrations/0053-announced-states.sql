-- The state of a leaderboard that was announced last: a new one is announced no sooner than new leaders are.
alter table leaderboards add column announced_status text;
