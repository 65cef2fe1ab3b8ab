/** Settles rounds on a real database. Concurrent requests must have the same result as sequential ones. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import { ONE } from '../../../platform/money.ts';
import { createMetrics } from '../../../platform/observability/metrics.ts';
import { bettingErrors } from './errors.ts';
import type { GameRequest } from './request.ts';
import { type Action, actionRequest, aloneRequest, startRequest } from './rounds.ts';
import type { Turn } from './rules.ts';
import { createSettlement, type Settlement } from './settlement.ts';

let settlement: Settlement;
let game: { id: number; slug: string };
// The game of this test is not a house game, so its bets cannot be replayed by any game's rules.
const app = fixture(() => startApp({ reconcileOnStop: false }));
beforeAll(async () => {
  const { id } = await app.db
    .selectFrom('games')
    .select('id')
    .where('slug', '=', 'mines')
    .executeTakeFirstOrThrow();
  game = { id, slug: 'mines' };
  const { fairness, log } = app.services;
  settlement = createSettlement({
    database: {
      connectionString: app.database.url,
      poolSize: 1,
      name: 'rounds',
      connectTimeoutMs: 2000,
      statementTimeoutMs: 5000,
    },
    lanes: 2,
    batch: 256,
    queue: 4096,
    queuePerPlayer: 512,
    deadlineMs: 10_000,
    fairness,
    outlook: app.services.gate.outlook,
    grants: app.services.betGrants,
    log,
    metrics: createMetrics('rounds'),
  });
});
afterAll(() => settlement.close());

const WHOLE = 6;
type Kind =
  | 'start'
  | 'instant'
  | 'step'
  | 'double'
  | 'look'
  | 'refuse'
  | 'cash'
  | 'void'
  | 'alone'
  | 'side'
  | 'forced';
type Act = { who: number; kind: Kind; stake: bigint; times: bigint; key: number | undefined };
const act: fc.Arbitrary<Act> = fc.record({
  who: fc.nat(2),
  kind: fc.constantFrom<Kind>(
    ...(['start', 'start', 'start', 'instant', 'step', 'step', 'double', 'look', 'refuse'] as const),
    ...(['cash', 'cash', 'void', 'alone', 'side', 'forced'] as const),
  ),
  stake: fc.bigInt(1n, 5n),
  times: fc.bigInt(0n, 3n),
  key: fc.option(fc.nat(40), { nil: undefined, freq: 4 }),
});

/** A player in the model. Amounts are in whole units of the currency. */
type Person = {
  cash: bigint;
  nonce: number;
  open: { staked: bigint; first: bigint; steps: number; bet: Bet } | undefined;
  bets: Bet[];
  answers: Map<number, { act: string; result: string }>;
};
type Bet = { status: string; amount: bigint; payout: bigint; nonce: number | null };

const OPENS: readonly Kind[] = ['start', 'instant', 'alone', 'side', 'forced'];
const nameOf = ({ kind, stake, times }: Act) => `${kind} ${stake} ${times}`;

function expected(person: Person, a: Act): string {
  const known = a.key === undefined ? undefined : person.answers.get(a.key);
  if (known) return known.act === nameOf(a) ? known.result : commonErrors.IDEMPOTENCY_KEY_REUSED.code;
  const result = OPENS.includes(a.kind) ? begun(person, a) : acted(person, a);
  if (a.key !== undefined) person.answers.set(a.key, { act: nameOf(a), result });
  return result;
}

function begun(person: Person, { kind, stake, times }: Act): string {
  if (person.open) return bettingErrors.ROUND_OPEN.code;
  const staked = kind === 'side' ? stake * 2n : stake;
  if (person.cash < staked) return commonErrors.INSUFFICIENT_BALANCE.code;
  person.cash -= staked;
  const bet: Bet = {
    status: 'CREATED',
    amount: staked,
    payout: 0n,
    nonce: kind === 'forced' ? null : person.nonce++,
  };
  person.bets.push(bet);
  if (kind === 'instant' || kind === 'alone') return settled(person, bet, staked * times);
  person.open = { staked, first: stake, steps: 0, bet };
  return `open ${staked} 0`;
}

function settled(person: Person, bet: Bet, payout: bigint): string {
  person.cash += payout;
  Object.assign(bet, { status: 'SETTLED', payout });
  return `settled ${payout}`;
}

function acted(person: Person, { kind, times }: Act): string {
  const { open } = person;
  if (!open) return bettingErrors.ROUND_NOT_FOUND.code;
  if (kind === 'refuse') return bettingErrors.ACTION_NOT_ALLOWED.code;
  if ((kind === 'double' || kind === 'look') && person.cash < open.first)
    return commonErrors.INSUFFICIENT_BALANCE.code;
  if (kind === 'double') {
    person.cash -= open.first;
    open.staked += open.first;
    open.bet.amount = open.staked;
  }
  if (kind === 'cash' || kind === 'void') {
    person.open = undefined;
    if (kind === 'cash') return settled(person, open.bet, open.staked * times);
    person.cash += open.staked;
    open.bet.status = 'ROLLBACK';
    return 'void';
  }
  open.steps++;
  return `open ${open.staked} ${open.steps}`;
}

const money = (whole: bigint) => ({ usd: whole * ONE, units: whole * ONE });
const ended = (payout: bigint): Turn<object>['end'] => ({
  inputs: {},
  outcome: {},
  paid: { payout: payout * ONE, payoutUsd: payout * ONE },
});
type State = { steps: number };

function requestOf(player: Player, a: Act): GameRequest {
  const { kind, stake, times, key } = a;
  const common = {
    userId: player.id,
    country: null,
    game,
    repeat: key === undefined ? undefined : { key: `rounds-${key}`, inputHash: Buffer.from(nameOf(a)) },
  };
  const bet = {
    ...common,
    currencyId: 'USDT',
    decimals: WHOLE,
    betUsd: stake * ONE,
    stake: stake * ONE,
    minStake: 0n,
    rate: 10n ** 12n,
    rtpBp: 9900,
    maxProfitUsd: 10n ** 6n * ONE,
    windowId: null,
    refusal: undefined,
  };
  const open: Action['answer'] = ({ amount, state, end }) => {
    if (end === 'void') return ['void'];
    return [end ? `settled ${end.paid.payout / ONE}` : `open ${amount / ONE} ${(state as State).steps}`];
  };
  if (kind === 'alone')
    return aloneRequest(bet, {
      inputs: {},
      play: () => ({ outcome: {}, multiplier: times, scale: 1n }),
      answer: ({ payoutUsd }) => [`settled ${payoutUsd / ONE}`],
    });
  if (OPENS.includes(kind))
    return startRequest(
      { ...bet, side: kind === 'side' ? money(stake) : undefined },
      {
        isForced: kind === 'forced',
        answer: open,
        begin: (terms, next) => {
          expect(next === undefined).toBe(kind === 'forced');
          const end = kind === 'instant' ? ended((terms.stake / ONE) * times) : undefined;
          return { state: { steps: 0 }, end };
        },
      },
    );
  return actionRequest(common, {
    answer: open,
    act(round) {
      const { steps } = round.state as State;
      const first = money(round.stake / ONE);
      if (kind === 'refuse') throw bettingErrors.ACTION_NOT_ALLOWED();
      const total = round.amount / ONE;
      if (kind === 'cash') return { state: { steps }, end: ended(total * times) };
      if (kind === 'void') return { state: { steps }, end: 'void' };
      return {
        state: { steps: steps + 1 },
        ...(kind === 'double' ? { stake: first } : {}),
        ...(kind === 'look' ? { needs: first } : {}),
      };
    },
  });
}

const outcomeOf = (request: GameRequest): Promise<string> =>
  settlement.settle(request).then(
    (answer) => (answer as [string])[0],
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

async function newPerson(): Promise<{ player: Player; person: Person }> {
  const player = await app.newPlayer({ usdt: 20 });
  return { player, person: { cash: 20n, nonce: 0, open: undefined, bets: [], answers: new Map() } };
}

/** Reads the player's state from the database, in the form of the model. */
async function stored({ id }: Player) {
  const { rows: bets } = await sql<{ status: string; amount: bigint; payout: bigint; nonce: number | null }>`
    select status, amount / ${ONE} as amount, payout / ${ONE} as payout, nonce from bets where user_id = ${id} order by id`.execute(
    app.db,
  );
  const { rows: open } = await sql<{ steps: number; first: bigint; nonce: number | null }>`
    select (r.state ->> 'steps')::int as steps, r.stake / ${ONE} as first, b.nonce from rounds r join bets b on b.id = r.bet_id
    where r.user_id = ${id}`.execute(app.db);
  const { rows } = await sql<{ cash: bigint; lines: bigint; nonce: number; wrong: number }>`
    select cash / ${ONE} as cash, nonce,
      (select sum(case when credit = 1 then amount else -amount end) / ${ONE} from ledger_lines where user_id = ${id})::int8 as lines,
      (select count(*)::int from bets b where b.user_id = ${id} and (
        (b.settled_at is null) = (b.status = 'SETTLED') or (b.status = 'CREATED' and b.settlement_id is not null)
        or b.amount <> (select sum(amount) from ledger_lines where user_id = ${id} and entry_id = b.id and kind = 'bet.stake'))) as wrong
    from wallets join players using (user_id) where user_id = ${id} and currency_id = 'USDT'`.execute(app.db);
  return { bets, open, ...rows[0]! };
}

const shownOf = ({ cash, nonce, bets, open }: Person) => ({
  cash,
  nonce,
  bets,
  lines: cash,
  wrong: 0,
  open: open ? [{ steps: open.steps, first: open.first, nonce: open.bet.nonce }] : [],
});

test('returns the same results as sequential requests for 40 sequences of 12 bursts by three players', async () => {
  const bursts = fc.array(fc.array(act, { minLength: 1, maxLength: 12 }), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(bursts, async (sequence) => {
      const people = [await newPerson(), await newPerson(), await newPerson()];
      for (const burst of sequence) {
        const said = burst.map((a) => outcomeOf(requestOf(people[a.who]!.player, a)));
        const model = burst.map((a) => expected(people[a.who]!.person, a));
        expect(await Promise.all(said)).toEqual(model);
      }
      for (const { player, person } of people) expect(await stored(player)).toEqual(shownOf(person));
    }),
    { seed: 32, numRuns: 40 },
  );
});

describe('a round', () => {
  const run = async (player: Player, ...kinds: Kind[]) => {
    const said = [];
    for (const kind of kinds)
      said.push(await outcomeOf(requestOf(player, { who: 0, kind, stake: 5n, times: 2n, key: undefined })));
    return said;
  };

  test('lists rounds in the order in which they end, not in which they start', async () => {
    const { player: first } = await newPerson();
    const { player: second } = await newPerson();
    await run(first, 'start');
    await run(second, 'start', 'cash');
    await run(first, 'cash', 'alone');
    const { rows } = await sql<{ userId: number; at: bigint; id: bigint }>`
      select user_id as "userId", id, coalesce(settlement_id, id) as at from bets where user_id in (${first.id}, ${second.id})
      order by at`.execute(app.db);
    expect(rows.map((r) => r.userId)).toEqual([second.id, first.id, first.id]);
    expect(rows[1]!.id).toBeLessThan(rows[0]!.id);
    expect(rows[2]!.at).toBe(rows[2]!.id);
  });

  test('lets a banned player finish a round, but rejects raising its stake', async () => {
    const { player } = await newPerson();
    await run(player, 'start');
    await sql`update players set is_banned = true where user_id = ${player.id}`.execute(app.db);
    expect(await run(player, 'step', 'double', 'look', 'cash', 'start')).toEqual([
      'open 5 1',
      'USER_BANNED',
      'USER_BANNED',
      'settled 10',
      'USER_BANNED',
    ]);
  });

  test('fails the whole request when the bet of the round has already ended', async () => {
    const { player } = await newPerson();
    await run(player, 'start');
    await sql`update bets set status = 'SETTLED', settled_at = now() where user_id = ${player.id}`.execute(
      app.db,
    );
    const before = await stored(player);
    expect((await run(player, 'cash'))[0]).toContain('touched 0 rows, expected 1');
    expect(await stored(player)).toEqual(before);
  });
});
