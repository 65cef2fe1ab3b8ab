/** Calls about bets in a detached month: each response is final, and cases that staff must decide become findings. */
import { beforeAll, expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { back, bet, GENERIC, HUB88, openLab, win } from '../../../../../test/kit/games/provider-wallet.ts';
import { sportsbookKey } from '../../../../../test/kit/games/sportsbook.ts';
import { consumedByAll, detachBefore } from '../../../../../test/kit/months.ts';
import { monthOfId } from '../../../money/ledger/rules.ts';
import { startOf } from '../../../operations/partitions/rules.ts';

const app = fixture(startApp);
const staff = fixture(() => app.as({ permissions: ['casino.read'] }));

/**
 * Creates four players. Three have a provider round, which is expired, ended or correctable, and one has a sportsbook bet. Each has 94 of
 * 100 left.
 */
async function play() {
  const [own, hub88] = [await openLab(app, GENERIC), await openLab(app, HUB88)];
  const [expired, ended, correctable] = [await own.seat(100), await own.seat(100), await hub88.seat(100)];
  for (const [n, { call }] of [expired, ended].entries())
    await call([bet(`b${n}`, 10), win(`w${n}`, 4)], { closes: true });
  await correctable.call([bet('b', 10), win('w', 4, 'b')], { closes: true });
  const sport = await app.newPlayer({ usdt: 100 });
  const headers = await sportsbookKey(app);
  const say = async (
    type: string,
    reason: string,
    id: string,
    more: { cash?: string; parentId?: string } = {},
  ) => {
    const { cash = '0', parentId } = more;
    const at = '2026-11-21T09:30:00.000Z';
    const context = { product: 'sport', reason, betId: 'match', parentId };
    const body = {
      id,
      currency: 'USDT',
      type,
      initiatedAt: at,
      createdAt: at,
      context,
      amountBreakdown: { cash },
    };
    const path = `/sportsbook/external/wallet/${sport.id}/transactions`;
    const answer = await app.call('POST', path, { body: { platform: null, ...body }, headers });
    return answer.status === 200
      ? `OK ${answer.body.balances[0].cash}`
      : `${answer.status} ${answer.body.code}`;
  };
  await say('withdrawal', 'bet', 'bet', { cash: '10' });
  await say('deposit', 'settle', 's0', { cash: '4' });
  await app.db
    .updateTable('provider_rounds')
    .set({ status: 'EXPIRED' })
    .where('user_id', '=', expired.player.id)
    .execute();
  return { expired, ended, correctable, sport, say };
}
let played: Awaited<ReturnType<typeof play>>;
beforeAll(async () => {
  played = await play();
  const { id } = await app.db
    .selectFrom('bets')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const next = monthOfId(id) + 1;
  await app.services.partitions.ensure(startOf(next));
  await betOnDice(await app.newPlayer({ usdt: 1 }));
  await consumedByAll(app);
  await detachBefore(app, next);
});

const findingsOf = async (userId: number) => {
  const { body } = await staff.call('GET', `/admin/casino/findings?userId=${userId}&sortOrder=asc`);
  return body.data.map(({ kind, subject, facts }: any) => [
    kind,
    subject,
    facts.type,
    facts.amount,
    facts.reference,
  ]);
};

test('rejects a late win for an expired, archived round every time, and creates one finding', async () => {
  const { says, player } = played.expired;
  for (let twice = 0; twice < 2; twice++) expect(await says([win('late', 4)])).toBe('ROUND_CLOSED 94');
  expect(await says([], { closes: true })).toBe('OK 94');
  expect(await findingsOf(player.id)).toEqual([['BET_ARCHIVED', 'late', 'WIN', '4', null]]);
});

test('returns stored responses for archived rounds, and accepts a request to end such a round', async () => {
  const { says, player } = played.ended;
  expect(await says([bet('b1', 10), win('w1', 4)], { closes: true })).toBe('OK 94');
  expect(await says([win('w9', 4)])).toBe('ROUND_CLOSED 94');
  expect(await says([back('x1', 'b1')])).toBe('ROUND_CLOSED 94');
  expect(await findingsOf(player.id)).toEqual([]);
});

test('accepts a rollback that the provider would otherwise keep sending, moves no money and creates a finding', async () => {
  const { says, player } = played.correctable;
  for (let twice = 0; twice < 2; twice++) expect(await says([back('x', 'w')])).toBe('OK 94');
  expect(await says([back('y', 'b')])).toBe('OK 94');
  expect(await findingsOf(player.id)).toEqual([
    ['BET_ARCHIVED', 'x', 'ROLLBACK', '4', 'w'],
    ['BET_ARCHIVED', 'y', 'ROLLBACK', '10', 'b'],
  ]);
  const rows = await app.db
    .selectFrom('provider_transactions')
    .select('status')
    .where('user_id', '=', player.id)
    .where('type', '<>', 'ROLLBACK')
    .execute();
  expect(rows).toEqual([{ status: 'DONE' }, { status: 'DONE' }]);
});

test('rejects every sportsbook correction of an archived bet permanently', async () => {
  const { say, sport } = played;
  for (let twice = 0; twice < 2; twice++)
    expect(await say('deposit', 'resettle', 's1', { cash: '2' })).toBe('400 error.general');
  expect(await say('withdrawal', 'cancelsettle', 'c', { cash: '4' })).toBe('400 error.general');
  expect(await say('rollback', 'rollback', 'x0', { parentId: 's0' })).toBe('400 error.general');
  expect(await say('rollback', 'rollback', 'x1', { parentId: 'bet' })).toBe('400 error.general');
  expect(await say('withdrawal', 'bet', 'more', { cash: '1' })).toBe('400 error.general');
  expect(await say('award', 'award', 'a', { cash: '0' })).toBe('OK 94');
  expect(await findingsOf(sport.id)).toEqual([
    ['BET_ARCHIVED', 's1', 'WIN', '2', null],
    ['BET_ARCHIVED', 'c', 'WIN', '-4', null],
    ['BET_ARCHIVED', 'x0', 'ROLLBACK', '4', 's0'],
    ['BET_ARCHIVED', 'x1', 'ROLLBACK', '10', 'bet'],
  ]);
});
