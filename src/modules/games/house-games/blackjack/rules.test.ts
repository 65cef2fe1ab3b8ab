import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cards } from '../../../../../test/kit/games/blackjack.ts';
import { createOracle } from '../../../../../test/kit/games/blackjack-oracle.ts';
import { formatUnits, ONE, parseRate, units } from '../../../../platform/money.ts';
import type { Money, Terms } from '../../betting/rules.ts';
import { stream } from '../../fairness/hash.ts';
import {
  actBlackjack,
  type BlackjackState,
  beginBlackjack,
  giveUpBlackjack,
  replayBlackjack,
  showDealer,
  showHand,
} from './rules.ts';
import { ACTIONS, type Action, availableActions, shuffledDeck } from './table/rules.ts';

const SEED = '0123456789abcdef'.repeat(4);

type RoundTerms = Terms & { side: Money | undefined };
const termsOf = (bet = '10', side?: string, maxProfit = '100000'): RoundTerms => ({
  betUsd: units(bet),
  stake: units(bet),
  rate: parseRate('1')!,
  decimals: 2,
  maxProfitUsd: units(maxProfit),
  side: side === undefined ? undefined : { usd: units(side), units: units(side) },
});

describe('a turn', () => {
  const terms = termsOf('10', '1');
  const start = (top: string) => beginBlackjack(terms, undefined, cards(top)).state;
  const act = (state: BlackjackState, action: Action) => actBlackjack({ ...terms, state }, action, undefined);
  const ten = { usd: units('10'), units: units('10') };
  const five = { usd: units('5'), units: units('5') };

  test('charges the first stake again for a double or a split, but nothing for a hit or a stand', () => {
    expect(act(start('6h 5d 7c Ts 2c'), 'DOUBLE')).toMatchObject({ stake: ten, needs: ten });
    expect(act(start('8h 8d 7c Ts'), 'SPLIT')).toMatchObject({ stake: ten, needs: ten });
    for (const action of ['HIT', 'STAND'] as const) {
      const turn = act(start('6h 5d 7c Ts 2c'), action)!;
      expect([turn.stake, turn.needs]).toEqual([undefined, undefined]);
    }
  });

  test('requires enough money for an action even if a dealer natural prevents it, but then debits only insurance', () => {
    for (const [top, action] of [
      ['6h 5d Ac Ks', 'DOUBLE'],
      ['8h 8d Ac Ks', 'SPLIT'],
    ] as const) {
      const turn = act(start(top), action)!;
      expect(turn).toMatchObject({ needs: ten, state: { actions: [action] } });
      expect(turn.stake).toBeUndefined();
      expect(turn.end).toBeTypeOf('object');
    }
    expect(act(start('8h 8d Ac Ks'), 'INSURANCE')).toMatchObject({ stake: five, needs: five });
    const open = act(start('8h 8d Ac 9s'), 'INSURANCE')!;
    expect(open).toMatchObject({ stake: five, needs: five, state: { table: { insurance: 'TAKEN' } } });
    expect(open.end).toBeUndefined();
    expect(act(start('6h 5d Ac 9s'), 'DOUBLE')).toMatchObject({ stake: ten, needs: ten });
  });

  test('returns undefined for an action that is not allowed', () => {
    for (const action of ['DOUBLE', 'SPLIT', 'INSURANCE'] as const)
      expect(act(start('9h 3d 7c Ts'), action)).toBeUndefined();
    const over = act(start('9h 3d 7c Ts'), 'STAND')!.state;
    for (const action of ACTIONS) expect(act(over, action)).toBeUndefined();
  });

  test("stores a finished round's inputs and outcome without amounts that depend on the currency", () => {
    const insured = act(start('8h 8d Ac 7s 2c 3c'), 'INSURANCE')!.state;
    const split = act(act(insured, 'SPLIT')!.state, 'STAND')!.state;
    expect(act(split, 'STAND')!.end).toEqual({
      inputs: {
        betAmount: '10',
        sideBetAmount: '1',
        actions: ['INSURANCE', 'SPLIT', 'STAND', 'STAND'],
        deck: cards('8h 8d Ac 7s 2c 3c'),
      },
      outcome: {
        dealer: { cards: cards('Ac 7s'), total: 18, isBlackjack: false, isBust: false },
        hands: [
          { ...hand('8h 2c', 10), result: 'LOSE' },
          { ...hand('8d 3c', 11), result: 'LOSE' },
        ],
        insuranceResult: 'LOSE',
        sideBetResult: 'COLORED_PAIR',
      },
      paid: { payout: units('25'), payoutUsd: units('25') },
      undecided: 0n,
    });
  });

  const hand = (text: string, total: number) => ({
    cards: cards(text),
    total,
    isSoft: false,
    isBlackjack: false,
    isBust: false,
    isDoubled: false,
  });
});

describe('the displayed state', () => {
  const play = (terms: RoundTerms, top: string, ...actions: Action[]) => {
    const begun = beginBlackjack(terms, undefined, cards(top));
    return actions.reduce(
      (turn, action) => actBlackjack({ ...terms, state: turn.state }, action, undefined)!,
      begun,
    );
  };
  const outcomeOf = (...of: Parameters<typeof play>) => (play(...of).end as { outcome: object }).outcome;

  test('hides a dealer card and all results during a round', () => {
    const { table } = play(termsOf(), 'Th 9d 7c Ts').state;
    expect(showDealer(table)).toEqual({
      cards: cards('7c'),
      hiddenCards: 1,
      total: 7,
      isBlackjack: false,
      isBust: false,
    });
    expect(showHand(table.hands[0]!, table)).toMatchObject({ total: 19, result: null });
  });

  test('reveals all cards and results at the end of a round', () => {
    const { table } = play(termsOf(), 'Th 9d 7c Ts', 'STAND').state;
    expect(showDealer(table)).toMatchObject({ cards: cards('7c Ts'), hiddenCards: 0, total: 17 });
    expect(showHand(table.hands[0]!, table)).toMatchObject({ result: 'WIN' });
  });

  test('shows an ace and a ten as blackjack, but as 21 after a split', () => {
    expect(outcomeOf(termsOf(), 'Th Ad 7c Ts')).toMatchObject({
      hands: [{ isBlackjack: true, total: 21, result: 'BLACKJACK' }],
    });
    expect(outcomeOf(termsOf(), 'Ah Ad 7c Ts Tc Kc', 'SPLIT')).toMatchObject({
      hands: [
        { isBlackjack: false, total: 21, result: 'WIN' },
        { isBlackjack: false, total: 21, result: 'WIN' },
      ],
    });
  });

  test.each([
    ['won', 'Th 9d Ac Ks', ['INSURANCE'], 'WIN'],
    ['lost', 'Th 9d Ac 7s', ['INSURANCE', 'STAND'], 'LOSE'],
    ['not taken', 'Th 9d Ac 7s', ['STAND'], null],
    ['not offered', 'Th 9d 7c Ts', ['STAND'], null],
  ] as [string, string, Action[], string | null][])(
    'shows an insurance bet that was %s',
    (_, top, actions, result) => {
      expect(outcomeOf(termsOf(), top, ...actions)).toMatchObject({ insuranceResult: result });
    },
  );

  test('shows no result for a pair without a side bet', () => {
    expect(outcomeOf(termsOf(), '8h 8d 7c Ts', 'STAND')).toMatchObject({ sideBetResult: null });
    const withSide = outcomeOf(termsOf('10', '1'), '8h 8d 7c Ts', 'STAND');
    expect(withSide).toMatchObject({ sideBetResult: 'COLORED_PAIR' });
  });

  test('throws for a round that has neither a deck nor seeds', () => {
    expect(() => beginBlackjack(termsOf(), undefined)).toThrow('without a deck has seeds');
  });
});

describe('an abandoned round', () => {
  const terms = termsOf();
  const giveUp = (top: string, ...actions: Action[]) => {
    const begun = beginBlackjack(terms, undefined, cards(top)).state;
    const state = actions.reduce((s, a) => actBlackjack({ ...terms, state: s }, a, undefined)!.state, begun);
    const { end, stake, needs } = giveUpBlackjack({ ...terms, state }, undefined);
    expect([stake, needs]).toEqual([undefined, undefined]);
    if (typeof end !== 'object') throw new Error('is not over');
    return { ...end, paid: formatUnits(end.paid.payoutUsd) };
  };

  test.each([
    ['stands', 'Th 9d 7c Ts', [], ['STAND'], '20'],
    ['stands on every open hand', '8h 8d 7c Ts 2c Tc', ['SPLIT'], ['SPLIT', 'STAND', 'STAND'], '20'],
    ['stands on the second hand', '8h 8d 7c Ts Tc 2c', ['SPLIT', 'STAND'], ['SPLIT', 'STAND', 'STAND'], '20'],
    ['declines insurance', 'Th 9d Ac Ks', [], ['STAND'], '0'],
    ['declines insurance on a natural', 'Th Ad Ac 9s', [], ['STAND'], '25'],
    ['keeps an insurance', 'Th 9d Ac 7s', ['INSURANCE'], ['INSURANCE', 'STAND'], '20'],
  ] as [string, string, Action[], Action[], string][])('%s', (_, top, before, actions, paid) => {
    expect(giveUp(top, ...before)).toMatchObject({ inputs: { actions }, paid });
  });
});

describe('any deck with any allowed actions', () => {
  test('plays any deck to the end, pays like a simple model, hides secret values, and gets the same result on replay', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(round, (game) => {
        const { server, client, nonce, terms, choices } = game;
        const next = () => stream(server, client, nonce);
        const deck = shuffledDeck(next());
        const oracle = createOracle(deck, terms);
        let turn = beginBlackjack(terms, next());
        let staked = terms.betUsd + (terms.side?.usd ?? 0n);
        for (let i = 0; turn.end === undefined; i++) {
          expect(i).toBeLessThan(20);
          const { state } = turn;
          assertHidden(state, deck);
          expect(availableActions(state.table)).toEqual(oracle.allowed());
          const allowed = availableActions(state.table);
          const action = allowed[choices[i]! % allowed.length]!;
          oracle.act(action);
          turn = actBlackjack({ ...terms, state: JSON.parse(JSON.stringify(state)) }, action, next())!;
          staked += turn.stake?.usd ?? 0n;
          seen.set(action, (seen.get(action) ?? 0) + 1);
        }
        if (typeof turn.end !== 'object') throw new Error('void');
        const { inputs, outcome, paid } = turn.end;
        expect(oracle.allowed()).toEqual([]);
        expect({ staked, ...paid }).toEqual(oracle.account());
        const stored = JSON.parse(JSON.stringify({ inputs, outcome }));
        const again = replayBlackjack(stored, next())!;
        expect(again.outcome).toEqual(stored.outcome);
        // The stored terms contain the total stake, not the first stake.
        expect(again.pay({ ...terms, betUsd: staked, stake: staked })).toEqual(paid);
      }),
      { seed: 1, numRuns: 2500 },
    );
    for (const action of ACTIONS) expect(seen.get(action), action).toBeGreaterThan(20);
  });

  test('ends a round abandoned at any point, and gets the same result on replay', () => {
    fc.assert(
      fc.property(round, fc.nat(3), ({ server, client, nonce, terms, choices }, steps) => {
        const next = () => stream(server, client, nonce);
        let turn = beginBlackjack(terms, next());
        for (let i = 0; i < steps && turn.end === undefined; i++) {
          const allowed = availableActions(turn.state.table);
          const action = allowed[choices[i]! % allowed.length]!;
          turn = actBlackjack({ ...terms, state: turn.state }, action, next())!;
        }
        if (turn.end === undefined) turn = giveUpBlackjack({ ...terms, state: turn.state }, next());
        if (typeof turn.end !== 'object') throw new Error('void');
        const again = replayBlackjack(turn.end, next())!;
        expect(again.outcome).toEqual(turn.end.outcome);
        expect(again.pay(terms)).toEqual(turn.end.paid);
      }),
      { seed: 2, numRuns: 1000 },
    );
  });
});

describe('replay', () => {
  const next = () => stream(SEED, 'fair', 3);
  const good = () => {
    const terms = termsOf();
    let turn = beginBlackjack(terms, next());
    while (turn.end === undefined) turn = giveUpBlackjack({ ...terms, state: turn.state }, next());
    return (turn.end as { inputs: object }).inputs;
  };

  test('replays a prearranged deck only without a random stream, and a shuffled deck only with one', () => {
    const inputs = { betAmount: '1', sideBetAmount: null, actions: ['STAND'], deck: cards('Th 9d 7c Ts') };
    expect(replayBlackjack({ inputs }, undefined)).toBeDefined();
    expect(replayBlackjack({ inputs }, next())).toBeUndefined();
    const { deck: _, ...without } = inputs;
    expect(replayBlackjack({ inputs: without }, undefined)).toBeUndefined();
    expect(replayBlackjack({ inputs: good() }, next())).toBeDefined();
    for (const deck of [[1, 2, 3], [], 'Th 9d 7c Ts', { length: 4 }, null])
      expect(replayBlackjack({ inputs: { ...inputs, deck } }, undefined)).toBeUndefined();
  });

  test.each([
    ['nothing', null],
    ['text', 'STAND'],
    ['no actions', { actions: undefined }],
    ['a round that is not over', { actions: [] }],
    ['an action after the end', { actions: ['STAND', 'STAND', 'STAND'] }],
    ['an action that is not offered', { actions: ['INSURANCE', 'STAND'] }],
    ['an unknown action', { actions: ['FOLD'] }],
    ['no amount', { betAmount: undefined }],
    ['a number as amount', { betAmount: 1 }],
    ['a bad amount', { betAmount: '1e3' }],
    ['no word on the side bet', { sideBetAmount: undefined }],
    ['a bad side bet', { sideBetAmount: '-1' }],
    ['a bad deck', { deck: [1, 2, 3] }],
  ])('rejects inputs with %s', (_, change) => {
    const inputs = change !== null && typeof change === 'object' ? { ...good(), ...change } : change;
    expect(replayBlackjack({ inputs }, next())).toBeUndefined();
  });
});

/** The stored state of an open round must contain neither the dealer's second card nor later cards. */
function assertHidden(state: BlackjackState, deck: readonly number[]): void {
  const open = [state.table.hands.map((hand) => hand.cards), state.table.dealer].flat(2);
  expect(state.table.dealer).toEqual([deck[2]]);
  const count = open.length;
  expect(new Set(open)).toEqual(new Set([deck[0], deck[1], deck[2], ...deck.slice(4, count + 1)]));
  const { table, actions, betAmount, sideBetAmount, ...rest } = state;
  const { hands, dealer, active, insurance, ...more } = table;
  expect([rest, more]).toEqual([{}, {}]);
  for (const { cards: _, isDoubled, ...other } of hands)
    expect([typeof isDoubled, other]).toEqual(['boolean', {}]);
  expect([active, insurance, actions, betAmount, sideBetAmount, dealer]).toHaveLength(6);
}

const cents = (max: number) => fc.integer({ min: 1, max }).map((n) => (BigInt(n) * ONE) / 100n);
const round = fc
  .record({
    server: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
    client: fc.constantFrom('fair', 'Lucky 7'),
    nonce: fc.nat(1_000_000),
    bet: cents(100_000),
    side: fc.option(cents(100_000), { nil: undefined }),
    maxProfitUsd: fc.oneof(cents(1000), cents(10_000_000)),
    // Prefers the last of the available actions, so that splits and insurance occur often.
    choices: fc.array(fc.nat(59), { minLength: 20, maxLength: 20 }),
  })
  .map(({ bet, side, maxProfitUsd, ...rest }) => ({
    ...rest,
    terms: {
      betUsd: bet,
      stake: bet,
      rate: parseRate('1')!,
      decimals: 2,
      maxProfitUsd,
      side: side === undefined ? undefined : { usd: side, units: side },
    },
  }));
