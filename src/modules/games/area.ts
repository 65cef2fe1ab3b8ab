import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Money } from '../money/area.ts';
import type { Scenery } from './bets/live.ts';
import { bets } from './bets/module.ts';
import { betting } from './betting/module.ts';
import { casino } from './casino/module.ts';
import type { ForCasino } from './casino/service.ts';
import { fairness } from './fairness/module.ts';
import { gameSettings, houseGames } from './house-games/module.ts';
import { speedRoulette } from './house-games/speed-roulette/module.ts';
import { gameProviders, providerGames } from './seamless-wallet/providers/module.ts';
import { sportsbook } from './seamless-wallet/sportsbook/module.ts';

/** Functions that this area needs from areas that are loaded later. `scenery` provides the simulated rows of the live feed. */
export type NeededByGames = ForCasino & { scenery: Scenery };
type Known = Foundation & Base & Compliance & Accounts & Money;

/** Modules for bets, fairness, the game catalogue, house games, provider games and the sportsbook. */
const modules = [
  fairness,
  gameProviders,
  casino,
  bets,
  gameSettings,
  betting,
  houseGames,
  speedRoulette,
  providerGames,
  sportsbook,
] as const;

export type Games = MadeBy<typeof modules>;

export const createGames = (before: Known & NeededByGames): Games => createAll(modules, before);

export const games = areaOf<Known & Games, Known & NeededByGames & Games>(modules);
