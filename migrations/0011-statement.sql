-- The statement over all lines, for staff. The primary key leads through one user's lines; what follows leads through everybody's
-- without an index entry for every bet.

-- Ids grow with the table: a summary of every 64 pages finds a range of them. Several ranges a summary, so that one late row in an
-- old page does not spoil it.
create index ledger_lines_id_brin on ledger_lines using brin (id int8_minmax_multi_ops)
  with (pages_per_range = 64, autosummarize = on);

-- Everything that touches a user's account and is no stake or payout in cash or bonus money. Queries repeat these words
-- (modules/ledger/sources.ts).
create index ledger_lines_rare_idx on ledger_lines (id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_rare_kind_idx on ledger_lines (kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));
create index ledger_lines_rare_user_idx on ledger_lines (user_id, kind, id)
  where least(debit, credit) < 100 and (kind not in ('bet.stake', 'bet.payout') or debit in (2, 4) or credit in (2, 4));

-- Heads by what they are about: `namespace:id…`, all of a namespace, all that somebody did.
create index ledger_entries_key_idx on ledger_entries (key collate "C");
create index ledger_entries_namespace_idx on ledger_entries (split_part(key, ':', 1), id);
create index ledger_entries_actor_idx on ledger_entries (actor_id, id) where actor_id is not null;

-- How many movements of user accounts lie before a line's id: of one user, or of all (user 0). `latest` is the largest
-- created_at among them. Lines are never changed and ids below the horizon are complete, so that a mark stays true.
create table ledger_marks (
  user_id integer not null,
  rows bigint not null check (rows > 0),
  id bigint not null,
  latest timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (user_id, rows)
);
create index ledger_marks_id_idx on ledger_marks (user_id, id);
create index ledger_marks_latest_idx on ledger_marks (latest) where user_id = 0;
