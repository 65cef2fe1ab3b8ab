/** A commission rule. `category` or `gameId` null: all of them. `ppm`: millionths of the stake. */
export type Rule = {
  id: number;
  providerId: number;
  category: string | null;
  gameId: number | null;
  ppm: number;
  payload: unknown;
  createdAt: Date;
  updatedAt: Date;
};

/** The properties of a game that rules depend on. `rtp` in percent. */
export type Priced = {
  id: number;
  type: 'SLOTS' | 'HOUSE_GAME' | 'EVO_GAME' | 'SPORTSBOOK';
  categories: readonly string[];
  rtp: number | null;
};

export type Match =
  | 'PROVIDER_CATEGORY_GAME'
  | 'PROVIDER_GAME'
  | 'PROVIDER_CATEGORY'
  | 'PROVIDER'
  | 'TYPE_DEFAULT';

const PERCENT = 10_000;
const DEFAULTS = { SLOTS: 4 * PERCENT, EVO_GAME: PERCENT / 2, SPORTSBOOK: 3 * PERCENT } as const;

/**
 * Returns the rule that applies to a game, among those of its provider: the most specific one, and with several categories the one of the
 * game's first category. `rule` null: none applies, so the default of the game's type does.
 */
export function effectiveOf(
  game: Priced,
  rules: readonly Rule[],
): { match: Match; rule: Rule | null; ppm: number } {
  const find = (gameId: number | null, category: string | null) =>
    rules.find((rule) => rule.gameId === gameId && rule.category === category);
  const ofCategory = (gameId: number | null) => {
    for (const category of game.categories) {
      const rule = find(gameId, category);
      if (rule) return rule;
    }
    return undefined;
  };
  const candidates: [Match, Rule | undefined][] = [
    ['PROVIDER_CATEGORY_GAME', ofCategory(game.id)],
    ['PROVIDER_GAME', find(game.id, null)],
    ['PROVIDER_CATEGORY', ofCategory(null)],
    ['PROVIDER', find(null, null)],
  ];
  for (const [match, rule] of candidates) if (rule) return { match, rule, ppm: rule.ppm };
  return { match: 'TYPE_DEFAULT', rule: null, ppm: defaultOf(game) };
}

/** House edge of a new bet on the game, in millionths of the stake. */
export const edgePpmOf = (game: Priced, rules: readonly Rule[]): number => effectiveOf(game, rules).ppm;

function defaultOf({ type, rtp }: Priced): number {
  if (type !== 'HOUSE_GAME') return DEFAULTS[type];
  return rtp === null ? 0 : 100 * PERCENT - Math.round(rtp * PERCENT);
}

const PERCENT_TEXT = /^(\d{1,3})(?:\.(\d{1,4}))?$/;

/** Converts a percentage (0 to 100, up to four decimals) to millionths. Returns undefined for other texts. */
export function readPercent(text: string): number | undefined {
  const [, whole, decimals = ''] = PERCENT_TEXT.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const ppm = Number(whole) * PERCENT + Number(decimals.padEnd(4, '0'));
  return ppm <= 100 * PERCENT ? ppm : undefined;
}

/** Converts millionths to a percentage without trailing zeros. */
export function percentOf(ppm: number): string {
  const decimals = String(ppm % PERCENT)
    .padStart(4, '0')
    .replace(/0+$/, '');
  return `${Math.floor(ppm / PERCENT)}${decimals && `.${decimals}`}`;
}
