import { describe, expect, test } from 'vitest';
import { cardOf, cards } from '../../../../../../test/kit/games/blackjack.ts';
import { type Action, act, availableActions, deal, laidDeck, resultOf, type Table } from './rules.ts';

const RANKS = Array.from({ length: 13 }, (_, i) => i);
const isTen = (rank: number) => rank >= 9;
const isNatural = (a: number, b: number) => (a === 0 && isTen(b)) || (b === 0 && isTen(a));

/** All deals by rank: the player's two cards, the dealer's open card and the dealer's hidden card, each in a different suit. */
const deals = RANKS.flatMap((a) =>
  RANKS.flatMap((b) => RANKS.flatMap((up) => RANKS.map((hole) => ({ a, b, up, hole })))),
);
type Deal = (typeof deals)[number];
const deckOf = ({ a, b, up, hole }: Deal) =>
  laidDeck([cardOf(a, 0), cardOf(b, 1), cardOf(up, 2), cardOf(hole, 3)]);

/** Returns the table after some actions, which must be allowed, with a deck that has these cards on top. */
const play = (top: string, ...actions: Action[]): Table => {
  const deck = laidDeck(cards(top));
  return actions.reduce((table, action) => {
    const after = act(table, action, deck);
    if (!after) throw new Error(`${action} is not allowed`);
    return after;
  }, deal(deck));
};
const resultsOf = (table: Table) => table.hands.map((hand) => resultOf(hand, table));

describe('a deal of all 28,561 rank combinations', () => {
  test('ends the round immediately when the player has a natural and the dealer no ace, or when the dealer has a natural with a ten showing', () => {
    const wrong = deals.filter((d) => {
      const { active } = deal(deckOf(d));
      const isOver = d.up !== 0 && (isNatural(d.a, d.b) || isNatural(d.up, d.hole));
      return (active === null) !== isOver;
    });
    expect(wrong).toEqual([]);
  });

  test('shows one dealer card during the round and both at its end', () => {
    const wrong = deals.filter((d) => {
      const { dealer, active } = deal(deckOf(d));
      const [up, hole] = [cardOf(d.up, 2), cardOf(d.hole, 3)];
      return JSON.stringify(dealer) !== JSON.stringify(active === null ? [up, hole] : [up]);
    });
    expect(wrong).toEqual([]);
  });

  test('offers the actions that the cards allow, in a fixed order', () => {
    const points = (rank: number) => Math.min(rank + 1, 10);
    const wrong = deals.filter((d) => {
      const table = deal(deckOf(d));
      const sum = points(d.a) + points(d.b);
      const isPat = isNatural(d.a, d.b);
      const isHard = d.a !== 0 && d.b !== 0;
      const expected = [
        !isPat && 'HIT',
        'STAND',
        isHard && (sum === 10 || sum === 11) && 'DOUBLE',
        points(d.a) === points(d.b) && 'SPLIT',
        d.up === 0 && 'INSURANCE',
      ].filter(Boolean);
      return availableActions(table).join() !== (table.active === null ? '' : expected.join());
    });
    expect(wrong).toEqual([]);
  });

  test('offers insurance only when the dealer shows an ace', () => {
    const wrong = deals.filter((d) => deal(deckOf(d)).insurance !== (d.up === 0 ? 'OFFERED' : 'NONE'));
    expect(wrong).toEqual([]);
  });

  test('ends the round at the first action, without dealing a card, when the dealer shows an ace and either side has a natural', () => {
    const aces = deals.filter((d) => d.up === 0);
    const wrong = aces.filter((d) => {
      const deck = deckOf(d);
      const table = deal(deck);
      return availableActions(table).some((action) => {
        const after = act(table, action, deck)!;
        const isCut = isNatural(d.a, d.b) || isNatural(d.up, d.hole);
        if (after.insurance !== (action === 'INSURANCE' ? 'TAKEN' : 'NONE')) return true;
        if (isCut) return after.active !== null || after.dealer.length !== 2 || after.hands !== table.hands;
        if (action !== 'INSURANCE') return after.dealer.length === 1 && after.hands === table.hands;
        return after.active !== 0 || after.hands !== table.hands || after.dealer.length !== 1;
      });
    });
    expect(aces).toHaveLength(2197);
    expect(wrong).toEqual([]);
  });

  test('rejects every action that is not offered', () => {
    const all: Action[] = ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE'];
    const wrong = deals.filter((d) => {
      const deck = deckOf(d);
      const table = deal(deck);
      const offered = availableActions(table);
      return all.some((action) => (act(table, action, deck) !== undefined) !== offered.includes(action));
    });
    expect(wrong).toEqual([]);
  });
});

describe('naturals', () => {
  test.each([
    ['player, ten up', 'Ah Kd Qc 5s', [], ['BLACKJACK']],
    ['both, ten up', 'Ah Kd Qc As', [], ['PUSH']],
    ['dealer, ten up', 'Th 9d Qc As', [], ['LOSE']],
    ['player, two up', 'Th Ad 2c As', [], ['BLACKJACK']],
    ['player, nine up', 'Jh Ad 9c As', [], ['BLACKJACK']],
    ['player, ace up, stands', 'Ah Kd Ac 5s', ['STAND'], ['BLACKJACK']],
    ['player, ace up, insured', 'Ah Kd Ac 5s', ['INSURANCE'], ['BLACKJACK']],
    ['both, ace up, stands', 'Ah Kd Ac Ts', ['STAND'], ['PUSH']],
    ['both, ace up, insured', 'Ah Kd Ac Ts', ['INSURANCE'], ['PUSH']],
    ['dealer, ace up', 'Th 9d Ac Ks', ['STAND'], ['LOSE']],
    ['dealer, ace up, insured', 'Th 9d Ac Ks', ['INSURANCE'], ['LOSE']],
    ['dealer, ace up, 20 hits', 'Th Jd Ac Ks', ['HIT'], ['LOSE']],
    ['dealer, ace up, doubled', '6h 5d Ac Ks', ['DOUBLE'], ['LOSE']],
    ['dealer, ace up, split', '8h 8d Ac Ks', ['SPLIT'], ['LOSE']],
  ] as [string, string, Action[], string[]][])(
    'ends the round without dealing another card: %s',
    (_, top, actions, results) => {
      const table = play(top, ...actions);
      const [a, b, up, hole] = cards(top);
      expect(table).toMatchObject({
        active: null,
        hands: [{ cards: [a, b], isDoubled: false }],
        dealer: [up, hole],
      });
      expect(availableActions(table)).toEqual([]);
      expect(resultsOf(table)).toEqual(results);
    },
  );

  test('ranks a 21 from three cards below a natural', () => {
    const table = play('5h 6d 9c Js Tc', 'HIT');
    expect(resultsOf(table)).toEqual(['WIN']);
    expect(resultsOf(play('5h 6d 7c 8s Tc 6h', 'HIT'))).toEqual(['PUSH']);
  });
});

describe('insurance', () => {
  test('lets the player continue after insurance when the dealer has no natural, and does not offer insurance again', () => {
    const table = play('5h 6d Ac 7s', 'INSURANCE');
    expect(table).toMatchObject({ active: 0, insurance: 'TAKEN', dealer: cards('Ac') });
    expect(availableActions(table)).toEqual(['HIT', 'STAND', 'DOUBLE']);
    expect(availableActions(play('8h 8d Ac 7s', 'INSURANCE'))).toEqual(['HIT', 'STAND', 'SPLIT']);
  });

  test('treats any other first action as declining insurance', () => {
    const table = play('2h 3d Ac 7s 4c', 'HIT');
    expect(table.insurance).toBe('NONE');
    expect(availableActions(table)).toEqual(['HIT', 'STAND']);
  });
});

describe('hit and stand', () => {
  test('deals cards in order and stands automatically on 21', () => {
    const table = play('2h 3d 7c Ts 4c 5c 7h', 'HIT', 'HIT', 'HIT');
    expect(table).toMatchObject({ active: null, dealer: cards('7c Ts') });
    expect(table.hands[0]!.cards).toEqual(cards('2h 3d 4c 5c 7h'));
    expect(resultsOf(table)).toEqual(['WIN']);
  });

  test('makes a soft hand hard instead of busting it', () => {
    expect(play('Ah 6d 7c Ts Kc', 'HIT')).toMatchObject({ active: 0 });
    expect(availableActions(play('Ah 4d 7c Ts 5c', 'HIT'))).toEqual(['HIT', 'STAND']);
  });

  test('loses when a hand busts, and the dealer then only reveals the hole card', () => {
    const table = play('Th 6d 6c Ts Kc Kd', 'HIT');
    expect(table).toMatchObject({ active: null, dealer: cards('6c Ts') });
    expect(resultsOf(table)).toEqual(['LOSE']);
  });

  test('passes the turn to the dealer, who draws the next cards', () => {
    const table = play('Th 9d 2c 3s 4c 5d 6h', 'STAND');
    expect(table.dealer).toEqual(cards('2c 3s 4c 5d 6h'));
    expect(resultsOf(table)).toEqual(['LOSE']);
  });
});

describe('double', () => {
  test.each([
    ['hard 10', '6h 4d 7c Ts', true],
    ['hard 11', '9h 2d 7c Ts', true],
    ['a pair of fives', '5h 5d 7c Ts', true],
    ['hard 9', '6h 3d 7c Ts', false],
    ['hard 12', 'Th 2d 7c Ts', false],
    ['soft 13', 'Ah 2d 7c Ts', false],
    ['soft 20', 'Ah 9d 7c Ts', false],
  ])('allows a double for %s: %s', (_, top, isAllowed) => {
    expect(availableActions(play(top)).includes('DOUBLE')).toBe(isAllowed);
  });

  test('deals one card on a double and then stands, whatever the card is', () => {
    const table = play('6h 4d 7c Ts 2c 9h', 'DOUBLE');
    expect(table).toMatchObject({ active: null, hands: [{ cards: cards('6h 4d 2c'), isDoubled: true }] });
    expect(table.dealer).toEqual(cards('7c Ts'));
    expect(resultsOf(table)).toEqual(['LOSE']);
  });

  test('does not offer a double on three cards', () => {
    expect(availableActions(play('2h 3d 7c Ts 5c', 'HIT'))).toEqual(['HIT', 'STAND']);
  });
});

describe('split', () => {
  test('deals the next cards first to hand 0 and then to hand 1', () => {
    const table = play('8h 8d 7c Ts 2c 3c', 'SPLIT');
    expect(table.hands.map((hand) => hand.cards)).toEqual([cards('8h 2c'), cards('8d 3c')]);
    expect(table.active).toBe(0);
    const second = play('8h 8d 7c Ts 2c 3c 5c', 'SPLIT', 'HIT', 'STAND');
    expect(second).toMatchObject({
      active: 1,
      hands: [{ cards: cards('8h 2c 5c') }, { cards: cards('8d 3c') }],
    });
    const end = play('8h 8d 7c Ts 2c 3c 5c 9c', 'SPLIT', 'HIT', 'STAND', 'HIT', 'STAND');
    expect(end).toMatchObject({ active: null, dealer: cards('7c Ts') });
    expect(resultsOf(end)).toEqual(['LOSE', 'WIN']);
  });

  test('allows only one split, and no double after it', () => {
    expect(availableActions(play('8h 8d 7c Ts 2c 3c', 'SPLIT'))).toEqual(['HIT', 'STAND']);
    expect(availableActions(play('8h 8d 7c Ts 8c 8s', 'SPLIT'))).toEqual(['HIT', 'STAND']);
    expect(availableActions(play('8h 8d 7c Ts 8c 8s', 'SPLIT', 'STAND'))).toEqual(['HIT', 'STAND']);
  });

  test('allows a split of any two cards of value ten, but not of other different ranks', () => {
    expect(availableActions(play('Kh Td 7c Ts'))).toEqual(['HIT', 'STAND', 'SPLIT']);
    expect(availableActions(play('Jh Qd 7c Ts'))).toEqual(['HIT', 'STAND', 'SPLIT']);
    expect(availableActions(play('9h 8d 7c Ts'))).toEqual(['HIT', 'STAND']);
  });

  test('deals one card to each split ace and stands, without counting 21 as a natural', () => {
    const table = play('Ah Ad 7c Ts Kc 5c', 'SPLIT');
    expect(table.active).toBeNull();
    expect(table.hands.map((hand) => hand.cards)).toEqual([cards('Ah Kc'), cards('Ad 5c')]);
    expect(resultsOf(table)).toEqual(['WIN', 'LOSE']);
    expect(resultsOf(play('Ah Ad 7c 7s Kc 5c 7h', 'SPLIT'))).toEqual(['PUSH', 'LOSE']);
  });

  test('stands automatically on a ten and an ace after a split, without counting them as a natural', () => {
    const first = play('Kh Td 7c Ts Ac 5c', 'SPLIT');
    expect(first.active).toBe(1);
    expect(resultsOf(play('Kh Td 7c Ts Ac 5c', 'SPLIT', 'STAND'))).toEqual(['WIN', 'LOSE']);
    const both = play('Kh Td 7c Ts Ac As', 'SPLIT');
    expect(both.active).toBeNull();
    expect(resultsOf(both)).toEqual(['WIN', 'WIN']);
    expect(play('Kh Td 7c Ts 5c As', 'SPLIT', 'STAND').active).toBeNull();
  });

  test('makes the dealer draw when one split hand stands, but not when both are bust', () => {
    const one = play('Th Td 6c Ts 5c 9c 9h 8h', 'SPLIT', 'HIT', 'STAND');
    expect(one.dealer).toEqual(cards('6c Ts 8h'));
    expect(resultsOf(one)).toEqual(['LOSE', 'WIN']);
    const none = play('Th Td 6c Ts 5c 6d 9h 8h', 'SPLIT', 'HIT', 'HIT');
    expect(none).toMatchObject({ active: null, dealer: cards('6c Ts') });
    expect(resultsOf(none)).toEqual(['LOSE', 'LOSE']);
  });

  test('allows a split after insurance', () => {
    const table = play('8h 8d Ac 7s 2c 3c', 'INSURANCE', 'SPLIT');
    expect(table).toMatchObject({ active: 0, insurance: 'TAKEN' });
    expect(availableActions(table)).toEqual(['HIT', 'STAND']);
  });
});

describe('dealer', () => {
  test('makes the dealer draw on 16 or less and on soft 17, for all sequences of five ranks that need no sixth card', () => {
    const counts = { compared: 0, longer: 0, impossible: 0, wrong: 0 };
    for (const [up, hole] of pairs())
      for (const [c, d] of pairs()) for (const e of RANKS) counts[comparedDealer([up, hole, c, d, e])]++;
    expect(counts).toEqual({
      compared: 13 ** 5 - 13 - counts.longer,
      longer: expect.any(Number),
      impossible: 13,
      wrong: 0,
    });
    expect(counts.longer).toBeLessThan(5000);
  });

  test.each([
    ['stands on hard 17', 'Th 9d 7c Ts 4c', '7c Ts'],
    ['draws on 16', 'Th 9d 6c Ts 4c', '6c Ts 4c'],
    ['draws on soft 17', 'Th 9d 6c As 4c', '6c As 4c'],
    ['draws on soft 17 with three cards', 'Th 9d 3c 3s Ac 4c', '3c 3s Ac 4c'],
    ['stands on soft 18', 'Th 9d 7c As 4c', '7c As'],
    ['stands on a soft 17 that turned hard', 'Th 9d 6c As Kc 4c', '6c As Kc'],
  ])('%s', (_, top, dealer) => {
    expect(play(top, 'STAND').dealer).toEqual(cards(dealer));
  });
});

const pairs = () => RANKS.flatMap((a) => RANKS.map((b) => [a, b] as const));

/** Compares the dealer's cards with `expectedDealer`, for a deck with these ranks and a player who stands on 20. */
function comparedDealer(ranks: readonly number[]): 'compared' | 'longer' | 'impossible' | 'wrong' {
  const run = ranks.map((rank, i) =>
    cardOf(rank, ranks.slice(0, i).filter((other) => other === rank).length),
  );
  if (ranks.every((rank) => rank === ranks[0])) return 'impossible';
  const tens = [9, 10].flatMap((rank) => [0, 1, 2, 3].map((suit) => cardOf(rank, suit)));
  const mine = tens.filter((card) => !run.includes(card)).slice(0, 2);
  const deck = laidDeck([...mine, ...run]);
  const table = deal(deck);
  const { dealer } = table.active === null ? table : act(table, 'STAND', deck)!;
  if (dealer.length > 5) return 'longer';
  return dealer.map((card) => (card - 1) % 13).join() === expectedDealer(ranks).join() ? 'compared' : 'wrong';
}

function expectedDealer(ranks: readonly number[]): number[] {
  const drawn = ranks.slice(0, 2);
  for (const rank of ranks.slice(2)) {
    let total = drawn.reduce((sum, r) => sum + (r === 0 ? 11 : Math.min(r + 1, 10)), 0);
    let elevens = drawn.filter((r) => r === 0).length;
    for (; total > 21 && elevens > 0; elevens--) total -= 10;
    if (total > 17 || (total === 17 && elevens === 0)) break;
    drawn.push(rank);
  }
  return drawn;
}
