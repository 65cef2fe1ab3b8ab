import { formatUnits, parseNumber } from '../../../platform/money.ts';
import { HAS_RTP, hundredths } from './rules.ts';
import { type GameSlug, Settings } from './schemas.ts';
import { type GameSettings, type HouseGame, inDollars } from './settings.ts';

/** A game's settings for staff, with amounts in US dollars as JSON numbers. */
export type Config = Readonly<Record<string, unknown>> & { enabled?: boolean | undefined };
export type Problem = { path: string; message: string };
/**
 * A change of a game's settings. `stored`: the fields of the request in their stored form. `before` and `after`: the changed fields in the
 * form for staff. It must not be applied if there are problems.
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

/** The fields named in `to` whose values differ, before and after. */
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

/** Returns settings that are out of bounds or conflict, including fields that the request does not contain. */
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
