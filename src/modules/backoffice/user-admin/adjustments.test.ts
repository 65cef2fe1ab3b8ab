/** Balances set by staff: what is worth more than one person may move alone needs a reason and a second one, whichever way it is cut. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts.ts';
import { betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { reconcile } from '../../operations/reconcile/service.ts';

// Each test has its own, as what one person moves adds up.
let one: Player;
let other: Player;
const app = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
beforeEach(async () => {
  [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
});

type Set = { currencyId?: string; reason?: string; key?: string };
const set = (by: Player, { id }: { id: number }, balance: string, more: Set = {}) => {
  const { currencyId = 'USDT', key, ...rest } = more;
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return by.call('PUT', `/admin/user/${id}/balance`, { body: { balance, currencyId, ...rest }, headers });
};
const reason = 'A jackpot that was not paid.';
const propose = async (by: Player, player: Player, balance: string, more: Set = {}) => {
  const answer = await set(by, player, balance, { reason, ...more });
  expect(codeOf(answer)).toBe('409 APPROVAL_NEEDED');
  return answer.body.details as { proposalId: string; before: string };
};
const rowsOf = ({ id }: Player) =>
  app.db.selectFrom('adjustments').selectAll().where('user_id', '=', id).orderBy('created_at').execute();
const changesOf = async ({ id }: Player) => {
  const rows = await app.db
    .selectFrom('admin_audit')
    .select(['user_id', 'status_code', 'before', 'after', 'reason'])
    .where('path', 'like', `%/user/${id}/balance`)
    .where('after', 'is not', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => [row.user_id, row.status_code, row.before, row.after, row.reason]);
};
const tally = (codes: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(codes, String)].map(([code, { length }]) => [code, length]));

describe('above the threshold', () => {
  test('the first call stores a proposal, the same by another person carries it out; the audit has both', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    expect(codeOf(await set(one, player, '1010.000001'))).toBe('400 REASON_REQUIRED');
    const refused = await set(one, player, '1010.000001', { reason });
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect([codeOf(refused), refused.body.details]).toEqual([
      '409 APPROVAL_NEEDED',
      {
        proposalId: expect.any(String),
        expiresAt: isoTime,
        currencyId: 'USDT',
        before: '10',
        after: '1010.000001',
        usdAmount: '1000.000001',
      },
    ]);
    const { proposalId, expiresAt } = refused.body.details;
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(await cashOf(player)).toBe('10');
    // Whoever has proposed it changes nothing by asking again, with another reason or with a key.
    for (const more of [{ reason }, { reason: 'Because.' }, {}, { reason, key: randomUUID() }])
      expect((await set(one, player, '1010.000001', more)).body).toMatchObject({ details: { proposalId } });
    expect(await rowsOf(player)).toHaveLength(1);
    expect(codeOf(await set(other, player, '1010.000001'))).toBe('200');
    expect(await cashOf(player)).toBe('1010.000001');
    expect(await changesOf(player)).toEqual([
      [
        one.id,
        409,
        { currencyId: 'USDT', balance: '10' },
        { currencyId: 'USDT', balance: '1010.000001', proposalId, expiresAt, usdAmount: '1000.000001' },
        reason,
      ],
      [
        other.id,
        200,
        { currencyId: 'USDT', balance: '10' },
        { currencyId: 'USDT', balance: '1010.000001', proposalId, proposedBy: one.id },
        reason,
      ],
    ]);
    expect(await rowsOf(player)).toMatchObject([
      { actor_id: one.id, agreed_by: other.id, entry_id: expect.any(BigInt), id: proposalId },
    ]);
    // Once: the next one like it is a proposal of its own.
    expect(codeOf(await set(other, player, '10', { reason }))).toBe('409 APPROVAL_NEEDED');
  });

  test('1,000 dollars are for one, up and down; a unit more is for two', async () => {
    const [up, down] = [await app.newPlayer(), await app.newPlayer({ usdt: 2000.5 })];
    expect(codeOf(await set(one, up, '1000'))).toBe('200');
    expect(codeOf(await set(other, down, '1000.499999', { reason }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(other, down, '1000.5'))).toBe('200');
    const rich = await app.newPlayer();
    const third = await app.as('superadmin');
    expect(codeOf(await set(third, rich, '0.01052632', { currencyId: 'BTC', reason }))).toBe(
      '409 APPROVAL_NEEDED',
    );
    expect(codeOf(await set(third, rich, '0.01052631', { currencyId: 'BTC' }))).toBe('200');
  });

  test('two agree on an amount that moves: another target or currency, or a balance that has changed, is another proposal', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const { proposalId } = await propose(one, player, '5000');
    await propose(other, player, '5001');
    await propose(other, player, '5000', { currencyId: 'USDC' });
    await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '4' } });
    const anew = await propose(other, player, '5000');
    expect(anew.before).toBe('6');
    expect(anew.proposalId).not.toBe(proposalId);
    expect(await cashOf(player)).toBe('6');
    // Now it is the first one who agrees to what moves now.
    expect(codeOf(await set(one, player, '5000'))).toBe('200');
    expect(await cashOf(player)).toBe('5000');
  });

  test('a proposal ends after 24 hours', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const { proposalId } = await propose(one, player, '5000');
    const past = { expires_at: new Date(Date.now() - 1000) };
    await app.db.updateTable('adjustments').set(past).where('id', '=', proposalId).execute();
    const anew = await propose(other, player, '5000');
    expect(anew.proposalId).not.toBe(proposalId);
    expect(await cashOf(player)).toBe('10');
  });

  test('staff who opened the account of the first, or were opened by them, are no second person', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const opened = { opened_by: one.id };
    await app.db.updateTable('users').set(opened).where('id', '=', other.id).execute();
    const { proposalId } = await propose(one, player, '5000');
    expect((await propose(other, player, '5000')).proposalId).toBe(proposalId);
    expect(await cashOf(player)).toBe('10');
    expect(codeOf(await set(await app.as('superadmin'), player, '5000'))).toBe('200');
  });

  test('the backoffice counts as the main API does: proposed here, agreed to there', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await propose(one, player, '5000');
    const body = { balance: '5000', currencyId: 'USDT' };
    const agree = (token: string) => backoffice.call('PUT', `/user/${player.id}/balance`, { token, body });
    expect(codeOf(await agree(one.token))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await agree(other.token))).toBe('200');
    expect(await cashOf(player)).toBe('5000');
  });

  test('the same key answers the same; who proposed under a key has that answer also when it was carried out', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const [mine, theirs] = [randomUUID(), randomUUID()];
    const first = await set(one, player, '5000', { reason, key: mine });
    expect(codeOf(await set(other, player, '5000', { key: theirs }))).toBe('200');
    const again = await set(one, player, '5000', { reason, key: mine });
    expect([codeOf(again), again.body.details]).toEqual(['409 APPROVAL_NEEDED', first.body.details]);
    expect(codeOf(await set(other, player, '5000', { key: theirs }))).toBe('200');
    expect(codeOf(await set(other, player, '5001', { reason, key: theirs }))).toBe(
      '409 IDEMPOTENCY_KEY_REUSED',
    );
    expect(await cashOf(player)).toBe('5000');
  });

  test('where nobody knows what it is worth, two are needed', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const { rateOf } = app.services.currencies;
    app.services.currencies.rateOf = (id) => ({ ...rateOf(id), stale: true });
    expect((await set(one, player, '11', { reason })).body).toMatchObject({
      code: 'APPROVAL_NEEDED',
      details: { usdAmount: null },
    });
    // No difference is none, whatever it is worth.
    expect(codeOf(await set(one, player, '10'))).toBe('200');
    app.services.currencies.rateOf = rateOf;
  });

  test('bodies: a reason is a text of up to 500 characters', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    for (const bad of ['', '   ', 'x'.repeat(501)])
      expect(codeOf(await set(one, player, '11', { reason: bad }))).toBe('400 VALIDATION_FAILED');
  });
});

describe('what one person moves alone adds up for a day', () => {
  test('by one member of staff to many players', async () => {
    const players = await Promise.all(Array.from({ length: 5 }, () => app.newPlayer()));
    const codes = [];
    for (const player of players) codes.push(codeOf(await set(one, player, '250', { reason })));
    expect(codes).toEqual(['200', '200', '200', '200', '409 APPROVAL_NEEDED']);
    // What another one agrees to is no longer alone; and yesterday is over.
    expect(codeOf(await set(other, players[4]!, '250'))).toBe('200');
    await sql`update adjustments set carried_out_at = now() - interval '24 hours' where actor_id = ${one.id}`.execute(
      app.db,
    );
    expect(codeOf(await set(one, await app.newPlayer(), '1000'))).toBe('200');
  });

  test('to one player by many members of staff, up and down', async () => {
    const player = await app.newPlayer();
    const staff = await Promise.all(Array.from({ length: 4 }, () => app.as('superadmin')));
    expect(codeOf(await set(staff[0]!, player, '400'))).toBe('200');
    expect(codeOf(await set(staff[1]!, player, '100'))).toBe('200');
    expect(codeOf(await set(staff[2]!, player, '401', { reason }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(staff[2]!, player, '400'))).toBe('200');
    expect(codeOf(await set(staff[3]!, player, '400.01', { reason }))).toBe('409 APPROVAL_NEEDED');
    // Another player of the same staff is another sum.
    expect(codeOf(await set(staff[3]!, await app.newPlayer(), '1000'))).toBe('200');
  });

  test('8 concurrent calls by one member of staff for 8 players: as many go through as the threshold allows', async () => {
    const players = await Promise.all(Array.from({ length: 8 }, () => app.newPlayer()));
    const answers = await Promise.all(players.map((player) => set(one, player, '300', { reason })));
    expect(tally(answers.map(codeOf))).toEqual({ 200: 3, '409 APPROVAL_NEEDED': 5 });
  });

  test('a raised threshold applies from the next day on, a lowered one immediately', async () => {
    const configure = async (adjustmentApprovalUsd: string) =>
      expect(
        (await one.call('PATCH', '/admin/config/WITHDRAWALS', { body: { adjustmentApprovalUsd } })).status,
      ).toBe(200);
    const player = await app.newPlayer();
    await configure('999999999');
    expect(codeOf(await set(one, player, '1001', { reason }))).toBe('409 APPROVAL_NEEDED');
    await configure('50');
    expect(codeOf(await set(one, player, '51', { reason }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(one, player, '50'))).toBe('200');
    await configure('1000');
    expect(codeOf(await set(other, await app.newPlayer(), '51', { reason }))).toBe('409 APPROVAL_NEEDED');
  });
});

describe('concurrently', () => {
  test('20 second persons over two services: carried out once', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await propose(one, player, '5000');
    const body = { balance: '5000', currencyId: 'USDT', reason };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2
          ? set(other, player, '5000', { reason })
          : backoffice.call('PUT', `/user/${player.id}/balance`, { token: other.token, body }),
      ),
    );
    // The others find the balance as it should be.
    expect(tally(answers.map(codeOf))).toEqual({ 200: 20 });
    const carriedOut = (await rowsOf(player)).filter(({ carried_out_at }) => carried_out_at);
    expect([await cashOf(player), carriedOut.length]).toEqual(['5000', 1]);
  });

  test('while the player bets: what two have carried out is what one of them had proposed, to the last unit', async () => {
    const player = await app.newPlayer({ usdt: 1000 });
    for (let round = 0; round < 6; round++) {
      const target = String(round % 2 ? 500 : 5000);
      await Promise.all([
        ...Array.from({ length: 6 }, () => betOnDice(player)),
        set(one, player, target, { reason }),
        set(other, player, target, { reason }),
        set(one, player, target, { reason }),
        set(other, player, target, { reason }),
      ]);
    }
    const { rows } = await sql<{ moved: string; difference: string }>`
      select l.amount::text as moved, abs(a.cash_after - a.cash_before)::text as difference
      from adjustments a join ledger_lines l on l.entry_id = a.entry_id and l.user_id = a.user_id
      where a.user_id = ${player.id}`.execute(app.db);
    for (const { moved, difference } of rows) expect(moved).toBe(difference);
    const adjusted = await app.db
      .selectFrom('ledger_lines')
      .select(['entry_id'])
      .where('user_id', '=', player.id)
      .where('kind', '=', 'admin.adjustment')
      .execute();
    expect(adjusted).toHaveLength(rows.length);
    for (const row of await rowsOf(player))
      if (row.carried_out_at) expect(row.agreed_by === null || row.agreed_by !== row.actor_id).toBe(true);
    await app.assertInvariants();
  });
});

test('the books find an adjustment that the ledger does not know', async () => {
  const spoilt = await startApp({ reconcileOnStop: false });
  const boss = await spoilt.as('superadmin');
  const player = await spoilt.newPlayer();
  expect(codeOf(await set(boss, player, '5'))).toBe('200');
  await spoilt.assertInvariants();
  await spoilt.db
    .updateTable('adjustments')
    .set({ cash_after: 6n })
    .where('user_id', '=', player.id)
    .execute();
  const { findings } = await reconcile(spoilt.db, { seedSecret: spoilt.config.SEED_SECRET });
  expect(findings.map(({ problem }) => problem)).toEqual([
    'what staff has adjusted is not what the ledger says',
  ]);
  await spoilt.stop();
});
