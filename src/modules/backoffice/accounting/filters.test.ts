import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  everyMovement,
  LATEST,
  makeHistory,
  pagesOf,
  type Row,
  shown,
} from '../../../../test/kit/money/movements.ts';
import { units } from '../../../platform/money.ts';

let players: Player[];
let all: Row[];
// Reconciliation is off, because the ledger entries that the test writes have no deposits or withdrawals.
const app = fixture(() => startApp({ reconcileOnStop: false }));
const clerk = fixture(() => app.as({ permissions: ['transaction.read'] }));
beforeAll(async () => {
  players = [];
  for (let i = 0; i < 3; i++) players.push(await app.newPlayer({ usdt: 500 }));
  await makeHistory(app, players, clerk);
  all = await everyMovement(app);
});

const PATH = '/admin/accounting/transactions';
const find = (body: object = {}) => clerk.call('POST', PATH, { body: { ...LATEST, ...body } });
const pages = (body: Row, take?: number) => pagesOf(clerk, body, take);
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();

type Naive = [where: (all: Row[]) => Row, matches: (row: Row, where: Row) => boolean];
const some = (all: Row[], test: (row: Row) => boolean) => all.find(test)!;
const FILTERS: Record<string, Naive> = {
  id: [(all) => ({ id: all[9]!.id }), (row, w) => row.id === w.id],
  'id of no movement': [() => ({ id: '1-IN' }), () => false],
  'malformed id': [() => ({ id: "1' or 1=1" }), () => false],
  userId: [() => ({ userId: players[1]!.id }), (row, w) => row.userId === w.userId],
  'unknown userId': [() => ({ userId: 2_000_000_000 }), () => false],
  username: [
    () => ({ username: players[1]!.username.toUpperCase() }),
    (row) => row.userId === players[1]!.id,
  ],
  'unknown username': [() => ({ username: 'p_' }), () => false],
  'two different users': [() => ({ username: players[1]!.username, userId: players[2]!.id }), () => false],
  ...Object.fromEntries(
    [
      'BET',
      'PAYOUT',
      'DEPOSIT',
      'DEPOSIT_REVERSAL',
      'WITHDRAW',
      'TO_VAULT',
      'CORRECTION',
      'RAKEBACK',
      'CRM_FUNDS',
    ].map((type): [string, Naive] => [`type ${type}`, [() => ({ type }), (row) => row.type === type]]),
  ),
  'direction IN': [() => ({ direction: 'IN' }), (row) => row.direction === 'IN'],
  'direction OUT': [() => ({ direction: 'OUT' }), (row) => row.direction === 'OUT'],
  ...Object.fromEntries(
    ['CASH', 'VAULT', 'BONUS', 'HOLD'].map((wallet): [string, Naive] => [
      `wallet ${wallet}`,
      [() => ({ wallet }), (row) => row.wallet === wallet],
    ]),
  ),
  currencyId: [() => ({ currencyId: 'BTC' }), (row) => row.currencyId === 'BTC'],
  'unknown currency': [() => ({ currencyId: 'NONE' }), () => false],
  'referenceType bet': [() => ({ referenceType: 'bet' }), (row) => row.referenceType === 'bet'],
  'referenceType withdrawal': [
    () => ({ referenceType: 'withdrawal' }),
    (row) => row.referenceType === 'withdrawal',
  ],
  'reference to a withdrawal': [
    () => ({ referenceType: 'withdrawal', referenceId: 'w1' }),
    (row) => row.referenceType === 'withdrawal' && row.referenceId === 'w1',
  ],
  'reference to a deposit and its follow-up entries': [
    () => ({ referenceType: 'deposit', referenceId: 'BTC:f00d:1' }),
    (row) => row.referenceId === 'BTC:f00d:1',
  ],
  'reference to half a deposit': [() => ({ referenceType: 'deposit', referenceId: 'BTC:f00d' }), () => false],
  'reference to a bet': [
    (all) => ({
      referenceType: 'bet',
      referenceId: some(all, (row) => row.type === 'PAYOUT').referenceId,
    }),
    (row, w) => row.referenceType === 'bet' && row.referenceId === w.referenceId,
  ],
  'the id of a reference alone': [() => ({ referenceId: 's1' }), (row) => row.referenceId === 's1'],
  'the id of a bet alone': [
    (all) => ({ referenceId: some(all, (row) => row.type === 'BET').referenceId }),
    (row, w) => row.referenceId === w.referenceId,
  ],
  'reference without movements': [() => ({ referenceType: 'bet', referenceId: '1' }), () => false],
  'a type with wildcards': [() => ({ referenceType: '%' }), () => false],
  'actor is the account owner': [() => ({ actorId: players[0]!.id }), () => false],
  actorId: [() => ({ actorId: clerk.id }), (row) => row.actorId === clerk.id],
  minUsdAmount: [() => ({ minUsdAmount: '5' }), (row) => row.usd >= units('5')],
  maxUsdAmount: [() => ({ maxUsdAmount: '1' }), (row) => row.usd <= units('1')],
  'amounts of exactly': [
    (all) => {
      const { usdAmount } = some(all, (row) => row.currencyId === 'EUR');
      return { minUsdAmount: usdAmount, maxUsdAmount: usdAmount };
    },
    (row, w) => row.usdAmount === w.minUsdAmount,
  ],
  'minimum above maximum': [() => ({ minUsdAmount: '5', maxUsdAmount: '1' }), () => false],
  startDate: [(all) => ({ startDate: all[20]!.createdAt }), (row, w) => row.createdAt >= w.startDate],
  endDate: [(all) => ({ endDate: all[20]!.createdAt }), (row, w) => row.createdAt <= w.endDate],
  'time range': [
    (all) => ({ startDate: all[40]!.createdAt, endDate: all[20]!.createdAt }),
    (row, w) => row.createdAt >= w.startDate && row.createdAt <= w.endDate,
  ],
  'user, type and wallet': [
    () => ({ userId: players[0]!.id, type: 'WITHDRAW', wallet: 'HOLD' }),
    (row, w) => row.userId === w.userId && row.type === 'WITHDRAW' && row.wallet === 'HOLD',
  ],
  'user and frequent type': [
    () => ({ userId: players[0]!.id, type: 'BET' }),
    (row, w) => row.userId === w.userId && row.type === 'BET',
  ],
  'user and actor': [
    () => ({ userId: players[0]!.id, actorId: clerk.id }),
    (row, w) => row.userId === w.userId && row.actorId === w.actorId,
  ],
  'user and kind of reference': [
    () => ({ userId: players[0]!.id, referenceType: 'deposit' }),
    (row, w) => row.userId === w.userId && row.referenceType === 'deposit',
  ],
  'actor, kind of reference and direction': [
    () => ({ actorId: clerk.id, referenceType: 'adjustment', direction: 'OUT' }),
    () => false,
  ],
  'type and time': [
    (all) => ({ type: 'WITHDRAW', startDate: all[60]!.createdAt }),
    (row, w) => row.type === 'WITHDRAW' && row.createdAt >= w.startDate,
  ],
  'id and another reference': [(all) => ({ id: all[0]!.id, referenceId: 's1' }), () => false],
  'id and the other direction': [
    (all) => ({ id: all[0]!.id, direction: all[0]!.direction === 'IN' ? 'OUT' : 'IN' }),
    () => false,
  ],
};

describe('filters', () => {
  test.each(Object.entries(FILTERS))(
    '%s: returns the same movements as a simple filter, in both sort orders',
    async (_, [whereOf, matches]) => {
      const where = whereOf(all);
      const due = shown(all.filter((row) => matches(row, where)));
      const take = Math.min(100, Math.ceil(due.length / 2) || 1);
      const newest = await find({ where, take });
      expect(newest.status, newest.text).toBe(200);
      expect(newest.body).toMatchObject({ total: due.length, data: due.slice(0, take) });
      expect(await pages({ where, sortOrder: 'asc' }, take)).toEqual(due.toReversed());
    },
  );

  test('finds at least one movement with each filter, except for filters that are meant to match none', () => {
    const empty = Object.entries(FILTERS).filter(([, [whereOf, matches]]) => {
      const where = whereOf(all);
      return String(matches) !== '() => false' && !all.some((row) => matches(row, where));
    });
    expect(empty.map(([name]) => name)).toEqual(['type CRM_FUNDS']);
  });
});

describe('sorting by amount', () => {
  test.each(['amount', 'usdAmount'] as const)(
    "%s: sorts and pages one user's movements, with filters",
    async (sortBy) => {
      const mine = all.filter((row) => row.userId === players[0]!.id);
      const key = (row: Row) => (sortBy === 'amount' ? units(row.amount) : row.usd);
      const due = mine.toReversed().sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
      const keysOf = (rows: Row[]) => rows.map((row) => row[sortBy]);
      const where = { userId: players[0]!.id };
      const up = await pages({ where, sortBy, sortOrder: 'asc' }, 11);
      expect(keysOf(up)).toEqual(keysOf(due));
      expect(new Set(up.map((row) => row.id)).size).toBe(due.length);
      const down = await pages({ where, sortBy, sortOrder: 'desc' }, 11);
      expect(down).toEqual(up.toReversed());
      const byName = { username: players[0]!.username, direction: 'OUT' };
      const out = await find({ where: byName, sortBy, sortOrder: 'desc', take: 3 });
      expect(out.body.data).toMatchObject(down.filter((row) => row.direction === 'OUT').slice(0, 3));
    },
  );

  test('rejects sorting by amount when the filter contains no user', async () => {
    for (const where of [undefined, { type: 'BET' }])
      expect(codeOf(await find({ where, sortBy: 'usdAmount' }))).toBe('400 SORT_NEEDS_USER');
  });
});
