/** Texts of the house games, which load together. */
export * from './blackjack.de.ts';
export * from './boards.de.ts';
export * from './roulette.de.ts';
export * from './table.de.ts';
