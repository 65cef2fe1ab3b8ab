/** Texts of the house games, which load together. */
export * from './blackjack.es.ts';
export * from './boards.es.ts';
export * from './roulette.es.ts';
export * from './table.es.ts';
