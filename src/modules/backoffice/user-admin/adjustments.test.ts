/** Tests balances set by staff. Amounts above the threshold require a reason and a second person, even when they are split. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';

// Each test has its own staff members, because all amounts that one person moves are added up.
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
  app.db
    .selectFrom('staff_values')
    .selectAll()
    .where('operation', '=', 'balance')
    .where(sql<boolean>`(input->>'userId')::int4 = ${id}`)
    .orderBy('created_at')
    .execute();
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

describe('balance adjustments at the threshold and above', () => {
  test('stores a proposal, sets the balance when another person makes the same call, and audits both', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    expect(codeOf(await set(one, player, '1010.000001'))).toBe('400 REASON_REQUIRED');
    const refused = await set(one, player, '1010.000001', { reason });
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect([codeOf(refused), refused.body.details]).toEqual([
      '409 APPROVAL_NEEDED',
      {
        proposalId: expect.any(String),
        expiresAt: isoTime,
        userId: player.id,
        currencyId: 'USDT',
        before: '10',
        after: '1010.000001',
        usdAmount: '1000.000001',
      },
    ]);
    const { proposalId, expiresAt } = refused.body.details;
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(await cashOf(player)).toBe('10');
    // The proposer cannot approve the proposal by repeating the call with another reason or key.
    for (const more of [{ reason }, { reason: 'Because.' }, {}, { reason, key: randomUUID() }])
      expect((await set(one, player, '1010.000001', more)).body).toMatchObject({ details: { proposalId } });
    expect(await rowsOf(player)).toHaveLength(1);
    expect(codeOf(await set(other, player, '1010.000001'))).toBe('200');
    expect(await cashOf(player)).toBe('1010.000001');
    expect(await changesOf(player)).toEqual([
      [
        one.id,
        409,
        null,
        {
          userId: player.id,
          currencyId: 'USDT',
          before: '10',
          after: '1010.000001',
          proposalId,
          expiresAt,
          usdAmount: '1000.000001',
        },
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
    // A proposal can be used only once, so the next call stores a new one.
    expect(codeOf(await set(other, player, '10', { reason }))).toBe('409 APPROVAL_NEEDED');
  });

  test('lets one person adjust a balance by less than 1,000 dollars, and requires two people from that amount on', async () => {
    const [up, down] = [await app.newPlayer(), await app.newPlayer({ usdt: 2000.5 })];
    expect(codeOf(await set(one, up, '1000', { reason }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(one, up, '999.999999'))).toBe('200');
    expect(codeOf(await set(other, down, '1000.5', { reason }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(other, down, '1000.500001'))).toBe('200');
    const rich = await app.newPlayer();
    const third = await app.as('superadmin');
    expect(codeOf(await set(third, rich, '0.01052632', { currencyId: 'BTC', reason }))).toBe(
      '409 APPROVAL_NEEDED',
    );
    expect(codeOf(await set(third, rich, '0.01052631', { currencyId: 'BTC' }))).toBe('200');
  });

  test('stores a new proposal when the target or currency differs or the balance has changed', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const { proposalId } = await propose(one, player, '5000');
    await propose(other, player, '5001');
    await propose(other, player, '5000', { currencyId: 'USDC' });
    await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '4' } });
    const anew = await propose(other, player, '5000');
    expect(anew.before).toBe('6');
    expect(anew.proposalId).not.toBe(proposalId);
    expect(await cashOf(player)).toBe('6');
    // The first person now approves the second person's proposal for the current difference.
    expect(codeOf(await set(one, player, '5000'))).toBe('200');
    expect(await cashOf(player)).toBe('5000');
  });

  test('does not accept a proposal that is older than 24 hours', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const { proposalId } = await propose(one, player, '5000');
    const past = { expires_at: new Date(Date.now() - 1000) };
    await app.db.updateTable('staff_values').set(past).where('id', '=', proposalId).execute();
    const anew = await propose(other, player, '5000');
    expect(anew.proposalId).not.toBe(proposalId);
    expect(await cashOf(player)).toBe('10');
  });

  test("rejects an approver who created the proposer's account or whose account the proposer created", async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const opened = { opened_by: one.id };
    await app.db.updateTable('users').set(opened).where('id', '=', other.id).execute();
    const { proposalId } = await propose(one, player, '5000');
    expect((await propose(other, player, '5000')).proposalId).toBe(proposalId);
    expect(await cashOf(player)).toBe('10');
    expect(codeOf(await set(await app.as('superadmin'), player, '5000'))).toBe('200');
  });

  test('accepts a proposal from the main API that is approved in the backoffice', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    await propose(one, player, '5000');
    const body = { balance: '5000', currencyId: 'USDT' };
    const agree = (token: string) => backoffice.call('PUT', `/user/${player.id}/balance`, { token, body });
    expect(codeOf(await agree(one.token))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await agree(other.token))).toBe('200');
    expect(await cashOf(player)).toBe('5000');
  });

  test('returns the stored response for a repeated key, even to the proposer after the approval', async () => {
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

  test('requires two people when the currency has no reliable rate', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const { rateOf } = app.services.currencies;
    app.services.currencies.rateOf = (id) => ({ ...rateOf(id), stale: true });
    expect((await set(one, player, '11', { reason })).body).toMatchObject({
      code: 'APPROVAL_NEEDED',
      details: { usdAmount: null },
    });
    // No approval is needed if the balance is already correct.
    expect(codeOf(await set(one, player, '10'))).toBe('200');
    app.services.currencies.rateOf = rateOf;
  });

  test('rejects empty reasons and reasons over 500 characters', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    for (const bad of ['', '   ', 'x'.repeat(501)])
      expect(codeOf(await set(one, player, '11', { reason: bad }))).toBe('400 VALIDATION_FAILED');
  });
});

describe('amounts moved by one person within a day', () => {
  test('adds up the amounts that one staff member moves for many players', async () => {
    const players = await Promise.all(Array.from({ length: 5 }, () => app.newPlayer()));
    const codes = [];
    for (const player of players) codes.push(codeOf(await set(one, player, '249', { reason })));
    expect(codes).toEqual(['200', '200', '200', '200', '409 APPROVAL_NEEDED']);
    // Amounts that two people approved, or that were moved more than a day ago, are not included in the sum.
    expect(codeOf(await set(other, players[4]!, '249'))).toBe('200');
    await sql`update staff_values set carried_out_at = now() - interval '24 hours' where actor_id = ${one.id}`.execute(
      app.db,
    );
    expect(codeOf(await set(one, await app.newPlayer(), '999'))).toBe('200');
  });

  test('adds up the amounts that many staff members move for one player, in both directions', async () => {
    const player = await app.newPlayer();
    const staff = await Promise.all(Array.from({ length: 4 }, () => app.as('superadmin')));
    expect(codeOf(await set(staff[0]!, player, '400'))).toBe('200');
    expect(codeOf(await set(staff[1]!, player, '100'))).toBe('200');
    expect(codeOf(await set(staff[2]!, player, '401', { reason }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(staff[2]!, player, '399'))).toBe('200');
    expect(codeOf(await set(staff[3]!, player, '400', { reason }))).toBe('409 APPROVAL_NEEDED');
    // The sum is computed separately for each player.
    expect(codeOf(await set(staff[3]!, await app.newPlayer(), '999'))).toBe('200');
  });

  test('keeps the total below the threshold when 8 calls for 8 players run concurrently', async () => {
    const players = await Promise.all(Array.from({ length: 8 }, () => app.newPlayer()));
    const answers = await Promise.all(players.map((player) => set(one, player, '300', { reason })));
    expect(tally(answers.map(codeOf))).toEqual({ 200: 3, '409 APPROVAL_NEEDED': 5 });
  });

  test('applies a raised threshold from the next day on and a lowered one immediately', async () => {
    const configure = async (adjustmentApprovalUsd: string) =>
      expect(
        (await one.call('PATCH', '/admin/config/WITHDRAWALS', { body: { adjustmentApprovalUsd } })).status,
      ).toBe(200);
    const player = await app.newPlayer();
    await configure('999999999');
    expect(codeOf(await set(one, player, '1001', { reason }))).toBe('409 APPROVAL_NEEDED');
    await configure('50');
    expect(codeOf(await set(one, player, '50', { reason }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(one, player, '49'))).toBe('200');
    await configure('1000');
    expect(codeOf(await set(other, await app.newPlayer(), '51', { reason }))).toBe('409 APPROVAL_NEEDED');
  });
});

describe('concurrent balance adjustments', () => {
  test('sets the balance once when 20 people approve the same proposal through two services', async () => {
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
    // Only one call changes the balance. For the others, the balance is already 5,000.
    expect(tally(answers.map(codeOf))).toEqual({ 200: 20 });
    const carriedOut = (await rowsOf(player)).filter(({ carried_out_at }) => carried_out_at);
    expect([await cashOf(player), carriedOut.length]).toEqual(['5000', 1]);
  });

  test('moves exactly the proposed amount while the player bets', async () => {
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
      select l.amount::text as moved, (abs((v.input->>'after')::numeric - (v.input->>'before')::numeric) * 1e8)::int8::text as difference
      from staff_values v join ledger_lines l on l.entry_id = v.entry_id
      where v.operation = 'balance' and (v.input->>'userId')::int4 = ${player.id} and l.user_id = ${player.id}`.execute(
      app.db,
    );
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

test('reports an adjustment without a matching ledger entry in reconciliation', async () => {
  const spoilt = await startApp({ reconcileOnStop: false });
  const boss = await spoilt.as('superadmin');
  const player = await spoilt.newPlayer();
  expect(codeOf(await set(boss, player, '5'))).toBe('200');
  await spoilt.assertInvariants();
  await spoilt.db
    .updateTable('staff_values')
    .set({ input: sql`jsonb_set(input, '{after}', '"6"')` })
    .where(sql<boolean>`(input->>'userId')::int4 = ${player.id}`)
    .execute();
  const { findings } = await reconcile(spoilt.db, { seedSecret: spoilt.config.SEED_SECRET });
  expect(findings.map(({ problem }) => problem)).toEqual([
    'an adjustment by staff does not match the ledger',
  ]);
  await spoilt.stop();
});
