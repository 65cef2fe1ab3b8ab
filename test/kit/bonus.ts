import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { lockPlayers, setHasGrant } from '../../src/modules/base/players/service.ts';
import { rollDice } from '../../src/modules/games/house-games/dice/rules.ts';
import { post } from '../../src/modules/money/ledger/post.ts';
import { transaction } from '../../src/platform/db.ts';
import { units } from '../../src/platform/money.ts';
import { betOnDice, type Player, type TestApp } from './app.ts';
import { nextWords } from './house.ts';

type Terms = { amount: string; required: string; currencyId?: string; maxBetUsd?: string; games?: object };

/** An active grant of bonus money; answers its id. */
export const grantBonus = (app: TestApp, { id: userId }: Player, terms: Terms): Promise<bigint> =>
  transaction(app.db, async (tx) => {
    await lockPlayers(tx, [userId]);
    const { amount, required, currencyId = 'USDT', maxBetUsd, games = {} } = terms;
    const granted = units(amount);
    const { id } = await tx
      .insertInto('promo_grants')
      .values({
        promo_id: 1n,
        user_id: userId,
        source_key: `test:${randomUUID()}`,
        source: 'ADMIN',
        name: 'Test',
        type: 'MANUAL',
        kind: 'BONUS',
        status: 'ACTIVE',
        currency_id: currencyId,
        granted_amount: granted,
        wager_multiplier_e2: 1000,
        wager_base: 'BONUS',
        wager_required: units(required),
        bonus_balance: granted,
        max_bet_usd: maxBetUsd === undefined ? null : units(maxBetUsd),
        games: JSON.stringify(games),
        entries: 1,
        starts_after: sql<bigint>`(select last_value from ledger_ids)`,
        activated_at: new Date(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const posting = { userId, currencyId, kind: 'promo.grant', debit: 'promo', credit: 'bonus' } as const;
    await post(tx, [
      { key: `promo:${id}:start:1`, kind: 'promo.grant', postings: [{ ...posting, amount: granted }] },
    ]);
    await setHasGrant(tx, userId, true);
    return id;
  });

/** What is left of a player's money in a currency, and how far their grant is. */
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

/** A bet on dice that is lost whatever the seeds say. */
export async function lose(app: TestApp, player: Player, betAmount: string) {
  const [word] = await nextWords(app, player);
  const { didWin } = rollDice({ threshold: 50, above: true }, word!);
  const answer = await betOnDice(player, { betAmount, above: !didWin });
  expect([answer.status, answer.body.didWin]).toEqual([201, false]);
  return answer.body as { betId: string };
}

/** A bet on dice that pays two and a half times its stake. */
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
