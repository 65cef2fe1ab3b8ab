import { sql } from 'kysely';
import { expect } from 'vitest';
import { rollDice } from '../../../src/modules/games/house-games/dice/rules.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import { units } from '../../../src/platform/money.ts';
import { betOnDice, type Player, type TestApp } from '../app.ts';
import { nextWords } from '../games/house.ts';
import { bonusFor } from './grants.ts';

type Terms = {
  amount: string;
  required: string;
  currencyId?: string;
  maxBetUsd?: string;
  games?: Record<string, unknown>;
  maxWithdrawalMultiplierE2?: number | null;
  validityHours?: number;
};

/** Issues an active bonus and returns its id. */
export const grantBonus = (app: TestApp, player: Player, terms: Terms): Promise<bigint> =>
  transaction(app.db, async (tx) => {
    const { amount, required, maxBetUsd, ...more } = terms;
    const grant = bonusFor(player, {
      amount,
      wagerMultiplierE2: Number((units(required) * 100n) / units(amount)),
      maxBetUsd: maxBetUsd === undefined ? null : units(maxBetUsd),
      ...more,
    });
    return (await app.services.grants.issue(tx, grant))!;
  });

/** Returns a player's balances in a currency and the progress of their grant. */
export async function moneyOf(app: TestApp, { id }: Player, grantId: bigint) {
  const { rows } = await sql<{ cash: bigint; bonus: bigint; balance: bigint; done: bigint; status: string }>`
    select w.cash, w.bonus, g.bonus_balance as balance, g.wager_done as done, g.status
    from promo_grants g join wallets w using (user_id, currency_id) where g.id = ${grantId} and g.user_id = ${id}`.execute(
    app.db,
  );
  const { cash, bonus, balance, done, status } = rows[0]!;
  expect(bonus).toBe(balance);
  return { cash, bonus, done, status };
}

/** Places a dice bet that always loses. */
export async function lose(app: TestApp, player: Player, betAmount: string) {
  const [word] = await nextWords(app, player);
  const { didWin } = rollDice({ threshold: 50, above: true }, word!);
  const answer = await betOnDice(player, { betAmount, above: !didWin });
  expect([answer.status, answer.body.didWin]).toEqual([201, false]);
  return answer.body as { betId: string };
}

/** Places a dice bet that pays 2.5 times its stake. */
export async function win(app: TestApp, player: Player, betAmount: string) {
  for (;;) {
    const [word] = await nextWords(app, player);
    const sides = [
      { threshold: 39.6, above: false },
      { threshold: 60.4, above: true },
    ];
    const side = sides.find((inputs) => rollDice(inputs, word!).didWin);
    if (side) {
      const answer = await betOnDice(player, { betAmount, ...side });
      expect([answer.status, answer.body.didWin]).toEqual([201, true]);
      return answer.body as { betId: string };
    }
    expect((await player.call('POST', '/fairness/seeds/rotate', { body: {} })).status).toBeLessThan(300);
  }
}
