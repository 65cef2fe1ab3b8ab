import type { Total } from './cards.ts';

/** A strategy based on totals only. `open` and `pair` are card values, from 0 for the ace to 9 for the tens. */
export type Play = {
  splits: (pair: number, open: number) => boolean;
  doubles: (total: number, open: number) => boolean;
  stands: (total: Total, open: number) => boolean;
};

/** The reference chart. Columns are the dealer's cards 2 3 4 5 6 7 8 9 10 A. Keys of `pair` are card values, with 1 for the ace. */
const CHART = {
  hard: { 12: 'HHSSSHHHHH', 13: 'SSSSSHHHHH', 14: 'SSSSSHHHHH', 15: 'SSSSSHHHHH', 16: 'SSSSSHHHHH' },
  soft18: 'SSSSSSSHHH',
  double: { 10: 'DDDDDDDD--', 11: 'DDDDDDDDDD' },
  pair: {
    1: 'PPPPPPPPPP',
    2: '-PPPPP----',
    3: '--PPPP----',
    4: '----------',
    5: '----------',
    6: 'PPPPP-----',
    7: 'PPPPPP----',
    8: 'PPPPPPPPPP',
    9: 'PPPPP-PP--',
    10: '----------',
  },
};

const column = (open: number): number => (open + 9) % 10;
const cell = (row: string | undefined, open: number): string | undefined => row?.[column(open)];

export const CHART_PLAY: Play = {
  splits: (pair, open) => cell((CHART.pair as Record<number, string>)[pair + 1], open) === 'P',
  doubles: (total, open) => cell((CHART.double as Record<number, string>)[total], open) === 'D',
  stands: ({ total, soft }, open) => {
    if (soft) return total >= 19 || (total === 18 && cell(CHART.soft18, open) === 'S');
    return total >= 17 || cell((CHART.hard as Record<number, string>)[total], open) === 'S';
  },
};
