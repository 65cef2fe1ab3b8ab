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

const BET = 'bonus money of a bet is not what the ledger has moved for it';
const GRANT = 'a grant is not what became of it';

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
    ['what grants have converted is not what the ledger says'],
  ],
  [
    'a unit that free rounds have won, and a grant without rounds',
    `update promo_grants set kind = 'FREE_SPINS', converted = 1 where kind = 'CASH'`,
    `update promo_grants set kind = 'CASH', converted = 0 where kind = 'FREE_SPINS'`,
    ['what free rounds have won is not what their grant says'],
  ],
  [
    'a unit of turnover',
    'update bonus_bets set counted = counted + 1',
    'update bonus_bets set counted = counted - 1',
    ['the turnover of a grant is not what its bets count'],
  ],
  [
    'a unit of a grant',
    `update promo_grants set bonus_balance = bonus_balance + 1 where kind = 'BONUS'`,
    `update promo_grants set bonus_balance = bonus_balance - 1 where kind = 'BONUS'`,
    [GRANT, 'what the grants of a player hold is not their bonus money'],
  ],
  [
    'a grant that bets do not see',
    'update players set has_grant = not has_grant',
    'update players set has_grant = not has_grant',
    ['a player has a grant that their bets do not know of'],
  ],
  [
    'a reward that was counted twice',
    'update money_hours set count = count + 1',
    'update money_hours set count = count - 1',
    ['an hour of what was given away is not what the ledger says'],
  ],
  [
    'cash that was granted and not paid',
    `update promo_grants set granted_amount = granted_amount + 1 where kind = 'CASH'`,
    `update promo_grants set granted_amount = granted_amount - 1 where kind = 'CASH'`,
    ['a grant of cash has not exactly its entry in the ledger'],
  ],
])('%s', async (_, breaks, mends, problems) => {
  await sql.raw(breaks).execute(app.db);
  try {
    expect(await found()).toEqual(problems);
  } finally {
    await sql.raw(mends).execute(app.db);
  }
  expect(await found()).toEqual([]);
});
