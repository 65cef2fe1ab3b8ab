import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { balancesOf } from './balances.ts';
import { openClaimsOf, takeBack } from './claims.ts';
import type { Kind } from './kinds.ts';
import { KINDS } from './kinds.ts';
import { claimRuleOf, post } from './post.ts';
import type { Posting } from './rules.ts';

const app = fixture(() => startApp({ movesFreely: true }));
const ALL = Object.keys(KINDS) as Kind[];
const kindsOf = (rule: string) => ALL.filter((kind) => claimRuleOf(kind) === rule);
// Excludes the kinds of postings that settle bets, because reconciliation expects a bet for each of these postings.
const EXEMPT = ALL.filter(
  (kind) => typeof claimRuleOf(kind) === 'object' && kind !== 'claim.recovery' && !kind.startsWith('bet.'),
);

const book = (userId: number, posting: Pick<Posting, 'kind' | 'debit' | 'credit'>, currencyId = 'USDT') => {
  const postings = [{ userId, currencyId, amount: units('10'), ...posting }];
  return transaction(app.services.db, (tx) =>
    post(tx, [{ key: `test:${randomUUID()}`, kind: posting.kind, postings }]),
  );
};
const owedBy = async ({ id }: Player) => (await openClaimsOf(app.db, id)).get('USDT') ?? 0n;
const cashOf = async ({ id }: Player, currencyId = 'USDT') =>
  (await balancesOf(app.db, id)).find((balance) => balance.currencyId === currencyId)?.cash ?? 0n;

/** Creates a player who owes 4 USDT, has no USDT and has 100 in ETH. */
async function debtor(): Promise<Player> {
  const player = await app.newPlayer();
  await book(player.id, { kind: 'debug.credit', debit: 'adjustments', credit: 'cash' }, 'ETH');
  const key = `test:${randomUUID()}`;
  const kind = 'deposit.reversal';
  const reversal = { userId: player.id, currencyId: 'USDT', amount: units('4'), key } as const;
  await transaction(app.services.db, (tx) =>
    takeBack(tx, { ...reversal, to: 'treasury', kind, entry: { key, kind } }),
  );
  expect(await owedBy(player)).toBe(units('4'));
  return player;
}

test('defines a claim rule for every kind of posting and a reason for every exemption', () => {
  for (const kind of ALL) {
    const rule = claimRuleOf(kind);
    if (typeof rule === 'object') expect(rule.exempt.length, kind).toBeGreaterThan(10);
    else expect(['pays', 'blocked'], kind).toContain(rule);
  }
});

describe('while a claim is open', () => {
  test.each(kindsOf('blocked'))('rejects %s even in another currency', async (kind) => {
    const player = await debtor();
    const leaving = { kind, debit: 'cash', credit: kind === 'vault.to' ? 'vault' : 'tips' } as const;
    await expect(book(player.id, leaving, 'ETH')).rejects.toMatchObject({
      code: 'CLAIMS_OPEN',
      details: { owed: [{ currencyId: 'USDT', amount: '4' }] },
    });
    expect(await cashOf(player, 'ETH')).toBe(units('10'));
  });

  test.each(kindsOf('pays'))('pays the claim from %s', async (kind) => {
    const player = await debtor();
    const [posted] = await book(player.id, { kind, debit: 'house', credit: 'cash' });
    expect(posted!.recovered).toBe(units('4'));
    expect([await owedBy(player), await cashOf(player)]).toEqual([0n, units('6')]);
  });

  test.each(kindsOf('pays'))(
    'does not change the claim when %s arrives in another currency',
    async (kind) => {
      const player = await debtor();
      const [posted] = await book(player.id, { kind, debit: 'house', credit: 'cash' }, 'ETH');
      expect([posted!.recovered, await owedBy(player)]).toEqual([0n, units('4')]);
    },
  );

  test.each(EXEMPT)('books %s without changing the claim', async (kind) => {
    const player = await debtor();
    await book(player.id, { kind, debit: 'house', credit: 'cash' });
    expect([await owedBy(player), await cashOf(player)]).toEqual([units('4'), units('10')]);
  });
});

test('pays a claim only once when an entry is posted twice with the same key', async () => {
  const player = await debtor();
  const kind = 'rakeback.claim';
  const of = { userId: player.id, currencyId: 'USDT', kind, debit: 'rakeback', credit: 'cash' } as const;
  const entry = { key: `test:${randomUUID()}`, kind, postings: [{ ...of, amount: units('3') }] };
  const twice = await transaction(app.services.db, async (tx) => [
    ...(await post(tx, [entry])),
    ...(await post(tx, [entry])),
  ]);
  expect(twice.map(({ recovered }) => recovered)).toEqual([units('3'), 0n]);
  expect([await owedBy(player), await cashOf(player)]).toEqual([units('1'), 0n]);
});
