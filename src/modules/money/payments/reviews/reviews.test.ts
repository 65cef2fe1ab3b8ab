import { beforeAll, describe, expect, test } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  approve,
  aReviewer,
  aSmallDeposit,
  aStrangeDeposit,
  decideByTwo,
  newestDeposit,
  reject,
  review,
} from '../../../../../test/kit/money/deposit-reviews.ts';
import {
  giveAddress,
  NOWPAYMENTS_ENV,
  notifyPayment,
  paymentTo,
  tell,
  webhookOf,
} from '../../../../../test/kit/money/deposits.ts';
import { units } from '../../../../platform/money.ts';

const app = fixture(() => startApp({ env: NOWPAYMENTS_ENV }));
const other = fixture(() => startApp({ database: app.database, env: NOWPAYMENTS_ENV }));

let staff: [Player, Player];
beforeAll(async () => {
  staff = [await aReviewer(app), await aReviewer(app)];
});
const rowOf = (id: string) =>
  app.db.selectFrom('deposits').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const stateOf = async (id: string) =>
  (await app.db.selectFrom('deposit_reviews').select('state').where('deposit_id', '=', id).execute()).map(
    ({ state }) => state,
  );
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code}`;

test('lists deposits under review with their reasons and possible actions', async () => {
  const { deposit, player } = await aSmallDeposit(app);
  const { body } = await staff[0].call('GET', `/admin/payments/deposit/review?userId=${player.id}`);
  expect(body).toMatchObject({
    total: 1,
    data: [
      {
        id: deposit.id,
        status: 'UNDER_REVIEW',
        reasons: ['BELOW_MINIMUM'],
        suspended: '0.5',
        actions: ['CREDIT', 'RETURN', 'WRITE_OFF'],
        proposals: [],
        returned: null,
      },
    ],
  });
});

test('lists players with the same address as candidates for a deposit without a memo', async () => {
  const player = await app.newPlayer();
  const on = { currencyId: 'XRP', networkId: 'ripple' };
  const address = await giveAddress(app.db, player.id, { ...on, memo: '77' });
  await tell(app, webhookOf(address, { ...on, amount: '500' }));
  const { id } = await newestDeposit(app);
  const { body } = await staff[0].call('GET', `/admin/payments/deposit/review?id=${id}`);
  expect(body.data).toMatchObject([
    { userId: null, reasons: ['ADDRESS_UNKNOWN'], candidates: [{ id: player.id }] },
  ]);
});

describe('CREDIT', () => {
  test('lets one person credit a small deposit, under the same key as the automatic credit', async () => {
    const { deposit, player } = await aSmallDeposit(app);
    const { status, body } = await review(staff[0], deposit.id, { action: 'CREDIT' });
    expect([status, body.status, body.suspended]).toEqual([201, 'COMPLETED', '0']);
    expect(await cashOf(player)).toBe('0.5');
    expect((await rowOf(deposit.id)).credit_key).toBe(`deposit:${deposit.output_key}`);
    // A repeated report credits nothing.
    expect(codeOf(await review(staff[0], deposit.id, { action: 'CREDIT' }))).toBe(
      '409 DEPOSIT_NOT_REVIEWABLE',
    );
  });

  test('requires a second person to credit an amount that differs from the reported one', async () => {
    const { deposit, player } = await aSmallDeposit(app);
    const done = await decideByTwo(staff, deposit.id, { action: 'CREDIT', amount: '0.4' });
    expect([done.status, done.body.status]).toEqual([201, 'COMPLETED']);
    expect(await cashOf(player)).toBe('0.4');
    expect(await stateOf(deposit.id)).toEqual(['DONE']);
  });

  test('counts the part of a credit above the received amount towards the limits of both people', async () => {
    const pair = [await aReviewer(app), await aReviewer(app)] as const;
    const { deposit, player } = await aSmallDeposit(app);
    const done = await decideByTwo(pair, deposit.id, { action: 'CREDIT', amount: '6000.5' });
    expect([done.status, await cashOf(player)], done.text).toEqual([201, '6000.5']);
    const counted = await app.db
      .selectFrom('staff_values')
      .select(['actor_id', 'agreed_by', 'usd_amount'])
      .where('operation', '=', 'deposit.review')
      .where('actor_id', '=', pair[0].id)
      .execute();
    expect(counted).toEqual([{ actor_id: pair[0].id, agreed_by: pair[1].id, usd_amount: units('6000') }]);
    for (const others of [
      [pair[0], staff[1]],
      [staff[0], pair[1]],
    ] as const) {
      const next = await aSmallDeposit(app);
      const refused = await decideByTwo(others, next.deposit.id, { action: 'CREDIT', amount: '4001' });
      expect(codeOf(refused)).toBe('403 STAFF_VALUE_LIMIT');
      expect(await cashOf(next.player)).toBe('0');
    }
    const exact = await aStrangeDeposit(app, { amount: '50000' });
    const assigned = await decideByTwo(pair, exact.id, { action: 'ASSIGN', userId: player.id });
    expect(assigned.status, assigned.text).toBe(201);
  });

  test('counts credits by connected accounts as credits by one person', async () => {
    const [one, other] = [await aReviewer(app), await aReviewer(app)];
    await app.db.updateTable('users').set({ opened_by: one.id }).where('id', '=', other.id).execute();
    const big = async () =>
      (await aSmallDeposit(app, { amount: '60', currencyId: 'USDT', networkId: 'bsc' })).deposit.id;
    expect((await review(one, await big(), { action: 'CREDIT' })).status).toBe(201);
    expect(codeOf(await review(other, await big(), { action: 'CREDIT' }))).toBe('409 APPROVAL_NEEDED');
  });

  test("requires a second person once a person's own credits reach the threshold", async () => {
    const alone = await aReviewer(app);
    const big = async (amount: string) => {
      const { deposit } = await aSmallDeposit(app, { amount, currencyId: 'USDT', networkId: 'bsc' });
      return deposit.id;
    };
    for (const amount of ['60', '39'])
      expect((await review(alone, await big(amount), { action: 'CREDIT' })).status, amount).toBe(201);
    expect(codeOf(await review(alone, await big('1'), { action: 'CREDIT' }))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await review(await aReviewer(app), await big('100'), { action: 'CREDIT' }))).toBe(
      '409 APPROVAL_NEEDED',
    );
  });

  test('credits the converted amount of an unlisted coin after two people approve', async () => {
    const player = await app.newPlayer();
    const address = await giveAddress(app.db, player.id);
    const coin = { pay_currency: 'usdcmatic', outcome_amount: 49.5, outcome_currency: 'usdttrc20' };
    await notifyPayment(app, paymentTo(address, { ...coin, actually_paid: 50 }));
    const { id } = await newestDeposit(app);
    expect((await decideByTwo(staff, id, { action: 'CREDIT' })).body).toMatchObject({
      status: 'COMPLETED',
      currencyId: 'USDT',
      amount: '49.5',
      reportedAmount: '50',
    });
    expect(await cashOf(player)).toBe('49.5');
  });

  test('rejects a deposit without an owner, and unconfirmed coins', async () => {
    const { id } = await aStrangeDeposit(app);
    expect(codeOf(await review(staff[0], id, { action: 'CREDIT' }))).toBe('409 DEPOSIT_OWNER_REQUIRED');
    const { deposit } = await aSmallDeposit(app, { currencyId: 'TRX', status: 'DETECTED', confirmations: 1 });
    expect(deposit.status).toBe('UNDER_REVIEW');
    expect(codeOf(await review(staff[0], deposit.id, { action: 'CREDIT' }))).toBe(
      '409 DEPOSIT_NOT_REVIEWABLE',
    );
  });
});

describe('requests with the same idempotency key', () => {
  const sameSixTimes = async (send: () => Promise<{ status: number; text: string }>) => {
    const answers = await Promise.all(Array.from({ length: 6 }, send));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    return answers[0]!;
  };

  test('credits only once, and returns 409 for a different action with the same key', async () => {
    const { deposit, player } = await aSmallDeposit(app);
    const key = `credit-${deposit.id}`;
    const { status } = await sameSixTimes(() => review(staff[0], deposit.id, { action: 'CREDIT' }, key));
    expect(status).toBe(201);
    expect(await cashOf(player)).toBe('0.5');
    expect(codeOf(await review(staff[0], deposit.id, { action: 'WRITE_OFF' }, key))).toBe(
      '409 IDEMPOTENCY_KEY_REUSED',
    );
  });

  test('approves and rejects a proposal only once when the key is repeated', async () => {
    for (const decide of [approve, reject]) {
      const { deposit, player } = await aSmallDeposit(app);
      const { body } = await review(staff[0], deposit.id, { action: 'CREDIT', amount: '0.4' });
      const { proposalId } = body.details;
      const { status } = await sameSixTimes(() =>
        decide(staff[1], deposit.id, proposalId, `k-${proposalId}`),
      );
      expect(status).toBe(201);
      expect(await cashOf(player)).toBe(decide === approve ? '0.4' : '0');
    }
  });
});

describe('ASSIGN', () => {
  test('assigns a deposit to a player and credits it after two people approve', async () => {
    const [player, { id }] = [await app.newPlayer(), await aStrangeDeposit(app)];
    const done = await decideByTwo(staff, id, { action: 'ASSIGN', userId: player.id });
    expect([done.body.status, done.body.userId]).toEqual(['COMPLETED', player.id]);
    expect(await cashOf(player)).toBe('25');
  });

  test("records the player's exceeded limits as findings that staff acknowledge", async () => {
    const [player, { id }] = [await app.newPlayer(), await aStrangeDeposit(app)];
    await app.db
      .insertInto('restrictions')
      .values({ user_id: player.id, excluded_until: new Date(Date.now() + 1e9) })
      .execute();
    await app.db
      .updateTable('players')
      .set({ is_restricted: true })
      .where('user_id', '=', player.id)
      .execute();
    await decideByTwo(staff, id, { action: 'ASSIGN', userId: player.id });
    const listed = async () =>
      (await staff[0].call('GET', `/admin/payments/deposit/review?userId=${player.id}`)).body.data;
    expect(await listed()).toMatchObject([
      { reasons: ['ADDRESS_UNKNOWN', 'SELF_EXCLUDED'], actions: ['ACKNOWLEDGE'] },
    ]);
    expect((await review(staff[0], id, { action: 'ACKNOWLEDGE' })).status).toBe(201);
    expect(await listed()).toEqual([]);
  });

  test('shows when a deposit of a banned player was confirmed and credited, and who acknowledged it when', async () => {
    const player = await app.newPlayer();
    const address = await giveAddress(app.db, player.id);
    const ban = (is_banned: boolean) =>
      app.db.updateTable('players').set({ is_banned }).where('user_id', '=', player.id).execute();
    await ban(true);
    await tell(app, webhookOf(address));
    const read = async (query: string) =>
      (await staff[0].call('GET', `/admin/payments/deposit/review?${query}`)).body.data[0];
    const held = await read(`userId=${player.id}`);
    const at = expect.stringMatching(/^20.*Z$/);
    expect(held).toMatchObject({
      status: 'ON_HOLD',
      reasons: ['USER_BANNED'],
      confirmedAt: at,
      creditedAt: held.confirmedAt,
      actions: ['ACKNOWLEDGE'],
      proposals: [],
    });
    const done = await review(staff[0], held.id, { action: 'ACKNOWLEDGE', reason: 'the ban is right' });
    const decision = {
      action: 'ACKNOWLEDGE',
      state: 'DONE',
      reason: 'the ban is right',
      proposedBy: { id: staff[0].id },
      decidedBy: { id: staff[0].id, username: staff[0].username },
      decidedAt: at,
      decisionReason: null,
    };
    expect(done.body).toMatchObject({ status: 'ON_HOLD', actions: [], proposals: [decision] });
    expect((await read(`id=${held.id}`)).proposals).toMatchObject([decision]);
    await ban(false);
  });

  test('shows why and when a proposal was rejected', async () => {
    const { deposit } = await aSmallDeposit(app);
    const { body } = await review(staff[0], deposit.id, { action: 'WRITE_OFF' });
    expect((await reject(staff[1], deposit.id, body.details.proposalId)).body.proposals).toMatchObject([
      {
        state: 'REJECTED',
        decidedBy: { id: staff[1].id },
        decidedAt: expect.stringMatching(/^20.*Z$/),
        decisionReason: expect.stringMatching(/\w/),
      },
    ]);
  });

  test("rejects an unknown player, the caller's own account and a deposit that has an owner", async () => {
    const [{ id }, { deposit, player }] = [await aStrangeDeposit(app), await aSmallDeposit(app)];
    const assign = (depositId: string, userId: number) =>
      review(staff[0], depositId, { action: 'ASSIGN', userId });
    expect(codeOf(await assign(id, 2_000_000_000))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await assign(id, staff[0].id))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await assign(deposit.id, player.id))).toBe('409 DEPOSIT_NOT_REVIEWABLE');
    await app.db.updateTable('users').set({ opened_by: staff[0].id }).where('id', '=', player.id).execute();
    expect(codeOf(await assign(id, player.id))).toBe('403 ACCOUNT_CONNECTED');
    expect(codeOf(await review(staff[0], deposit.id, { action: 'CREDIT' }))).toBe('403 ACCOUNT_CONNECTED');
  });
});

describe('WRITE_OFF', () => {
  test('books a low-value deposit as fees after two people approve, and shows it to the player as failed', async () => {
    const { deposit, player } = await aSmallDeposit(app);
    await decideByTwo(staff, deposit.id, { action: 'WRITE_OFF' });
    expect((await rowOf(deposit.id)).status).toBe('WRITTEN_OFF');
    expect((await player.call('GET', '/payments/deposit')).body.data).toMatchObject([{ status: 'FAILED' }]);
    expect((await player.call('GET', '/payments/deposit?status=FAILED')).body.total).toBe(1);
  });

  test('writes off an unlisted coin and an unreadable report, and rejects listed coins with a value', async () => {
    const { address } = await aSmallDeposit(app);
    await notifyPayment(app, paymentTo(address, { pay_currency: 'usdcmatic' }));
    await decideByTwo(staff, (await newestDeposit(app)).id, { action: 'WRITE_OFF' });
    await tell(app, { odd: Math.random() });
    await decideByTwo(staff, (await newestDeposit(app)).id, { action: 'WRITE_OFF' });
    const { id } = await aStrangeDeposit(app);
    expect(codeOf(await review(staff[0], id, { action: 'WRITE_OFF' }))).toBe('409 DEPOSIT_NOT_REVIEWABLE');
  });

  test('reverses a write-off when the coins later disappear from the chain', async () => {
    const { deposit, address } = await aSmallDeposit(app, { txHash: 'ab'.repeat(32) });
    await decideByTwo(staff, deposit.id, { action: 'WRITE_OFF' });
    const reversal = { amount: '0.5', txHash: 'ab'.repeat(32), status: 'REVERSED' };
    await tell(app, webhookOf(address, reversal));
    expect((await rowOf(deposit.id)).status).toBe('REVERSED');
    await app.assertInvariants();
  });
});

describe('proposals', () => {
  test('lists proposals, and lets only a second person approve each of them, once', async () => {
    const { id } = await aStrangeDeposit(app);
    const owner = await app.newPlayer();
    const body = { action: 'ASSIGN', userId: owner.id };
    const { proposalId } = (await review(staff[0], id, body)).body.details;
    expect((await review(staff[1], id, body)).body.details.proposalId).toBe(proposalId);
    expect(codeOf(await approve(staff[0], id, proposalId))).toBe('409 SECOND_PERSON_NEEDED');
    await app.db.updateTable('users').set({ opened_by: staff[0].id }).where('id', '=', staff[1].id).execute();
    expect(codeOf(await approve(staff[1], id, proposalId))).toBe('409 SECOND_PERSON_NEEDED');
    await app.db.updateTable('users').set({ opened_by: null }).where('id', '=', staff[1].id).execute();
    const listed = await staff[0].call('GET', `/admin/payments/deposit/review?id=${id}`);
    expect(listed.body.data[0].proposals).toMatchObject([
      {
        id: proposalId,
        state: 'PROPOSED',
        userId: owner.id,
        user: { id: owner.id, username: owner.username },
        proposedBy: { id: staff[0].id },
        decidedBy: null,
      },
    ]);
    expect((await approve(staff[1], id, proposalId)).status).toBe(201);
    expect(codeOf(await approve(staff[1], id, proposalId))).toBe('409 DEPOSIT_PROPOSAL_CHANGED');
  });

  test('ends proposals when they are rejected, after a day, and when the deposit changes', async () => {
    const player = await app.newPlayer();
    const body = { action: 'ASSIGN', userId: player.id };
    const propose = async (id: string) =>
      (await review(staff[0], id, body)).body.details.proposalId as string;
    const { id } = await aStrangeDeposit(app);
    expect((await reject(staff[1], id, await propose(id))).status).toBe(201);
    const old = await propose(id);
    await app.db
      .updateTable('deposit_reviews')
      .set({ expires_at: new Date(0) })
      .where('id', '=', old)
      .execute();
    expect(codeOf(await approve(staff[1], id, old))).toBe('409 DEPOSIT_PROPOSAL_CHANGED');
    const third = await propose(id);
    await app.db
      .updateTable('deposits')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .execute();
    expect(codeOf(await approve(staff[1], id, third))).toBe('409 DEPOSIT_PROPOSAL_CHANGED');
    expect((await stateOf(id)).sort((a, b) => a.localeCompare(b))).toEqual(['LAPSED', 'LAPSED', 'REJECTED']);
    expect(await cashOf(player)).toBe('0');
  });

  test('ends proposals when the chain reverses the deposit', async () => {
    const txHash = 'cd'.repeat(32);
    const { address, deposit, player } = await aSmallDeposit(app, { txHash });
    const proposed = await review(staff[0], deposit.id, { action: 'CREDIT', amount: '0.3' });
    await tell(app, webhookOf(address, { amount: '0.5', txHash, status: 'REVERSED' }));
    expect(await stateOf(deposit.id)).toEqual(['LAPSED']);
    expect(codeOf(await approve(staff[1], deposit.id, proposed.body.details.proposalId))).toBe(
      '409 DEPOSIT_PROPOSAL_CHANGED',
    );
    expect([(await rowOf(deposit.id)).status, await cashOf(player)]).toEqual(['REVERSED', '0']);
  });

  test('records proposals in the audit log for both people', async () => {
    const { deposit } = await aSmallDeposit(app);
    await decideByTwo(staff, deposit.id, { action: 'WRITE_OFF' });
    const rows = await app.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('user_id', 'in', [staff[0].id, staff[1].id])
      .orderBy('id', 'desc')
      .limit(2)
      .execute();
    expect(rows.map(({ status_code }) => status_code)).toEqual([201, 409]);
  });
});

test.each([
  [{ action: 'ASSIGN' }, 'userId'],
  [{ action: 'CREDIT', userId: 5 }, 'userId'],
  [{ action: 'RETURN' }, 'address'],
  [{ action: 'WRITE_OFF', amount: '1' }, 'amount'],
])('rejects the request %j with 400', async (body, path) => {
  const { id } = await aStrangeDeposit(app);
  const answer = await review(staff[0], id, body);
  expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
  expect(answer.body.details.fields[0].path).toBe(path);
});

test('credits once when two processes receive 200 decisions about one deposit at the same time', async () => {
  const { deposit, player } = await aSmallDeposit(app);
  const proposed = await review(staff[0], deposit.id, { action: 'CREDIT', amount: '0.4' });
  const { proposalId } = proposed.body.details;
  const exits = Array.from({ length: 200 }, (_, i) => {
    const on = i % 2 ? app : other;
    const call = (method: string, path: string, options: object) =>
      on.call(method, path, { token: staff[1].token, ...options });
    const by = { ...staff[1], call } as Player;
    return i % 4 === 0
      ? review(by, deposit.id, { action: 'CREDIT' })
      : i % 4 === 1
        ? review(by, deposit.id, { action: 'WRITE_OFF' })
        : approve(by, deposit.id, proposalId);
  });
  const answers = await Promise.all(exits);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
  expect(await cashOf(player)).toBe('0.4');
  await app.assertInvariants();
}, 120_000);

test('resolves 50 deposits that are under review for every possible reason, and keeps the books balanced', async () => {
  const player = await app.newPlayer();
  const address = await giveAddress(app.db, player.id);
  const stuck: (() => Promise<unknown>)[] = [
    () => tell(app, webhookOf(`TNobody${Math.random()}`)),
    () => tell(app, webhookOf(address, { amount: '0.5' })),
    () => tell(app, webhookOf(address, { currencyId: 'TRX', amount: '7' })),
    () => tell(app, webhookOf(address, { networkId: 'bsc' })),
    () => tell(app, webhookOf(address, { networkId: 'nowhere' })),
    () => tell(app, webhookOf(address, { currencyId: 'TRX', status: 'DETECTED', confirmations: 0 })),
    () => tell(app, { odd: Math.random() }),
    () => notifyPayment(app, paymentTo(address, { pay_currency: 'usdcmatic' })),
    () => notifyPayment(app, paymentTo(address, { actually_paid: 'many' })),
    () => notifyPayment(app, paymentTo(address, { actually_paid: '90000000000000' })),
  ];
  const before = new Set((await app.db.selectFrom('deposits').select('id').execute()).map(({ id }) => id));
  for (let i = 0; i < 50; i++) await stuck[i % stuck.length]!();
  const opened = (await app.db.selectFrom('deposits').selectAll().execute()).filter(
    ({ id }) => !before.has(id),
  );
  expect(opened.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 'UNDER_REVIEW'));
  await app.assertInvariants();
  for (const { id } of opened) {
    const { actions } = (await staff[0].call('GET', `/admin/payments/deposit/review?id=${id}`)).body.data[0];
    const action = ['WRITE_OFF', 'ASSIGN', 'CREDIT'].find((one) => actions.includes(one));
    const amount = (await rowOf(id)).amount === 0n && action !== 'WRITE_OFF' ? { amount: '1' } : {};
    const owner = action === 'ASSIGN' ? { userId: player.id } : {};
    const answer = await review(staff[0], id, { action, ...owner, ...amount });
    if (answer.status !== 201)
      expect((await approve(staff[1], id, answer.body.details.proposalId)).status, answer.text).toBe(201);
  }
  const left = await app.db
    .selectFrom('deposits')
    .select('status')
    .where(
      'id',
      'in',
      opened.map(({ id }) => id),
    )
    .where('status', 'in', ['UNDER_REVIEW', 'RETURNING'])
    .execute();
  expect(left).toEqual([]);
  await app.assertInvariants();
}, 120_000);
