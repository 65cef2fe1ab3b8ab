/** Texts of the house games, which load together. */
export * from './blackjack.pt.ts';
export * from './boards.pt.ts';
export * from './roulette.pt.ts';
export * from './table.pt.ts';
