import type { BookName } from './books.ts';

export type Dialect = Exclude<BookName, 'sportsbook'>;

/** A game in the aggregator's catalogue. Each dialect has its own terms for the fields. `kind` is a key of KINDS. */
export type Game = {
  code: string;
  name: string;
  kind: Kind;
  currencies: readonly string[] | null;
  blockedCountries: readonly string[];
  description: string | null;
  rtp: number | null;
  volatility: 'LOW' | 'MEDIUM' | 'HIGH' | null;
  maxWin: number | null;
  hasDemo: boolean;
  hasFreeSpins: boolean;
};

/** For each category of the platform: the generic type, and the category names of Hub88, SOFTSWISS and Pragmatic Play. */
export const KINDS = {
  SLOTS: { type: 'SLOTS', hub88: 'Video Slots', softswiss: 'slots', pragmatic: 'vs' },
  LIVE_CASINO: { type: 'EVO_GAME', hub88: 'Live Dealer', softswiss: 'live', pragmatic: 'lg' },
  ROULETTE: { type: 'EVO_GAME', hub88: 'Roulette', softswiss: 'roulette', pragmatic: 'rl' },
  BLACKJACK: { type: 'EVO_GAME', hub88: 'Blackjack', softswiss: 'blackjack', pragmatic: 'bj' },
  BACCARAT: { type: 'EVO_GAME', hub88: 'Baccarat', softswiss: 'baccarat', pragmatic: 'bc' },
  GAME_SHOWS: { type: 'EVO_GAME', hub88: 'Game Shows', softswiss: 'shows', pragmatic: 'gs' },
  CRASH: { type: 'SLOTS', hub88: 'Crash Games', softswiss: 'crash', pragmatic: 'cr' },
  VIDEO_POKER: { type: 'SLOTS', hub88: 'Video Poker', softswiss: 'video_poker', pragmatic: 'vp' },
  SCRATCH: { type: 'SLOTS', hub88: 'Scratch Cards', softswiss: 'scratch', pragmatic: 'sc' },
  FISHING: { type: 'SLOTS', hub88: 'Fishing Games', softswiss: 'fishing', pragmatic: 'fs' },
  VIRTUAL_SPORTS: { type: 'SLOTS', hub88: 'Virtual Sports', softswiss: 'virtual', pragmatic: 'vsp' },
  LOTTERY: { type: 'SLOTS', hub88: 'Lottery', softswiss: 'lottery', pragmatic: 'lt' },
} as const;
type Kind = keyof typeof KINDS;

/** Most games are slots. */
const OTHER_KINDS = Object.keys(KINDS).filter((kind) => kind !== 'SLOTS') as Kind[];
const FIRST = (
  'Amber Azure Bronze Coral Crimson Crystal Emerald Golden Hidden Icy Jade Lucky Lunar Mystic Noble Opal Pearl Ruby Sapphire ' +
  'Silver Solar Velvet Violet Wild'
).split(' ');
const SECOND = (
  'Anchors Bells Canyons Comets Dragons Falcons Fjords Foxes Galleons Harbours Islands Jesters Lanterns Meadows Otters Peaks ' +
  'Pharaohs Reefs Rivers Summits Temples Tides Treasures Valleys Vines Voyages Wolves'
).split(' ');

/** The first game of the catalogue. Only this game is fully implemented. All other games use the same rules under other names. */
const ORCHARDS: Game = {
  code: 'seven-orchards',
  name: 'Seven Orchards',
  kind: 'SLOTS',
  currencies: null,
  blockedCountries: [],
  description: 'Five reels, ten lines, a wild, and eight free spins for three scatters.',
  rtp: 96.632,
  volatility: 'MEDIUM',
  maxWin: 118,
  hasDemo: true,
  hasFreeSpins: true,
};

/** Returns the demo slot and this number of generated games. The games are always the same. */
export const gamesOf = (dialect: Dialect, count: number): Game[] => [
  ORCHARDS,
  ...Array.from({ length: count }, (_, place) => generated(dialect, place)),
];

export function findGame(dialect: Dialect, code: string, count: number): Game | undefined {
  if (code === ORCHARDS.code) return ORCHARDS;
  const place = Number(/^([a-z0-9]+)-(\d{5})$/.exec(code)?.[2] ?? 0) - 1;
  const game = place >= 0 && place < count ? generated(dialect, place) : undefined;
  return game?.code === code ? game : undefined;
}

function generated(dialect: Dialect, place: number): Game {
  const kind = place % 4 === 3 ? OTHER_KINDS[Math.floor(place / 4) % OTHER_KINDS.length]! : 'SLOTS';
  const edition = Math.floor(place / (FIRST.length * SECOND.length)) + 1;
  const name = `${FIRST[place % FIRST.length]} ${SECOND[Math.floor(place / FIRST.length) % SECOND.length]}`;
  return {
    code: `${dialect}-${String(place + 1).padStart(5, '0')}`,
    name: edition > 1 ? `${name} ${edition}` : name,
    kind,
    currencies: place % 10 === 9 ? ['USDT', 'EUR'] : null,
    blockedCountries: place % 12 === 11 ? ['FR', 'ES'] : [],
    description: place % 3 === 0 ? `${name}: a generated game of the sandbox.` : null,
    rtp: place % 7 === 6 ? null : 94 + (place % 31) / 10,
    volatility: ([null, 'LOW', 'MEDIUM', 'HIGH'] as const)[place % 4]!,
    maxWin: place % 5 === 4 ? null : 1000 * ((place % 20) + 1),
    hasDemo: KINDS[kind].type === 'SLOTS',
    hasFreeSpins: kind === 'SLOTS' && place % 2 === 0,
  };
}
