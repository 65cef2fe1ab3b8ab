import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { decide, statusOf, waiting, withdraw } from '../../../../test/kit/money/withdrawals.ts';
import { areConnected, areTwoPeople } from './connected.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
beforeAll(async () => {
  const body = { fourEyesThresholdUsd: '50' };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body })).status).toBe(200);
});

const DECIDES = ['withdraw.approve', 'bet.rollback', 'kyc.approve', 'limit.write', 'withdrawblock.write'];
const RIGHTS = [...DECIDES, 'staff.write', 'user.read'];

/** Creates a staff account as `opener`, grants it permissions as a superadmin, and signs in with it. */
async function openedBy(opener: Player): Promise<Player> {
  const username = `st_${randomBytes(6).toString('hex')}`;
  const email = `${username}@staff.example`;
  const body = { username, email, password: 'corridor battery 9' };
  const answer = await opener.call('POST', '/admin/user/admin-user', { body });
  expect(answer.status, answer.text).toBe(201);
  const { id } = answer.body;
  const rights = { permissions: RIGHTS };
  expect((await boss.call('PUT', `/admin/user/${id}/permissions`, { body: rights })).status).toBe(200);
  // Sets what the owner of the account would set by following the link in the email.
  const own = { email_verified: true, password_is_temporary: false };
  await app.db.updateTable('users').set(own).where('id', '=', id).execute();
  return app.newPlayer({ username });
}

const chief = () => app.as({ permissions: RIGHTS });
const inTx = <T>(work: Parameters<ReturnType<typeof app.services.db.transaction>['execute']>[0]) =>
  app.services.db.transaction().execute(work) as Promise<T>;

test('stores who created an account, and connects the account with its creator but not with other accounts of that creator', async () => {
  const top = await chief();
  const middle = await openedBy(top);
  const [low, other] = [await openedBy(middle), await openedBy(middle)];
  const rows = await app.db
    .selectFrom('users')
    .select(['id', 'opened_by'])
    .where('id', 'in', [middle.id, low.id])
    .execute();
  expect(new Map(rows.map((row) => [row.id, row.opened_by]))).toEqual(
    new Map([
      [middle.id, top.id],
      [low.id, middle.id],
    ]),
  );
  const pairs: [Player, Player, boolean][] = [
    [top, middle, true],
    [top, low, true],
    [middle, low, true],
    [low, low, true],
    [low, other, false],
    [top, boss, false],
  ];
  for (const [a, b, connected] of pairs) {
    expect(await inTx((tx) => areConnected(tx, a.id, b.id))).toBe(connected);
    expect(await inTx((tx) => areConnected(tx, b.id, a.id))).toBe(connected);
  }
  expect(await inTx((tx) => areTwoPeople(tx, [top.id, low.id, middle.id, top.id]))).toBe(false);
  expect(await inTx((tx) => areTwoPeople(tx, [top.id, low.id, other.id]))).toBe(true);
  expect(await inTx((tx) => areTwoPeople(tx, []))).toBe(false);
});

describe('accounts created by the same staff member', () => {
  test("does not let an account and its creator approve each other's withdrawals", async () => {
    const thief = await chief();
    const [one, two] = [await openedBy(thief), await openedBy(thief)];
    const third = await openedBy(two);
    await app.call('GET', '/debug/me/give-money?amount=200', { token: thief.token });
    const { body } = await withdraw(thief, { amount: '100' });
    for (const puppet of [one, two, third])
      for (const decision of ['approve', 'retry', 'reject'] as const)
        expect(codeOf(await decide(puppet, decision, body.id))).toBe('403 ACCOUNT_CONNECTED');
    expect(await statusOf(app, body.id)).toBe('WAITING_FOR_APPROVAL');

    await app.call('GET', '/debug/me/give-money?amount=200', { token: third.token });
    const theirs = (await withdraw(third, { amount: '100' })).body.id;
    for (const opener of [two, thief])
      expect(codeOf(await decide(opener, 'approve', theirs))).toBe('403 ACCOUNT_CONNECTED');
    expect(await statusOf(app, theirs)).toBe('WAITING_FOR_APPROVAL');
    // Colleagues whose accounts are not connected with either of the two accounts can approve it.
    for (const colleague of [await chief(), await chief()])
      expect((await decide(colleague, 'approve', theirs)).status).toBe(201);
    expect(await statusOf(app, theirs)).toBe('APPROVED');
  });

  test('counts an account and its creator as one person when a withdrawal needs two approvers', async () => {
    const opener = await chief();
    const puppet = await openedBy(await openedBy(opener));
    for (const [first, second] of [
      [opener, puppet],
      [puppet, opener],
    ] as const) {
      const { id } = await waiting(app, { amount: '60' });
      expect((await decide(first, 'approve', id)).body.status).toBe('WAITING_FOR_APPROVAL');
      expect(codeOf(await decide(second, 'approve', id))).toBe('409 SECOND_PERSON_NEEDED');
      expect((await decide(await chief(), 'approve', id)).body.status).toBe('APPROVED');
    }
  });

  test('stores one approval, never two, when an account and its creator approve concurrently', async () => {
    const opener = await chief();
    const puppet = await openedBy(opener);
    const { id } = await waiting(app, { amount: '60' });
    const answers = await Promise.all([opener, puppet].map((who) => decide(who, 'approve', id)));
    expect(answers.map(codeOf).sort()).toEqual(['201', '409 SECOND_PERSON_NEEDED']);
    expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
  });

  test.each<[string, (by: Player, owner: Player, betId: string) => ReturnType<Player['call']>]>([
    [
      'rolling back a bet',
      (by, _, betId) => by.call('POST', `/admin/bets/${betId}/rollback`, { body: { reason: 'lost' } }),
    ],
    [
      'approving KYC',
      (by, { id }) =>
        by.call('PATCH', `/admin/kyc/${id}`, {
          body: { tier: 'BASIC', action: 'APPROVE', reason: 'seen' },
        }),
    ],
    ['unblocking withdrawals', (by, { id }) => by.call('DELETE', `/admin/withdrawals-block/${id}`)],
  ])('rejects the action for connected accounts: %s', async (_, act) => {
    const opener = await chief();
    const puppet = await openedBy(opener);
    for (const [by, owner] of [
      [puppet, opener],
      [opener, puppet],
    ] as const) {
      await app.call('GET', '/debug/me/give-money?amount=200', { token: owner.token });
      const { betId } = (await betOnDice(owner)).body;
      expect(codeOf(await act(by, owner, betId))).toBe('403 ACCOUNT_CONNECTED');
    }
  });
});
