import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ONE } from '../../../../../platform/money.ts';
import type { ReportedTransaction } from '../../engine/rules.ts';
import {
  type Books,
  compareBooks,
  nameOf,
  type OwnRound,
  type OwnTransaction,
  withoutUndone,
} from './rules.ts';

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 10, 20, 12);
const TO = FROM + 60 * MINUTE;
const window = { from: new Date(FROM), to: new Date(TO) };
const at = (minutes: number) => new Date(FROM + minutes * MINUTE);

const theirs = (id: string, more: Partial<ReportedTransaction> = {}): ReportedTransaction => ({
  transactionId: id,
  type: 'BET',
  playerId: '7',
  currencyId: 'USDT',
  amount: ONE,
  round: 'r1',
  gameCode: 'slot',
  at: at(30),
  state: 'DONE',
  isRoundClosed: null,
  reference: null,
  isFree: false,
  ...more,
});
const ours = (id: string, more: Partial<OwnTransaction> = {}): OwnTransaction => ({
  transactionId: id,
  type: 'BET',
  playerId: '7',
  currencyId: 'USDT',
  amount: ONE,
  status: 'DONE',
  refusal: null,
  reference: null,
  round: 'r1',
  at: at(30),
  hasEffect: false,
  ...more,
});
const round = (more: Partial<OwnRound> = {}): OwnRound => ({
  playerId: '7',
  ref: 'r1',
  status: 'OPEN',
  updatedAt: at(30),
  ...more,
});
const back = { type: 'ROLLBACK', reference: 'b' } as const;

const found = (books: Partial<Books>) =>
  compareBooks({ reported: [], own: [], rounds: [], window, ...books }).map(
    ({ kind, subject, unlessUndone }) => `${kind} ${subject}${unlessUndone ? ` unless ${unlessUndone}` : ''}`,
  );

describe('a reported transaction', () => {
  test.each<[string, Partial<ReportedTransaction>, Partial<OwnTransaction>]>([
    ['the same', {}, {}],
    ['a free bet', {}, { type: 'FREE_BET' }],
    ['a free bet that is called one', { type: 'FREE_BET' }, { type: 'FREE_BET' }],
    ['a win of free rounds', { type: 'WIN' }, { type: 'FREE_WIN' }],
    ['a win of free rounds, as free spins', { type: 'FREE_SPIN_WIN' }, { type: 'FREE_WIN' }],
    ['a win of free rounds that is called one', { type: 'FREE_WIN' }, { type: 'FREE_WIN' }],
    ['free spins', { type: 'FREE_SPIN_WIN' }, { type: 'FREE_SPIN_WIN' }],
    ['free spins, as a win of free rounds', { type: 'FREE_WIN' }, { type: 'FREE_SPIN_WIN' }],
    ['a jackpot', { type: 'JACKPOT' }, { type: 'JACKPOT' }],
    ['taken back on both sides', { state: 'UNDONE' }, { status: 'UNDONE' }],
    ['taken back before it came', { state: 'UNDONE' }, { status: 'TOMBSTONE' }],
    ['taken back because it was refused', { state: 'UNDONE' }, { status: 'REFUSED' }],
    ['booked minutes before the window', { at: at(0) }, { at: at(-4) }],
    ['booked minutes after it', { at: at(59) }, { at: at(64) }],
    [
      'a rollback that says another amount',
      { ...back, amount: 5n },
      { ...back, amount: 0n, hasEffect: true },
    ],
  ])('reports no difference: %s', (_, there, here) => {
    expect(found({ reported: [theirs('a', there)], own: [ours('a', here)] })).toEqual([]);
  });

  test.each<[string, Partial<ReportedTransaction>, Partial<OwnTransaction>, string]>([
    ['another amount', { amount: ONE + 1n }, {}, 'AMOUNT a'],
    ['another currency', { currencyId: 'BTC' }, {}, 'AMOUNT a'],
    ['another player', { playerId: '8' }, {}, 'AMOUNT a'],
    ['another type', { type: 'WIN' }, {}, 'AMOUNT a'],
    ['a win that promo pays here', { type: 'WIN' }, { type: 'FREE_SPIN_WIN' }, 'AMOUNT a'],
    ['a free win that the house pays here', { type: 'FREE_SPIN_WIN' }, { type: 'WIN' }, 'AMOUNT a'],
    ['another amount, taken back', { amount: 2n, state: 'UNDONE' }, { status: 'UNDONE' }, 'AMOUNT a'],
    ['done there, refused here', {}, { status: 'REFUSED', amount: 5n }, 'STATE a'],
    ['done there, taken back here', {}, { status: 'UNDONE' }, 'STATE a unless OURS'],
    ['done there, a tombstone here', {}, { status: 'TOMBSTONE', amount: 0n }, 'STATE a unless OURS'],
    ['taken back there alone', { state: 'UNDONE' }, {}, 'STATE a unless THEIRS'],
  ])('reports a difference: %s', (_, there, here, finding) => {
    expect(found({ reported: [theirs('a', there)], own: [ours('a', here)] })).toEqual([finding]);
  });

  test('reports a transaction as missing on our side only if it has an effect', () => {
    expect(found({ reported: [theirs('a')] })).toEqual(['MISSING_HERE a']);
    expect(found({ reported: [theirs('a', { state: 'UNDONE' })] })).toEqual([]);
    expect(found({ reported: [theirs('x', back)] })).toEqual([]);
    expect(found({ reported: [theirs('x', back)], own: [ours('b', { status: 'UNDONE' })] })).toEqual([]);
  });
});

describe('a rollback missing on one side', () => {
  test('reports one difference when only the provider has the rollback', () => {
    const reported = [theirs('b', { state: 'UNDONE' }), theirs('x', back)];
    expect(found({ reported, own: [ours('b')] })).toEqual(['MISSING_HERE x']);
    const refused = ours('x', { ...back, status: 'REFUSED' });
    expect(found({ reported, own: [ours('b'), refused] })).toEqual(['STATE x']);
    const without = ours('x', { ...back, reference: 'other' });
    expect(found({ reported, own: [ours('b'), without] })).toEqual(['STATE b']);
  });

  test('reports one difference when only the platform has stored the rollback', () => {
    const own = [ours('b', { status: 'UNDONE' }), ours('x', { ...back, hasEffect: true })];
    expect(found({ reported: [theirs('b')], own })).toEqual(['MISSING_THERE x']);
    expect(found({ reported: [theirs('b'), theirs('x', back)], own })).toEqual(['STATE b']);
    const later = [own[0]!, ours('x', { ...back, hasEffect: true, at: at(58) })];
    expect(found({ reported: [theirs('b')], own: later })).toEqual([]);
  });

  test('leaves a rollback made after the end of the window to the next comparison', () => {
    const reported = [theirs('b'), theirs('c', { state: 'UNDONE' })];
    const differences = compareBooks({
      reported,
      own: [ours('b', { status: 'UNDONE' }), ours('c')],
      rounds: [],
      window,
    });
    const left = (theirs: string[], ours: string[]) =>
      withoutUndone(differences, { THEIRS: new Set(theirs), OURS: new Set(ours) }).map(
        ({ subject }) => subject,
      );
    expect(left([], [])).toEqual(['b', 'c']);
    expect(left(['b'], ['c'])).toEqual(['b', 'c']);
    expect(left(['c'], ['b'])).toEqual([]);
  });
});

test.each<[number, string[]]>([
  [4.99, []],
  [5, ['MISSING_THERE a']],
  [54.99, ['MISSING_THERE a']],
  [55, []],
])(
  "reports a transaction booked at minute %d of 60 as missing unless it is within 5 minutes of the report's limits",
  (minute, findings) => {
    expect(found({ own: [ours('a', { at: at(minute) })] })).toEqual(findings);
  },
);

test('ignores transactions that have no effect and are missing from the report', () => {
  const own = [
    ours('a', { status: 'REFUSED' }),
    ours('b', { status: 'TOMBSTONE' }),
    ours('c', { status: 'UNDONE' }),
    ours('d', { type: 'ROLLBACK', reference: 'b' }),
  ];
  expect(found({ own })).toEqual([]);
});

describe('a round', () => {
  const reported = [theirs('a', { isRoundClosed: true })];
  const own = [ours('a')];
  test('reports a round as open on our side when it has ended at the provider', () => {
    expect(found({ reported, own, rounds: [round()] })).toEqual(['OPEN_HERE 7:r1']);
    expect(found({ reported: [theirs('a', { isRoundClosed: false })], own, rounds: [round()] })).toEqual([]);
  });
  test.each<[string, Partial<OwnRound>]>([
    ['has ended here', { status: 'CLOSED' }],
    ['has expired here', { status: 'EXPIRED' }],
    ['is of another player', { playerId: '8' }],
    ['has another name', { ref: 'r2' }],
    ['goes on', { updatedAt: at(60) }],
  ])('reports no difference when the round %s', (_, more) => {
    expect(found({ reported, own, rounds: [round(more)] })).toEqual([]);
  });
  test('does not report a round separately when one of its transactions is missing', () => {
    const missing = [...reported, theirs('w', { type: 'WIN', isRoundClosed: true })];
    expect(found({ reported: missing, own, rounds: [round()] })).toEqual(['MISSING_HERE w']);
  });
});

test('includes the data of both sides in a finding', () => {
  const [difference] = compareBooks({
    reported: [theirs('a', { amount: -5n * ONE, type: 'ADJUSTMENT', isFree: true })],
    own: [ours('a', { amount: 4n * ONE, type: 'ADJUSTMENT' })],
    rounds: [],
    window,
  });
  expect(difference).toEqual({
    kind: 'AMOUNT',
    subject: 'a',
    playerId: '7',
    facts: {
      transactionId: 'a',
      theirs: {
        type: 'ADJUSTMENT',
        playerId: '7',
        currencyId: 'USDT',
        amount: '-5',
        at: '2026-11-20T12:30:00.000Z',
        round: 'r1',
        reference: null,
        state: 'DONE',
        gameCode: 'slot',
        isRoundClosed: null,
        isFree: true,
      },
      ours: {
        type: 'ADJUSTMENT',
        playerId: '7',
        currencyId: 'USDT',
        amount: '4',
        at: '2026-11-20T12:30:00.000Z',
        round: 'r1',
        reference: null,
        status: 'DONE',
        refusal: null,
      },
    },
  });
});

describe('complete books of both sides', () => {
  type Pair = { there: ReportedTransaction; here: OwnTransaction };
  type Told = { pairs: Pair[]; round: OwnRound };

  /** A round as recorded on both sides, with wins and with bets that may be rolled back. The provider's clock is `skew` ahead. */
  const roundOf = (
    n: number,
    plan: { minute: number; bets: number; back: boolean; wins: number; skew: number },
  ): Told => {
    const ref = `r${n}`;
    const playerId = String(1 + (n % 3));
    const pairs: Pair[] = [];
    const add = (
      id: string,
      type: 'BET' | 'WIN' | 'ROLLBACK',
      more: { undone?: boolean; reference?: string } = {},
    ) => {
      const here = at(plan.minute + pairs.length / 100);
      const common = {
        type,
        playerId,
        round: ref,
        amount: BigInt(n + 1) * ONE,
        reference: more.reference ?? null,
      };
      const name = `${ref}-${id}`;
      pairs.push({
        here: ours(name, {
          ...common,
          at: here,
          status: more.undone ? 'UNDONE' : 'DONE',
          hasEffect: type === 'ROLLBACK',
        }),
        there: theirs(name, {
          ...common,
          at: new Date(here.getTime() + plan.skew),
          state: more.undone ? 'UNDONE' : 'DONE',
          isRoundClosed: true,
        }),
      });
    };
    for (let i = 0; i < plan.bets; i++) add(`b${i}`, 'BET', { undone: plan.back && i === 0 });
    if (plan.back) add('x', 'ROLLBACK', { reference: `${ref}-b0` });
    for (let i = 0; i < plan.wins; i++) add(`w${i}`, 'WIN');
    return { pairs, round: { playerId, ref, status: 'CLOSED', updatedAt: pairs.at(-1)!.here.at } };
  };

  const plan = fc.record({
    minute: fc.integer({ min: -80, max: 660 }).map((tenths) => tenths / 10),
    bets: fc.integer({ min: 1, max: 3 }),
    back: fc.boolean(),
    wins: fc.integer({ min: 0, max: 2 }),
    skew: fc.integer({ min: -4 * MINUTE, max: 4 * MINUTE }),
  });
  const plant = fc.constantFrom('NONE', 'MISSING_HERE', 'MISSING_THERE', 'AMOUNT', 'STATE', 'OPEN_HERE');
  const inner = ({ minute }: { minute: number }) => minute > 10 && minute < 50;

  test('reports exactly the differences that the test planted', () => {
    const planted = { count: 0 };
    const property = fc.property(
      fc.array(fc.tuple(plan, plant, fc.nat()), { minLength: 1, maxLength: 12 }),
      (plans) => {
        const expected: string[] = [];
        const told = plans.map(([one, kind, which], n) => {
          const { pairs, round } = roundOf(n, one);
          const pair = pairs[which % pairs.length]!;
          const id = pair.there.transactionId;
          const canPlant = inner(one) && kind !== 'NONE' && (!one.back || kind !== 'STATE');
          if (!canPlant) return { pairs, round };
          const { type, status } = pair.here;
          const isUndone = status === 'UNDONE';
          const differs = { AMOUNT: type !== 'ROLLBACK', STATE: true, OPEN_HERE: true };
          if (kind === 'OPEN_HERE') {
            expected.push(`OPEN_HERE ${nameOf(round.playerId, round.ref)}`);
            return { pairs, round: { ...round, status: 'OPEN' as const } };
          }
          if (kind === 'MISSING_HERE' || kind === 'MISSING_THERE') {
            // A bet whose rollback is missing remains booked.
            const changed = pairs.map((p) => {
              if (p !== pair) {
                const isNamed = type === 'ROLLBACK' && p.there.transactionId === pair.there.reference;
                if (!isNamed) return p;
                return kind === 'MISSING_HERE'
                  ? { ...p, here: { ...p.here, status: 'DONE' as const } }
                  : { ...p, there: { ...p.there, state: 'DONE' as const } };
              }
              return kind === 'MISSING_HERE' ? { there: p.there } : { here: p.here };
            });
            if (!isUndone) expected.push(`${kind} ${id}`);
            return { pairs: changed, round };
          }
          if (!differs[kind as keyof typeof differs]) return { pairs, round };
          expected.push(`${kind} ${id}`);
          const changes =
            kind === 'AMOUNT'
              ? { here: { ...pair.here, amount: pair.here.amount + 1n } }
              : { here: { ...pair.here, status: 'REFUSED' as const } };
          return { pairs: pairs.map((p) => (p === pair ? { ...p, ...changes } : p)), round };
        });
        const pairs = told.flatMap((t) => t.pairs as Partial<Pair>[]);
        const reported = pairs.flatMap(({ there }) =>
          there && there.at >= window.from && there.at < window.to ? [there] : [],
        );
        const ids = new Set(reported.flatMap((t) => [t.transactionId, t.reference]));
        const own = pairs.flatMap(({ here }) =>
          here && (ids.has(here.transactionId) || (here.at >= window.from && here.at < window.to))
            ? [here]
            : [],
        );
        planted.count += expected.length;
        const differences = compareBooks({ reported, own, rounds: told.map((t) => t.round), window });
        // Rollbacks outside the window, as recorded on both sides.
        const later = (side: 'here' | 'there') =>
          new Set(pairs.flatMap((p) => (p[side]?.type === 'ROLLBACK' ? [p[side].reference!] : [])));
        const left = withoutUndone(differences, { THEIRS: later('there'), OURS: later('here') });
        const names = left.map(({ kind, subject }) => `${kind} ${subject}`);
        expect(new Set(names)).toEqual(new Set(expected));
        expect(names).toHaveLength(expected.length);
      },
    );
    fc.assert(property, { seed: 72, numRuns: 1000 });
    expect(planted.count).toBeGreaterThan(1000);
  });
});

test('shows the data of both sides to staff', () => {
  const reported = [
    theirs('a'),
    theirs('f', { isFree: null, type: 'WIN' }),
    theirs('c', { isRoundClosed: true, round: 'r2' }),
  ];
  const own = [ours('c', { round: 'r2' })];
  const all = compareBooks({ reported, own, rounds: [round({ ref: 'r2' })], window });
  const told = { currencyId: 'USDT', amount: '1', playerId: '7', at: at(30).toISOString() };
  expect(all).toMatchObject([
    {
      kind: 'MISSING_HERE',
      subject: 'a',
      playerId: '7',
      facts: {
        transactionId: 'a',
        theirs: { ...told, type: 'BET', isFree: false, state: 'DONE' },
        ours: null,
      },
    },
    { kind: 'MISSING_HERE', subject: 'f', facts: { theirs: { type: 'WIN', isFree: null } } },
    {
      kind: 'OPEN_HERE',
      playerId: '7',
      facts: { round: 'r2', gameCode: 'slot', lastBookedAt: at(30).toISOString() },
    },
  ]);
  const [differs] = compareBooks({
    reported: [theirs('a', { playerId: '8' })],
    own: [ours('a')],
    rounds: [],
    window,
  });
  expect(differs).toMatchObject({
    kind: 'AMOUNT',
    playerId: '7',
    facts: { ours: { ...told, status: 'DONE' } },
  });
});

test('does not end rounds because of transactions that belong to no round', () => {
  const reported = [theirs('a', { round: null, isRoundClosed: true })];
  expect(found({ reported, own: [ours('a')], rounds: [round({ ref: 'null' })] })).toEqual([]);
});
