/**
 * The counters in US dollars equal the amount that was moved: a request for 2.15 dollars moves 1.99 euros, which are worth 2.1492 dollars.
 */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Player } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../test/kit/games/bets.ts';
import { playLaid } from '../../../../test/kit/games/blackjack.ts';
import { betOn, HOUSE_BETS, type SingleStep } from '../../../../test/kit/games/house.ts';
import { endRounds } from '../../../../test/kit/games/house-rounds.ts';
import {
  betOn as betOnColor,
  startLongRounds,
  turnUntil,
} from '../../../../test/kit/games/speed-roulette.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { formatUnits, units } from '../../../platform/money.ts';

const app = fixture(startLongRounds);

const HOUSE = '/casino/games/house';
const EUROS = { currencyId: 'EUR', betAmount: '2.15' };

/** Creates a player with 500 euros and a loss limit, so that all usage is recorded. */
async function newPlayer(limit = '1000'): Promise<Player> {
  const balances = [{ currencyId: 'EUR', amount: '500' }];
  const { body } = await app.call('POST', '/debug/user/create', { body: { balances } });
  const player = await app.newPlayer({ username: body.username });
  const set = { type: 'LOSS', period: 'DAY', amount: limit };
  expect((await player.call('POST', '/user-limits/gambling-limits', { body: set })).status).toBe(201);
  return player;
}

/**
 * Returns a player's total stake and payout in dollars from the ledger. Each bet is converted at its own rate and rounded down to 8
 * decimals.
 */
async function movedBy({ id }: Player) {
  const { rows } = await sql<{ staked: bigint; paid: bigint }>`
    select coalesce(sum(div(staked * usd_rate, 1000000000000)), 0)::int8 as staked,
      coalesce(sum(div(paid * usd_rate, 1000000000000)), 0)::int8 as paid
    from (select entry_id, sum(amount) filter (where kind = 'bet.stake') as staked, sum(amount) filter (where kind = 'bet.payout') as paid
      from ledger_lines where user_id = ${id} and kind in ('bet.stake', 'bet.payout') group by 1) l
    join bets b on b.id = l.entry_id`.execute(app.db);
  return rows[0]!;
}
async function countedBy({ id }: Player) {
  const { play } = await app.db
    .selectFrom('restrictions')
    .select('play')
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow();
  const { staked, paid } = (play as { DAY: { staked: string; paid: string } }).DAY;
  return { staked: BigInt(staked), paid: BigInt(paid) };
}
async function expectCounted(player: Player): Promise<void> {
  const moved = await movedBy(player);
  expect(await countedBy(player)).toEqual(moved);
  await consumeAll(app);
  const { body } = await player.call('GET', '/user/me/stats');
  expect(body).toMatchObject({
    wageredUsd: formatUnits(moved.staked),
    profitUsd: formatUnits(moved.paid - moved.staked),
  });
}

describe('limits and statistics that match the ledger', () => {
  test.each(Object.keys(HOUSE_BETS) as SingleStep[])('%s', async (game) => {
    const player = await newPlayer();
    const more =
      game === 'roulette' ? { params: { bets: [{ type: 'RED', numbers: [], amount: '2.15' }] } } : {};
    for (let i = 0; i < 8; i++) {
      const { status, body } = await betOn(player, game, { ...EUROS, ...more });
      // The response contains the requested amounts.
      expect([status, body.betAmount]).toEqual([201, '2.15']);
    }
    expect((await countedBy(player)).staked).toBe(8n * units('2.1492'));
    await expectCounted(player);
  });

  test('counts the same amounts as the ledger for rounds with raised, cashed-out and returned stakes', async () => {
    const player = await newPlayer();
    const begin = () =>
      Promise.all([
        player.call('POST', `${HOUSE}/mines/play`, {
          body: { ...EUROS, gridCellsCount: 64, bombsCount: 1 },
        }),
        player.call('POST', `${HOUSE}/monkey-run/bet`, { body: { ...EUROS, difficulty: 'EASY' } }),
      ]);
    expect((await begin()).map(({ status }) => status)).toEqual([201, 201]);
    await endRounds(player);
    // Three rounds: a split pair with a side bet, a double, and an insurance of 0.99 euros.
    await playLaid(player, '8h 8d 7c Ts 3h Tc', { ...EUROS, sideBetAmount: '2.15' }, [
      'SPLIT',
      'STAND',
      'STAND',
    ]);
    await playLaid(player, '6h 5d 7c Ts 9h', EUROS, ['DOUBLE']);
    await playLaid(player, 'Th 9d Ac 7s', EUROS, ['INSURANCE', 'STAND']);
    await expectCounted(player);
    // No cell was opened, so the whole stake is returned.
    const before = await countedBy(player);
    expect((await begin())[0]!.status).toBe(201);
    expect((await countedBy(player)).staked).toBe(before.staked + 2n * units('2.1492'));
    await sql`update rounds set acted_at = now() - interval '2 days' where user_id = ${player.id}`.execute(
      app.db,
    );
    await app.services.abandoned.sweep();
    expect(await countedBy(player)).toEqual(before);
  });

  test('counts the same amounts as the ledger for speed-roulette, which displays the requested amounts', async () => {
    const player = await newPlayer();
    await turnUntil(app, 'BETTING');
    for (const color of ['RED', 'BLACK', 'GREEN'])
      expect(await betOnColor(player, color, EUROS)).toMatchObject({
        status: 201,
        body: { betAmount: '2.15' },
      });
    const { body } = await player.call('GET', `${HOUSE}/speed-roulette/info`);
    expect(body.usersBets.map((bet: { betAmount: string }) => bet.betAmount)).toEqual(Array(3).fill('2.15'));
    expect((await countedBy(player)).staked).toBe(3n * units('2.1492'));
    await turnUntil(app, 'RESULT');
    await expectCounted(player);
  });

  test('subtracts exactly the counted amounts in a rollback', async () => {
    const player = await newPlayer();
    const clerk = await app.as({ permissions: ['bet.rollback'] });
    const nothing = await countedBy(player);
    const bets = [];
    for (let i = 0; i < 6; i++) bets.push((await betOn(player, 'dice', EUROS)).body.betId);
    await consumeAll(app);
    for (const id of bets) {
      const { status } = await clerk.call('POST', `/admin/bets/${id}/rollback`, {
        body: { reason: 'The round was void.' },
      });
      expect(status).toBe(201);
    }
    expect(await countedBy(player)).toEqual(nothing);
    await consumeAll(app);
    expect((await player.call('GET', '/user/me/stats')).body).toMatchObject({ wageredUsd: '0', betCount: 0 });
  });
});

test('never lets losses exceed the loss limit because of rounding', async () => {
  const player = await newPlayer('10');
  for (let i = 0; i < 300; i++) {
    // 1.61 dollars are 1.49 euros, and 0.7 of that is 1.043, rounded down to 1.04 euros.
    const { status } = await betOn(player, 'keno', { ...EUROS, betAmount: '1.61', selected: [1] });
    const { staked, paid } = await movedBy(player);
    expect(staked - paid).toBeLessThanOrEqual(units('10'));
    if (status === 403) break;
  }
  const { staked, paid } = await movedBy(player);
  const { body } = await player.call('GET', '/user-limits/gambling-limits');
  expect(body.limits[0].usage.used).toBe(formatUnits(staked > paid ? staked - paid : 0n));
});

describe('reconcile', () => {
  const PROBLEM = "a bet's dollar amounts do not follow from its stake, payout and rate";
  const findings = async () => {
    const report = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
    return report.findings.flatMap(({ problem, facts }) => (problem === PROBLEM ? [String(facts.id)] : []));
  };

  test.each(['usd_amount', 'usd_payout'])(
    'finds a bet whose %s differs from the amount moved in the ledger',
    async (column) => {
      const player = await newPlayer();
      const { betId } = (await betOn(player, 'dice', EUROS)).body;
      expect(await findings()).toEqual([]);
      const add = (change: number) =>
        sql`update bets set ${sql.ref(column)} = ${sql.ref(column)} + ${change} where id = ${betId}`.execute(
          app.db,
        );
      await add(1);
      expect(await findings()).toEqual([betId]);
      await add(-1);
    },
  );

  test('checks older bets by the rule that was in effect when they were counted', async () => {
    const player = await newPlayer();
    const bets = [];
    for (let i = 0; i < 12; i++) bets.push((await betOn(player, 'keno', { ...EUROS, risk: 'LOW' })).body);
    // Rows in the form in which they were stored before the rule changed.
    for (const { betId, payout } of bets)
      await sql`update bets set bet_usd = null, usd_amount = ${units('2.15')}, usd_payout = ${units(payout)}
        where id = ${betId}`.execute(app.db);
    const flawed = async () => {
      const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
      return findings.flatMap(({ facts }) => ('betId' in facts ? [String(facts.betId)] : []));
    };
    expect([await flawed(), await findings()]).toEqual([[], []]);
    await sql`update bets set usd_payout = usd_payout + 1 where id = ${bets[0].betId}`.execute(app.db);
    expect(await flawed()).toEqual([bets[0].betId]);
    for (const { betId } of bets)
      await sql`update bets set bet_usd = ${units('2.15')}, usd_amount = div(amount::numeric * usd_rate, 1000000000000),
        usd_payout = div(payout::numeric * usd_rate, 1000000000000) where id = ${betId}`.execute(app.db);
  });
});
