import { randomInt } from 'node:crypto';
import type { Db } from '../../../platform/db.ts';
import { MAX_UNITS, ONE, type Units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { isInRange, type Next, type Return, stakeOf, type Terms } from '../../games/betting/rules.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import { draw, pick } from '../../games/fairness/rules.ts';
import type { GameSlug } from '../../games/house-games/schemas.ts';
import type { HouseGames } from '../../games/house-games/settings.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { amountsOf, oneOf, playHouseGame, playSlot, type Thresholds } from './outcomes/rules.ts';
import { type ActivityRow, insertRows, type NewRow } from './queries.ts';
import { GAME_TYPES, MANNERS } from './rules.ts';
import type { ActivityState } from './state.ts';

export type MakeDeps = {
  db: Db;
  state: ActivityState;
  catalogue: Pick<Catalogue, 'state' | 'visible'>;
  games: Pick<HouseGames, 'get'>;
  currencies: Pick<Currencies, 'list' | 'rateOf'>;
  siteConfig: Pick<SiteConfig, 'minStakeOf'>;
  thresholds: Thresholds;
};

/** Rows that are made in one turn, however many bots there are: a feed shows few of them. */
const MOST = 20;

/** Chance of its own: the seeds of players have no part in it. */
const next: Next = () => randomInt(2 ** 32);

/** One turn of all bots whose time it is. */
export const createMaking = (deps: MakeDeps) => async (): Promise<void> => {
  const acting = deps.state
    .playing()
    .filter(({ behavior }) => pick(next(), MANNERS[behavior].oneTurnIn) === 0);
  const rows = draw(acting, Math.min(MOST, acting.length), next).flatMap(
    (activity) => rowOf(deps, activity) ?? [],
  );
  if (rows.length > 0) await insertRows(deps.db, rows);
};

/** What a bot seems to play; undefined where that cannot be played here now, or would be remarkable. */
function rowOf(deps: MakeDeps, activity: ActivityRow): NewRow | undefined {
  const { catalogue, currencies, thresholds } = deps;
  const { user_id: userId, type, games, behavior } = activity;
  const game = catalogue.state.now().bySlug.get(oneOf(games, next));
  if (!game || !GAME_TYPES[type].includes(game.type) || !catalogue.visible.isSeen(game, undefined))
    return undefined;
  // The same currency each time, as players have theirs.
  const currency = currencies.list()[userId % currencies.list().length];
  const played = currency && playIn(deps, game);
  if (!played) return undefined;
  const { id: currencyId, decimals } = currency;
  const { rate, stale } = currencies.rateOf(currencyId);
  if (stale || game.currencies?.includes(currencyId) === false) return undefined;
  const betUsd = (BigInt(oneOf(MANNERS[behavior].stakesInCents, next)) * ONE) / 100n;
  const stake = stakeOf(betUsd, rate, decimals);
  const { minBet, maxBet, maxProfit: maxProfitUsd, outcome } = played;
  const terms: Terms = { betUsd, stake, rate, decimals, maxProfitUsd };
  const range = { ...terms, currencyId, minStake: deps.siteConfig.minStakeOf(currency), minBet, maxBet };
  const amounts = isInRange({ usd: betUsd, units: stake }, range) && amountsOf(terms, outcome, thresholds);
  return amounts ? { ...amounts, userId, gameId: game.id, currencyId } : undefined;
}

type Played = { minBet: Units; maxBet: Units; maxProfit: Units; outcome: Return };

/** What a game comes to, and the limits of its stakes in US dollars. Of a game of a provider nobody here knows them. */
function playIn({ games }: MakeDeps, { slug, type }: { slug: string; type: string }): Played | undefined {
  if (type !== 'HOUSE_GAME')
    return { minBet: 0n, maxBet: MAX_UNITS, maxProfit: MAX_UNITS, outcome: playSlot(next) };
  // What a newer version has brought is not known here.
  const settings = games.get(slug as GameSlug)?.settings;
  const outcome = settings && playHouseGame(slug, settings, next);
  return outcome && { ...settings, outcome };
}
