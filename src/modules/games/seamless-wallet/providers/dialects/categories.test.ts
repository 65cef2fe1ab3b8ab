import { expect, test } from 'vitest';
import { kindOf, ownCategories } from './rules.ts';

test.each([
  ['Video Slots', 'SLOTS', 'SLOTS'],
  ['slots', 'SLOTS', 'SLOTS'],
  ['vs', 'SLOTS', 'SLOTS'],
  ['Live Dealer', 'LIVE_CASINO', 'EVO_GAME'],
  ['live', 'LIVE_CASINO', 'EVO_GAME'],
  ['lg', 'LIVE_CASINO', 'EVO_GAME'],
  ['Game Shows', 'GAME_SHOWS', 'EVO_GAME'],
  ['shows', 'GAME_SHOWS', 'EVO_GAME'],
  ['Roulette', 'ROULETTE', 'SLOTS'],
  ['bj', 'BLACKJACK', 'SLOTS'],
  ['Baccarat', 'BACCARAT', 'SLOTS'],
  ['Crash Games', 'CRASH', 'SLOTS'],
  ['Table Games', 'CARD', 'SLOTS'],
  ['Card Games', 'CARD', 'SLOTS'],
  ['Scratch Cards', 'SCRATCH', 'SLOTS'],
  ['video_poker', 'VIDEO_POKER', 'SLOTS'],
  ['Virtual Sports', 'VIRTUAL_SPORTS', 'SLOTS'],
  ['vsp', 'VIRTUAL_SPORTS', 'SLOTS'],
  ['Fishing Games', 'FISHING', 'SLOTS'],
  ['Lottery', 'LOTTERY', 'SLOTS'],
  ['poker', 'POKER', 'SLOTS'],
  ['Craps', 'CRAPS', 'SLOTS'],
  ['Casual Games', 'CASUAL', 'SLOTS'],
  ['something new', 'SLOTS', 'SLOTS'],
])('maps the category %s to %s', (word, category, type) => {
  expect(kindOf(word)).toEqual({ categories: [category], type });
});

test('uses the first known word of a category', () => {
  expect(kindOf(null, undefined, 'unheard of', 'bc').categories).toEqual(['BACCARAT']);
  expect(kindOf('Roulette', 'bc').categories).toEqual(['ROULETTE']);
  expect(kindOf('constructor', 'toString').categories).toEqual(['SLOTS']);
});

test("keeps the platform's own categories and their order", () => {
  expect(ownCategories(['CRASH', 'SLOTS', 'CRASH', 'HOUSE_GAME', 'BOOKMAKER', 'x'])).toEqual([
    'CRASH',
    'SLOTS',
  ]);
  expect(ownCategories(['LIVE'])).toEqual(['LIVE']);
  expect(ownCategories([])).toEqual(['SLOTS']);
});
