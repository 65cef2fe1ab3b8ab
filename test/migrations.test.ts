import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { misnumbered, nextNumber, problemsOf, unbearableMigrations } from '../scripts/migrations.ts';
import { statementsOf } from '../scripts/sql-words.ts';
import { unbearableOf, unknownOf } from '../src/platform/database/schema/ahead.ts';

const MIGRATIONS = new URL('../migrations/', import.meta.url);
const ON = '0070-something.sql';
const problems = (text: string, file = ON) => problemsOf(file, text);

/** Statements that are incompatible with the previous version, each with part of the message that the author gets. */
const BAD: readonly [string, RegExp][] = [
  ['drop table play_days', /play_days: .*two steps.*"-- contract play_days: unused since NNNN"/],
  ['create table a (); drop table if exists a, rollovers cascade', /rollovers: .*may still use this table/],
  ['alter table users drop column nick', /users\.nick: .*may still read or write it/],
  ['alter table only users drop nick', /users\.nick: /],
  ['alter table users rename column nick to name', /users\.nick: .*write both, read the new one/],
  ['alter table users rename to people', /users: .*old name/],
  ['drop function count_credit()', /count_credit: .*this function/],
  ['drop trigger users_game_hours_moved on users', /users_game_hours_moved: .*this trigger/],
  ['drop index bonus_bets_grant_idx', /bonus_bets_grant_idx: .*this index/],
  ['drop view uncounted_users', /uncounted_users: .*this view/],
  ['alter function count_credit() rename to count_deposit', /count_credit: .*old name/],
  ['alter table users add column nick text not null', /users\.nick: .*not null without a default/],
  ['alter table faq add id bigserial', /faq\.id: .*rewritten/],
  ['alter table faq add column id uuid not null default gen_random_uuid()', /faq\.id: .*rewritten/],
  ['alter table faq add column code text unique', /faq\.code: .*an index is created/],
  ['alter table users add column a integer check (a > 0)', /users\.a: .*all rows of users/],
  ['alter table users alter column id type bigint', /users\.id: .*another type/],
  ['alter table users alter id set data type bigint', /users\.id: .*another type/],
  ['alter table users alter column nick set not null', /users\.nick: .*may write null/],
  ['alter table users alter column is_staff drop default', /users\.is_staff: .*inserts rows without it/],
  ['alter table users alter column email drop not null', /users\.email: .*may read null/],
  ['alter table tips add constraint tips_least check (amount > 5)', /tips\.tips_least: .*write "not valid"/],
  ['alter table tips add check (amount > 5) not valid', /tips: .*may be rejected by a new check/],
  ['alter table tips add foreign key (sender_id) references users', /tips: .*all rows are read/],
  ['alter table tips add constraint tips_key unique (sender_id)', /tips\.tips_key: .*new unique/],
  ['alter table tips drop constraint tips_pkey', /tips\.tips_pkey: "on conflict"/],
  ['create index bets_game_idx on bets (game_id)', /bets_game_idx: .*blocks writes to the large table bets/],
  ['create index concurrently a on faq (b)', /a: .*in a transaction/],
  ['create unique index tips_once on tips (sender_id)', /tips_once: it may reject/],
  ['update users set is_bot = false', /users: its rows stay locked/],
  ['with old as (select 1) delete from bets where id = 1', /bets: its rows stay locked/],
  ['truncate faq', /faq: /],
  ['lock table games in share mode', /games: all statements on it wait/],
  ['vacuum full games', /games: it is rewritten/],
  ['do $$ begin drop table faq; end $$', /do: .*cannot analyse/],
  ['alter table bets detach partition bets_before', /bets: rows or rules disappear/],
  [
    "create function no() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$; create trigger t before insert on tips for each row execute function no()",
    /t: its function raises an exception/,
  ],
];

/** Compatible statements. */
const GOOD: readonly string[] = [
  'create table a (id integer primary key, b text not null, unique (b)); create index a_b on a (b); alter table a drop column b; drop table a',
  'alter table users add column nick text, add column is_a boolean not null default false',
  "alter table users add column seen timestamptz not null default now(), add column f text not null default 'a, b; c'",
  'create index if not exists bets_game_idx on bets (game_id)',
  'create index faq_idx on faq (id)',
  'create or replace view uncounted_users as select id as user_id from users',
  'drop trigger t on users; create trigger t after update on users for each row execute function f()',
  'create procedure keep() language sql as $$ drop table users $$; call keep(); drop procedure keep',
  'alter table tips drop constraint tips_amount_check',
  'alter table tips validate constraint tips_least',
  'alter table promo_grants set (fillfactor = 50)',
  "insert into cursors (name, follows) values ('a; drop table users', 'bets') -- drop table users",
  'alter table tips alter column amount set default 1',
  'update site_config set value = value',
];

describe('migrations compatible with the previous version', () => {
  test.each(BAD)('rejects %s', (text, message) => {
    expect(problems(text)).toEqual([expect.stringMatching(message)]);
  });

  test.each(GOOD)('accepts %s', (text) => {
    expect(problems(text)).toEqual([]);
  });

  test('requires the second step to specify the migration after which no version uses the column', () => {
    const text = '-- contract users.nick: unused since 0066\nalter table users drop column nick;';
    expect(problems(text, '0070-drop-nick-after-0066.sql')).toEqual([]);
    expect(problems(text)).toEqual([expect.stringMatching(/must be named 0070-something-after-0066\.sql/)]);
    expect(problems(text, '0070-drop-nick-after-0065.sql')).toEqual([
      expect.stringMatching(/must be named 0070-drop-nick-after-0066/),
    ]);
    expect(problems(text.replace('0066', '0070'))).toEqual([
      expect.stringMatching(/0070", which is not an earlier migration/),
    ]);
    expect(problems('select 1', '0070-drop-nick-after-0066.sql')).toEqual([
      expect.stringMatching(/must be named 0070-drop-nick\.sql/),
    ]);
  });

  test('requires a meaningful reason, and accepts markers only for statements of the same file', () => {
    const index = 'create index bets_game_idx on bets (game_id)';
    expect(problems(`-- safe bets_game_idx: no bets before the opening\n${index}`)).toEqual([]);
    expect(problems(`-- safe bets_game_idx: ok\n${index}`)).toEqual([
      expect.stringMatching(/has an incomplete marker/),
      expect.stringMatching(/bets_game_idx: creating it/),
    ]);
    expect(problems('-- safe faq: nobody reads it any more\nselect 1')).toEqual([
      expect.stringMatching(/allows nothing in this file/),
    ]);
    expect(problems('-- contract users.nick: since 0066\nselect 1')[0]).toMatch(/has an incomplete marker/);
  });

  test('finds no problem in the migrations of this version', () => {
    expect(unbearableMigrations()).toEqual([]);
    expect(misnumbered(readdirSync(MIGRATIONS))).toEqual([]);
  });

  test('requires numbers without gaps that follow the baseline', () => {
    expect(nextNumber(['README.md'])).toBe('0083');
    expect(nextNumber(['README.md', '0083-one.sql', '0084-two.sql'])).toBe('0085');
    expect(misnumbered(['README.md', '0083-one.sql', '0084-two.sql'])).toEqual([]);
    expect(misnumbered(['0083-one.sql', '0085-two.sql'])).toEqual([
      expect.stringMatching(/0085-two\.sql is out of order/),
    ]);
    expect(misnumbered(['0082-one.sql', 'notes.txt'])).toHaveLength(2);
  });

  test('splits SQL at the end of each statement, not inside strings or comments', () => {
    expect(statementsOf("a ';'; b $$ ; $$ -- ;\n; /* ; */ c $x$ ;$$; $x$; ")).toEqual([
      "a ';'",
      'b $$ ; $$',
      'c $x$ ;$$; $x$',
    ]);
  });
});

describe('a schema newer than the version', () => {
  const known = ['0001-one', '0002-two'];

  test('accepts a newer schema that only adds objects, or removes only objects that the version no longer uses', () => {
    expect(unknownOf(known, ['0001-one', '0002-two', '0003-three'])).toEqual(['0003-three']);
    expect(unbearableOf(known, ['0003-three', '0004-drop-four-after-0002'])).toEqual([]);
    expect(unbearableOf(known, ['0004-drop-three-after-0003'])).toEqual(['0004-drop-three-after-0003']);
  });

  test('rejects a schema with a migration of another branch', () => {
    expect(unbearableOf(known, ['0002-other'])).toEqual(['0002-other']);
  });
});
