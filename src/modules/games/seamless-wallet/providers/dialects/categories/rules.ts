type Kind = { categories: readonly string[]; type: 'SLOTS' | 'EVO_GAME' };

const kind = (category: string, type: Kind['type'] = 'SLOTS'): Kind => ({ categories: [category], type });
const LIVE = kind('LIVE_CASINO', 'EVO_GAME');

/** Suppliers' words for kinds of games, in lower case and letters only. */
const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    slots: kind('SLOTS'),
    slot: kind('SLOTS'),
    videoslots: kind('SLOTS'),
    videoslot: kind('SLOTS'),
    vs: kind('SLOTS'),
    cs: kind('SLOTS'),
    classicslots: kind('SLOTS'),
    live: LIVE,
    livedealer: LIVE,
    livecasino: LIVE,
    livegames: LIVE,
    lg: LIVE,
    gameshow: kind('GAME_SHOWS', 'EVO_GAME'),
    gameshows: kind('GAME_SHOWS', 'EVO_GAME'),
    shows: kind('GAME_SHOWS', 'EVO_GAME'),
    roulette: kind('ROULETTE'),
    rl: kind('ROULETTE'),
    blackjack: kind('BLACKJACK'),
    bj: kind('BLACKJACK'),
    baccarat: kind('BACCARAT'),
    bc: kind('BACCARAT'),
    crash: kind('CRASH'),
    crashgame: kind('CRASH'),
    crashgames: kind('CRASH'),
    cr: kind('CRASH'),
    card: kind('CARD'),
    cardgames: kind('CARD'),
    tablegames: kind('CARD'),
    table: kind('CARD'),
    scratch: kind('SCRATCH'),
    scratchcards: kind('SCRATCH'),
    scratchcard: kind('SCRATCH'),
    sc: kind('SCRATCH'),
    videopoker: kind('VIDEO_POKER'),
    vp: kind('VIDEO_POKER'),
    virtual: kind('VIRTUAL_SPORTS'),
    virtualsports: kind('VIRTUAL_SPORTS'),
    vsp: kind('VIRTUAL_SPORTS'),
    fishing: kind('FISHING'),
    fishinggames: kind('FISHING'),
    lottery: kind('LOTTERY'),
    lt: kind('LOTTERY'),
    poker: kind('POKER'),
    craps: kind('CRAPS'),
    casual: kind('CASUAL'),
    casualgames: kind('CASUAL'),
  }),
);

/** Returns the kind for the first known word. A game of an unknown kind is a slot. */
export function kindOf(...words: readonly (string | null | undefined)[]): Kind {
  for (const word of words) {
    const known = word && KINDS.get(word.toLowerCase().replace(/[^a-z]/g, ''));
    if (known) return known;
  }
  return kind('SLOTS');
}

/** The categories of the contract that a game of a supplier can have. */
const CATEGORIES: ReadonlySet<string> = new Set([
  ...[...KINDS.values()].flatMap(({ categories }) => categories),
  'LIVE',
]);

/** Returns the given categories that exist in our catalogue, or SLOTS. */
export function ownCategories(given: readonly string[]): readonly string[] {
  const ours = [...new Set(given)].filter((category) => CATEGORIES.has(category));
  return ours.length > 0 ? ours : ['SLOTS'];
}
