import { formatUnits, parseNumber } from '../../../platform/money.ts';
import { hundredths } from './rules.ts';
import { type GameSlug, Settings } from './schemas.ts';
import { type GameSettings, type HouseGame, inDollars } from './settings.ts';

/** What staff sees and names of a game: amounts in US dollars as JSON numbers. */
export type Config = Readonly<Record<string, unknown>> & { enabled?: boolean | undefined };
export type Problem = { path: string; message: string };
/** `stored`: the fields that a request names, as the database keeps them. */
export type Change = { enabled: boolean; stored: Record<string, unknown> };

const AMOUNTS = ['minBet', 'maxBet', 'maxProfit'];
/** Of the other games the return follows from the rules. */
const ADJUSTABLE: readonly GameSlug[] = ['dice', 'limbo', 'mines', 'monkey-run'];

/** A game's settings as staff sees them. */
export function shown({ enabled, settings }: Pick<HouseGame<GameSlug>, 'enabled' | 'settings'>): Config {
  return { enabled, ...inDollars(settings) };
}

/** What a request makes of a game, or what is wrong with it; the bounds are those of games.md, section 4. */
export function changeOf(game: HouseGame<GameSlug>, config: Config): Change | { problems: Problem[] } {
  const { enabled = game.enabled, ...named } = config;
  const problems: Problem[] = [];
  const stored: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    const message = refusalOf(game, name, value);
    if (message !== undefined) problems.push({ path: `${game.slug}.${name}`, message });
    else stored[name] = AMOUNTS.includes(name) ? formatUnits(parseNumber(value as number)!) : value;
  }
  if (problems.length > 0) return { problems };
  const merged = Settings[game.slug].safeParse({ ...storedForm(game.settings), ...stored });
  if (!merged.success) {
    return {
      problems: merged.error.issues.map(({ path, message }) => ({
        path: [game.slug, ...path].join('.'),
        message,
      })),
    };
  }
  const conflicts = conflictsOf(game.slug, merged.data);
  return conflicts.length > 0 ? { problems: conflicts } : { enabled, stored };
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
  if (!ADJUSTABLE.includes(slug) && value !== settings.rtp)
    return `is ${settings.rtp}: it follows from the rules of the game`;
  return hundredths(value as number) === undefined ? 'needs to have at most two decimals' : undefined;
}

/** What the fields owe each other, also those that the request does not name. */
function conflictsOf(slug: GameSlug, settings: GameSettings<GameSlug>): Problem[] {
  const { minBet, maxBet, maxProfit } = settings;
  const checks: [boolean, string, string][] = [
    [minBet === 0n, 'minBet', 'needs to be above zero'],
    [minBet > maxBet, 'minBet', 'is above maxBet'],
    [maxProfit < maxBet, 'maxProfit', 'is below maxBet'],
  ];
  if ('minMultiplier' in settings) {
    const isEmpty = settings.minMultiplier >= settings.maxMultiplier;
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
