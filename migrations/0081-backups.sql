-- Backups that `npm run backup` has finished. The worker exports the age of the newest.
create table backups (
  id bigint generated always as identity primary key,
  finished_at timestamptz not null,
  place text not null,
  bytes bigint not null
);
create index backups_finished_at on backups (finished_at);
