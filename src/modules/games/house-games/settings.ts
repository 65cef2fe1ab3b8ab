import type { z } from 'zod';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { errors } from '../../../platform/errors.ts';
import { formatUnits, parseNumber, type Units } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Betting } from '../betting/place.ts';
import type { Rounds } from '../betting/rounds.ts';
import { hundredths } from '../betting/rules.ts';
import type { SeriesOf } from '../betting/series.ts';
import { HAS_RTP } from './rules.ts';
import { type GameSlug, READ, Settings } from './schemas.ts';

export const houseGameErrors = errors({
  GAME_NOT_FOUND: [404, 'There is no such game.'],
});

export type GameSettings<S extends GameSlug> = z.output<(typeof Settings)[S]>;
/** A house game with its settings, such as limits (in units of the US dollar) and the RTP (in percent). */
export type HouseGame<S extends GameSlug> = {
  id: number;
  slug: S;
  enabled: boolean;
  settings: GameSettings<S>;
};
export type HouseGames = ReturnType<typeof createHouseGames>;
type Deps = { db: Db; databaseClock: DatabaseClock; log: Log };

/** The services that operations of house games use. */
export type HouseGameDeps = {
  games: HouseGames;
  betting: Betting;
  series: SeriesOf;
  rounds: Rounds;
  currencies: Pick<Currencies, 'get'>;
};

/** Settings of the house games in memory. Every process is notified of a change. Changes apply to new rounds. */
export function createHouseGames({ db, databaseClock, log }: Deps) {
  let games: ReadonlyMap<GameSlug, HouseGame<GameSlug>> = new Map();
  let configs: ReadonlyMap<GameSlug, object> = new Map();
  const mirror = createMirror({
    what: 'game settings',
    channel: 'games_changed',
    read: () => readGames(db),
    apply: (read) => {
      games = new Map(read.map((game) => [game.slug, game]));
      configs = new Map(read.map(({ slug, settings }) => [slug, Object.freeze(inDollars(settings))]));
    },
    databaseClock,
    log,
  });
  const get = <S extends GameSlug>(slug: S): HouseGame<S> => games.get(slug) as HouseGame<S>;
  return {
    start: mirror.start,
    close: mirror.close,
    /** Resolves once this process has read all committed changes. */
    reload: mirror.reload,
    get,
    isOn: (slug: string): boolean => get(slug as GameSlug).enabled,
    /** Returns a game's settings for clients, with amounts in US dollars. The response schema removes internal fields. */
    config: <S extends GameSlug>(slug: S) => configs.get(slug) as Readonly<ReturnType<typeof inDollars<S>>>,
  };
}

/** Returns the definition of the operation that shows the limits and other settings of a game. */
export const configOf = <C extends z.ZodType>(
  slug: GameSlug,
  { summary, response, read }: { summary: string; response: C; read: (deps: HouseGameDeps) => z.input<C> },
) => ({
  ...READ,
  path: `/casino/games/house/${slug}/config`,
  summary,
  response: response as z.ZodType,
  handler: read,
});

/** Reads games and locks them until the transaction ends, in id order to avoid deadlocks. */
export async function lockGames(tx: Tx, slugs: readonly GameSlug[]): Promise<HouseGame<GameSlug>[]> {
  if (slugs.length === 0) return [];
  const rows = await selectGames(tx, slugs).orderBy('id').forUpdate().execute();
  return rows.map(toGame);
}

/** Reads all house games. */
export async function readGames(db: DbOrTx): Promise<HouseGame<GameSlug>[]> {
  // A newer version may have added games that this process does not support.
  const rows = await selectGames(db, Object.keys(Settings)).orderBy('id').execute();
  return rows.map(toGame);
}

const selectGames = (db: DbOrTx, slugs: readonly string[]) =>
  db
    .selectFrom('games')
    .select(['id', 'slug', 'enabled', 'settings'])
    .where('type', '=', 'HOUSE_GAME')
    .where('slug', 'in', [...slugs]);

type Row = { id: number; slug: string; enabled: boolean; settings: unknown };

function toGame({ id, slug, enabled, settings }: Row): HouseGame<GameSlug> {
  const known = slug as GameSlug;
  return { id, slug: known, enabled, settings: Settings[known].parse(settings) };
}

/** Converts the amounts of settings to US dollars as JSON numbers. */
const inDollars = <S extends GameSlug>({ minBet, maxBet, maxProfit, ...others }: GameSettings<S>) => ({
  ...others,
  minBet: dollars(minBet),
  maxBet: dollars(maxBet),
  maxProfit: dollars(maxProfit),
});

const dollars = (amount: Units): number => Number(formatUnits(amount));

/** A game's settings for staff, with amounts in US dollars as JSON numbers. */
export type Config = Readonly<Record<string, unknown>> & { enabled?: boolean | undefined };
export type Problem = { path: string; message: string };
/**
 * A change to a game's settings. `stored`: the fields of the request in their stored form. `before` and `after`: the changed fields in the
 * form for staff. If there are problems, the change must not be applied.
 */
export type Change = {
  game: HouseGame<GameSlug>;
  enabled: boolean;
  stored: Record<string, unknown>;
  before: object;
  after: object;
  problems: Problem[];
};

const AMOUNTS = ['minBet', 'maxBet', 'maxProfit'];

/** Returns a game's settings for staff. */
export function toConfig({ enabled, settings }: Pick<HouseGame<GameSlug>, 'enabled' | 'settings'>): Config {
  return { enabled, ...inDollars(settings) };
}

/** Validates the settings of a request and returns the change. */
export function changeOf(game: HouseGame<GameSlug>, config: Config): Change {
  const { enabled = game.enabled, ...named } = config;
  const problems: Problem[] = [];
  const stored: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    const message = problemOf(game, name, value);
    if (message !== undefined) problems.push({ path: `${game.slug}.${name}`, message });
    else stored[name] = AMOUNTS.includes(name) ? formatUnits(parseNumber(value as number)!) : value;
  }
  if (problems.length === 0) problems.push(...conflictsOf(game, stored));
  const [before, after] = differences(toConfig(game), config);
  return { game, enabled, stored, before, after, problems };
}

/** Returns the fields of `to` that differ from those of `from`, with their previous and new values. */
function differences(from: Config, to: Config): [object, object] {
  const names = Object.keys(to).filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
  const pick = (config: Config) => Object.fromEntries(names.map((name) => [name, config[name]]));
  return [pick(from), pick(to)];
}

function problemOf(
  { slug, settings }: HouseGame<GameSlug>,
  name: string,
  value: unknown,
): string | undefined {
  if (!Object.hasOwn(Settings[slug].shape, name)) return 'is not a setting of this game';
  if (AMOUNTS.includes(name)) {
    const isAmount = parseNumber(value as number) !== undefined;
    return isAmount ? undefined : 'needs to be an amount of dollars with at most 8 decimals';
  }
  if (name !== 'rtp') return undefined;
  if (!HAS_RTP.has(slug) && value !== settings.rtp)
    return `is ${settings.rtp}: it follows from the rules of the game`;
  return hundredths(value as number) === undefined ? 'needs to have at most two decimals' : undefined;
}

/** Returns settings that are out of bounds or conflict with each other, including fields that the request does not contain. */
function conflictsOf({ slug, settings }: HouseGame<GameSlug>, stored: Change['stored']): Problem[] {
  const parsed = Settings[slug].safeParse({ ...storedForm(settings), ...stored });
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => ({ path: [slug, ...path].join('.'), message }));
  const merged = parsed.data as GameSettings<GameSlug>;
  const { minBet, maxBet, maxProfit } = merged;
  const checks: [boolean, string, string][] = [
    [minBet === 0n, 'minBet', 'needs to be above zero'],
    [minBet > maxBet, 'minBet', 'is above maxBet'],
    [maxProfit < maxBet, 'maxProfit', 'is below maxBet'],
  ];
  if ('minMultiplier' in merged) {
    const isEmpty = merged.minMultiplier >= merged.maxMultiplier;
    checks.push([isEmpty, 'minMultiplier', 'needs to be below maxMultiplier']);
  }
  return checks
    .filter(([isWrong]) => isWrong)
    .map(([, name, message]) => ({ path: `${slug}.${name}`, message }));
}

const storedForm = ({ minBet, maxBet, maxProfit, ...rest }: GameSettings<GameSlug>) => ({
  minBet: formatUnits(minBet),
  maxBet: formatUnits(maxBet),
  maxProfit: formatUnits(maxProfit),
  ...rest,
});
