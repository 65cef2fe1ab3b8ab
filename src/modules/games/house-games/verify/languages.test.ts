import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../../test/kit/database.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

type Vector = { about: string; drawn: number[]; bet: { game: string; outcome: Record<string, any> } };

const vectors: Vector[] = JSON.parse(readFileSync(join(import.meta.dirname, 'vectors.json'), 'utf8'));

/** Implemented from the published rules without the service's code. Hashes are computed by pgcrypto and sums with the type numeric. */
const PROGRAM = `
create extension if not exists pgcrypto;

create function u(server text, client text, nonce bigint, i int) returns bigint language plpgsql as $$
declare
  block bytea := hmac(client || ':' || nonce || ':' || i / 8, server, 'sha256');
  word bigint := 0;
begin
  for k in 0..3 loop
    word := word * 256 + get_byte(block, (i % 8) * 4 + k);
  end loop;
  return word;
end $$;

create function picked(u bigint, n int) returns int language sql as $$ select div(u::numeric * n, 4294967296)::int $$;

create function drawn(server text, client text, nonce bigint, low int, high int, k int) returns int[] language plpgsql as $$
declare
  rest int[] := array(select generate_series(low, high));
  taken int[] := '{}';
  at int;
begin
  for i in 0..k - 1 loop
    at := picked(u(server, client, nonce, i), cardinality(rest)) + 1;
    taken := taken || rest[at];
    rest := rest[:at - 1] || rest[at + 1:];
  end loop;
  return taken;
end $$;

create function choose(n int, k int) returns numeric language sql as $$ select div(factorial(n), factorial(k) * factorial(n - k)) $$;

create function paid(rtp int, places int, traps int, picks int) returns numeric language sql as $$
  select div(rtp * choose(places, picks), choose(places - traps, picks)) / 10000 $$;

-- What chance gave ("drawn"), and as much of the outcome as follows from the published formulas alone.
create function played(bet jsonb) returns jsonb language plpgsql as $$
declare
  r jsonb := bet -> 'round';
  is_round boolean := jsonb_typeof(r) = 'object';
  server text := case when is_round then r ->> 'seed' else bet ->> 'serverSeed' end;
  client text := case when is_round then r ->> 'publicBlockHash' else bet ->> 'clientSeed' end;
  nonce bigint := case when is_round then r ->> 'chainPosition' else bet ->> 'nonce' end;
  hash text := case when is_round then r ->> 'seedHash' else bet ->> 'serverSeedHash' end;
  rtp int := bet ->> 'rtpBp';
  i jsonb := bet -> 'inputs';
  u0 bigint := u(server, client, nonce, 0);
  n int;
  k int;
  dead int;
  places int[];
  t numeric;
  did_win boolean;
  outcome jsonb;
begin
  if encode(sha256(server::bytea), 'hex') <> hash then raise 'the commitment is another'; end if;
  case bet ->> 'game'
  when 'dice' then
    n := picked(u0, 10001);
    t := (i ->> 'threshold')::numeric * 100;
    did_win := case when (i ->> 'above')::boolean then n > t else n < t end;
    places := array[n];
    t := case when (i ->> 'above')::boolean then 10000 - t else t end;
    outcome := jsonb_build_object('randomValue', n / 100.0, 'didWin', did_win, 'multiplier', div(rtp * 10000, t) / 10000);
  when 'limbo' then
    n := case when u0 = 0 then 100000000 else least(greatest(div(rtp * 4294967296.0, 100.0 * u0), 100), 100000000) end;
    places := array[n];
    outcome := jsonb_build_object('randomMultiplier', n / 100.0, 'multiplier', i -> 'multiplier');
  when 'keno' then
    places := drawn(server, client, nonce, 1, 40, 10);
    outcome := jsonb_build_object('results', places);
  when 'plinko' then
    places := array(select picked(u(server, client, nonce, line), 2) from generate_series(0, (i ->> 'rowsCount')::int - 1) line order by line);
    outcome := jsonb_build_object('results', places);
  when 'mines' then
    n := i ->> 'gridCellsCount';
    k := i ->> 'bombsCount';
    places := drawn(server, client, nonce, 0, n - 1, k);
    select coalesce(min(at) filter (where cell::int = any(places)), 0), max(at) into dead, k
      from jsonb_array_elements_text(i -> 'cellIndices') with ordinality c(cell, at);
    outcome := jsonb_build_object('bombs', places, 'opened', case when dead > 0 then dead else k end,
      'multiplier', case when dead > 0 then 0 else paid(rtp, n, cardinality(places), k) end);
  when 'monkey-run' then
    k := case i ->> 'difficulty' when 'EASY' then 1 when 'MEDIUM' then 3 when 'HARD' then 5 when 'EXPERT' then 10 end;
    places := drawn(server, client, nonce, 1, 20, k);
    dead := (select min(tile) from unnest(places) tile);
    n := (i -> 'steps' ->> -1)::int;
    did_win := n < dead;
    outcome := jsonb_build_object('traps', places, 'deadPoint', dead, 'didWin', did_win, 'step', least(n, dead - 1),
      'multiplier', case when did_win then paid(rtp, 20, k, n) else 0 end);
  when 'roulette' then
    places := array[picked(u0, 37)];
    outcome := jsonb_build_object('randomPosition', places[1]);
  when 'speed-roulette' then
    n := picked(u0, 15);
    places := array[n];
    outcome := jsonb_build_object('position', n, 'color', case when n = 0 then 'GREEN' when n <= 7 then 'RED' else 'BLACK' end);
  when 'blackjack' then
    places := drawn(server, client, nonce, 1, 52, 52);
    outcome := '{}';
  end case;
  return jsonb_build_object('drawn', places, 'outcome', outcome);
end $$;`;

let client: pg.Client;
const database = fixture(createTestDatabase);
beforeAll(async () => {
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(PROGRAM);
});
afterAll(() => client.end());

async function played(bet: object) {
  const { rows } = await client.query('select played($1::jsonb) as played', [JSON.stringify(bet)]);
  return rows[0].played as { drawn: number[]; outcome: object };
}

test.each([...new Set(vectors.map(({ bet }) => bet.game))])(
  'matches all vectors of %s in PL/pgSQL with pgcrypto',
  async (game) => {
    for (const { bet, drawn, about } of vectors.filter((vector) => vector.bet.game === game)) {
      const other = await played(bet);
      expect(other.drawn, about).toEqual(drawn);
      expect(bet.outcome, about).toMatchObject(other.outcome);
      if (game === 'blackjack') expect(cardsOf(bet.outcome)).toEqual(other.drawn.slice(0, 4));
      else expect(Object.keys(other.outcome)).not.toEqual([]);
    }
  },
);

test('detects a wrong seed and a wrong nonce in the second implementation', async () => {
  const { bet, drawn } = vectors.find((vector) => vector.bet.game === 'blackjack')!;
  await expect(played({ ...bet, serverSeed: 'a'.repeat(64) })).rejects.toThrow('the commitment is another');
  expect((await played({ ...bet, nonce: 4711 })).drawn).not.toEqual(drawn);
});

/**
 * The first four cards of the deck, taken from the end of the round: the player's two (one in each hand after a split) and the dealer's
 * two.
 */
function cardsOf({ hands, dealer }: Record<string, any>): number[] {
  const own =
    hands.length > 1 ? hands.map((hand: { cards: number[] }) => hand.cards[0]) : hands[0].cards.slice(0, 2);
  return [...own, ...dealer.cards.slice(0, 2)];
}
