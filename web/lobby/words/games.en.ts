/** Texts of the house games, which load together. */
export * from './blackjack.en.ts';
export * from './boards.en.ts';
export * from './roulette.en.ts';
export * from './table.en.ts';
