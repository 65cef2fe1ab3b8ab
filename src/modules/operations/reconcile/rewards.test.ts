/** Invariant N10: finds each inconsistency in players' grants and rewards, and reports nothing else. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { grantBonus, lose } from '../../../../test/kit/money/bonus.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { VIP_REWARD } from '../../money/bonus/cash.ts';

const app = fixture(async () => {
  const started = await startApp();
  const player = await started.newPlayer({ usdt: 1 });
  await grantBonus(started, player, { amount: '50', required: '500' });
  await lose(started, player, '3');
  const amount = units('10');
  const reward = { userId: player.id, currencyId: 'USDT', amount, usdAmount: amount };
  await transaction(started.db, (tx) =>
    started.services.cashGrants.pay(tx, { ...reward, terms: VIP_REWARD, source: 'VIP', sourceKey: 'vip:1' }),
  );
  return started;
});

const found = async () => {
  const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  return [...new Set(findings.map(({ problem }) => problem))].sort();
};

const BET = "a bet's bonus money does not match the ledger";
const GRANT = 'the parts of a grant do not add up to its amount';

test.each<[string, string, string, string[]]>([
  [
    'a unit of a bet',
    'update bonus_bets set bonus_staked = bonus_staked + 1',
    'update bonus_bets set bonus_staked = bonus_staked - 1',
    [GRANT, BET],
  ],
  [
    'more lost than was paid',
    'update bonus_bets set bonus_lost = bonus_paid + 1',
    'update bonus_bets set bonus_lost = 0',
    [BET],
  ],
  [
    'a unit that was converted',
    `update promo_grants set converted = 1, granted_amount = granted_amount + 1 where kind = 'BONUS'`,
    `update promo_grants set converted = 0, granted_amount = granted_amount - 1 where kind = 'BONUS'`,
    ['converted bonus money does not match the ledger'],
  ],
  [
    'a unit that free rounds have won, and a grant without rounds',
    `update promo_grants set kind = 'FREE_SPINS', converted = 1 where kind = 'CASH'`,
    `update promo_grants set kind = 'CASH', converted = 0 where kind = 'FREE_SPINS'`,
    ['the winnings of free spins do not match their grant'],
  ],
  [
    'a unit of turnover',
    'update bonus_bets set counted = counted + 1',
    'update bonus_bets set counted = counted - 1',
    ["a grant's wagered amount is not the sum of its bets"],
  ],
  [
    'a unit of a grant',
    `update promo_grants set bonus_balance = bonus_balance + 1 where kind = 'BONUS'`,
    `update promo_grants set bonus_balance = bonus_balance - 1 where kind = 'BONUS'`,
    [GRANT, "a player's bonus balance is not the sum of their grants"],
  ],
  [
    'a grant that bets do not see',
    'update players set has_grant = not has_grant',
    'update players set has_grant = not has_grant',
    ['a player with a grant is not marked as having one'],
  ],
  [
    'a reward that was counted twice',
    'update money_hours set count = count + 1',
    'update money_hours set count = count - 1',
    ['hourly reward totals do not match the ledger'],
  ],
  [
    'cash that was granted and not paid',
    `update promo_grants set granted_amount = granted_amount + 1 where kind = 'CASH'`,
    `update promo_grants set granted_amount = granted_amount - 1 where kind = 'CASH'`,
    ['a cash grant does not match exactly one ledger entry'],
  ],
])('%s', async (_, breaks, mends, problems) => {
  await sql.raw(breaks).execute(app.db);
  try {
    expect(await found()).toEqual(problems.toSorted());
  } finally {
    await sql.raw(mends).execute(app.db);
  }
  expect(await found()).toEqual([]);
});
