import { formatUnits, parseNumber } from '../../../platform/money.ts';
import { HAS_RTP, hundredths } from './rules.ts';
import { type GameSlug, Settings } from './schemas.ts';
import { type GameSettings, type HouseGame, inDollars } from './settings.ts';

/** What staff sees and names of a game: amounts in US dollars as JSON numbers. */
export type Config = Readonly<Record<string, unknown>> & { enabled?: boolean | undefined };
export type Problem = { path: string; message: string };
/**
 * What a request makes of a game, unless there are problems. `stored`: the fields that it names, as the database keeps them; `before`
 * and `after`: those of them that change, as staff sees them.
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

/** A game's settings as staff sees them. */
export function shown({ enabled, settings }: Pick<HouseGame<GameSlug>, 'enabled' | 'settings'>): Config {
  return { enabled, ...inDollars(settings) };
}

/** Reads the settings that a request names; the bounds are those of games.md, section 4. */
export function changeOf(game: HouseGame<GameSlug>, config: Config): Change {
  const { enabled = game.enabled, ...named } = config;
  const problems: Problem[] = [];
  const stored: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    const message = refusalOf(game, name, value);
    if (message !== undefined) problems.push({ path: `${game.slug}.${name}`, message });
    else stored[name] = AMOUNTS.includes(name) ? formatUnits(parseNumber(value as number)!) : value;
  }
  if (problems.length === 0) problems.push(...conflictsOf(game, stored));
  const [before, after] = differences(shown(game), config);
  return { game, enabled, stored, before, after, problems };
}

/** The fields named in `to` whose values differ, before and after. */
function differences(from: Config, to: Config): [object, object] {
  const names = Object.keys(to).filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
  const pick = (config: Config) => Object.fromEntries(names.map((name) => [name, config[name]]));
  return [pick(from), pick(to)];
}

function refusalOf(
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

/** Settings out of their bounds or against each other, also those that the request does not name. */
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
