/** Game properties that list filters and rules use. */
export const CATEGORIES = [
  'HOUSE_GAME',
  'SLOTS',
  'LIVE_CASINO',
  'BLACKJACK',
  'ROULETTE',
  'GAME_SHOWS',
  'BACCARAT',
  'VIDEO_POKER',
  'CARD',
  'CASUAL',
  'LOTTERY',
  'LIVE',
  'POKER',
  'CRAPS',
  'FISHING',
  'CRASH',
  'VIRTUAL_SPORTS',
  'SCRATCH',
  'BOOKMAKER',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const TYPES = ['SLOTS', 'HOUSE_GAME', 'EVO_GAME', 'SPORTSBOOK'] as const;
export type GameType = (typeof TYPES)[number];

export const HOUSE_GAMES = [
  'dice',
  'limbo',
  'mines',
  'monkey-run',
  'plinko',
  'keno',
  'roulette',
  'blackjack',
  'speed-roulette',
] as const;
export type HouseGame = (typeof HOUSE_GAMES)[number];
