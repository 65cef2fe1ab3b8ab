/**
 * Random bonus operations, bets and rollbacks, each compared with a model of the rules. Reconcile runs when the app
 * stops.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../src/platform/database/db.ts';
import { formatUnits, ONE, units } from '../src/platform/money.ts';
import { seeded } from './crash/load.ts';
import { betOnDice, PATIENCE, type Player, startApp, type TestApp } from './kit/app.ts';
import { times } from './kit/length.ts';
import { letOneAdjust } from './kit/money/adjustments.ts';
import { BonusModel, type Terms } from './kit/money/bonus-model.ts';
import { bonusFor } from './kit/money/grants.ts';

const OPERATIONS = times('BONUS_OPERATIONS', 4000, 20_000);
const PLAYERS = 40;

let app: TestApp;
let clerk: Player;
beforeAll(async () => {
  app = await startApp({ env: PATIENCE });
  await letOneAdjust(app);
  clerk = await app.as({ permissions: ['bet.rollback'] });
});
afterAll(() => app.stop());

type Played = { player: Player; model: BonusModel; random: () => number };
const pick = <T>({ random }: Played, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

const STEPS: Record<string, (on: Played) => Promise<void>> = {
  async bet(on) {
    const { player, model } = on;
    const betAmount = pick(on, ['0.01', '1', '1.234567', '3', '5', '12.5', '40']);
    const wanted = model.wants(units(betAmount));
    const side = pick(on, [
      { threshold: 50, above: true },
      { threshold: 80, above: false },
      { threshold: 95, above: true },
    ]);
    const { status, body } = await betOnDice(player, { betAmount, ...side });
    expect(status === 201 ? 'made' : body.code).toBe(wanted);
    if (status === 201) model.bet(body.betId, units(betAmount), units(body.payout));
  },
  /** Stakes everything with a low chance of winning. */
  async allIn({ player, model }) {
    const active = model.active();
    const all = model.cash + (active && active.counts > 0n ? active.balance : 0n);
    if (all < ONE || all > 100n * ONE) return;
    const wanted = model.wants(all);
    const betAmount = formatUnits(all);
    const { status, body } = await betOnDice(player, { betAmount, threshold: 95, above: true });
    expect(status === 201 ? 'made' : body.code).toBe(wanted);
    if (status === 201) model.bet(body.betId, all, units(body.payout));
  },
  async grant(on) {
    const { player, model } = on;
    if (model.grants.filter(({ status }) => status === 'PENDING' || status === 'ACTIVE').length > 3) return;
    const amount = pick(on, ['5', '20', '33.333333']);
    const multiplier = pick(on, [0, 1, 2, 10]);
    const cap = pick(on, [null, 1, 3]);
    const maxBet = pick(on, [null, '10']);
    const counts = pick(on, [0, 25, 100, 100]);
    const terms: Terms = {
      amount: units(amount),
      required: units(amount) * BigInt(multiplier),
      cap: cap === null ? null : units(amount) * BigInt(cap),
      maxBet: maxBet === null ? null : units(maxBet),
      counts: BigInt(counts) * 100n,
    };
    const id = await transaction(app.db, (tx) =>
      app.services.grants.issue(
        tx,
        bonusFor(player, {
          amount,
          wagerMultiplierE2: multiplier * 100,
          maxWithdrawalMultiplierE2: cap === null ? null : cap * 100,
          maxBetUsd: terms.maxBet,
          games: { perGame: { dice: counts } },
        }),
      ),
    );
    model.issue(id!, terms);
  },
  async forfeit({ model }) {
    const active = model.active();
    if (!active) return;
    await transaction(app.db, (tx) =>
      app.services.grants.end(tx, active.id, { status: 'FORFEITED', reason: 'TEST' }),
    );
    model.forfeit();
  },
  async rollBack(on) {
    const { model } = on;
    const ids = [...model.bets.keys()];
    if (ids.length === 0) return;
    const id = pick(on, ids.slice(-12));
    const can = model.canRollBack(id);
    const { status, body } = await clerk.call('POST', `/admin/bets/${id}/rollback`, {
      body: { reason: 'The round was void.' },
    });
    expect(status === 201 ? 'done' : body.code).toBe(can ? 'done' : 'INSUFFICIENT_BALANCE');
    if (can) model.rollBack(id);
  },
  async money({ player, model }) {
    if (model.cash > 20n * ONE) return;
    const { status } = await player.call('GET', '/debug/me/give-money?amount=25');
    expect(status).toBe(200);
    model.cash += 25n * ONE;
  },
};
const OFTEN = [
  'bet',
  'bet',
  'bet',
  'bet',
  'bet',
  'bet',
  'allIn',
  'rollBack',
  'rollBack',
  'grant',
  'forfeit',
  'money',
];

/** Returns the player's state from the database, in the form that the model uses. */
async function stateOf({ id }: Player) {
  const { rows } = await sql<Record<string, bigint>>`
    select cash, vault, bonus from wallets where user_id = ${id} and currency_id = 'USDT'`.execute(app.db);
  const { rows: grants } = await sql<Record<string, unknown>>`
    select id, status, bonus_balance as balance, wager_done as done, converted from promo_grants where user_id = ${id}
    order by id`.execute(app.db);
  const { rows: claims } = await sql<{ owed: bigint }>`
    select coalesce(sum(remaining), 0)::int8 as owed from claims where user_id = ${id}`.execute(app.db);
  const { cash = 0n, vault = 0n, bonus = 0n } = rows[0] ?? {};
  return { cash, vault, bonus, owed: claims[0]!.owed, grants };
}

const expected = ({ cash, vault, owed, grants }: BonusModel) => ({
  cash,
  vault,
  owed,
  bonus: grants.reduce((sum, { balance }) => sum + balance, 0n),
  grants: grants.map(({ id, status, balance, done, converted }) => ({
    id,
    status,
    balance,
    done,
    converted,
  })),
});

test(`matches a model of the bonus rules after each of ${OPERATIONS} concurrent operations by ${PLAYERS} players`, async () => {
  const players = await Promise.all(
    Array.from({ length: PLAYERS }, async (_, i): Promise<Played> => {
      const player = await app.newPlayer();
      return { player, model: new BonusModel(), random: seeded(20_261_123 + i) };
    }),
  );
  const ended = new Map<string, number>();
  await Promise.all(
    players.map(async (on) => {
      const done: string[] = [];
      for (let i = 0; i < OPERATIONS / PLAYERS; i++) {
        const step = pick(on, OFTEN);
        done.push(step);
        try {
          await STEPS[step]!(on);
          expect(await stateOf(on.player)).toEqual(expected(on.model));
        } catch (error) {
          throw new Error(
            `step ${i} (${done.slice(-8).join(', ')}), cash ${formatUnits(on.model.cash)}: ${error}`,
            { cause: error },
          );
        }
      }
      for (const { status } of on.model.grants) ended.set(status, (ended.get(status) ?? 0) + 1);
    }),
  );
  // Checks that every kind of operation has occurred.
  for (const status of ['COMPLETED', 'FORFEITED', 'LOST'])
    expect(ended.get(status) ?? 0, `${status} of ${JSON.stringify([...ended])}`).toBeGreaterThan(3);
}, 900_000);
