-- A small write of each process, by which it tells whether the database commits (src/platform/commit-probe.ts). `beat` goes up by one with every
-- write: a database that has come back at an earlier state shows a number again.
create table commit_probes (
  process uuid primary key,
  beat integer not null,
  at timestamptz not null
) with (fillfactor = 50);
