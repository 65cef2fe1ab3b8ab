const RANKS = 'A23456789TJQK';
const SUITS = 'hdcs';

/** Cards as they are written in tests ("Ah Td 2c Ks": rank, suit), as the numbers of the API. */
export function cards(text: string): number[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((name) => {
      const [rank, suit] = [RANKS.indexOf(name[0]!), SUITS.indexOf(name[1]!)];
      if (name.length !== 2 || rank < 0 || suit < 0) throw new Error(`no card: ${name}`);
      return suit * 13 + rank + 1;
    });
}

/** The card of a rank (0 ace … 12 king) in a suit (0 hearts, 1 diamonds, 2 clubs, 3 spades). */
export const cardOf = (rank: number, suit: number): number => suit * 13 + rank + 1;
