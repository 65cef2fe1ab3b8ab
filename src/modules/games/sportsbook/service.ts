import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import type { Countries } from '../../compliance/countries/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { createSportsbookGame } from './game.ts';
import { createSigningKeys } from './keys.ts';
import { createSportsbookPlayers } from './players.ts';
import { createSportsbookTokens } from './tokens.ts';
import { createSportsbookWallet } from './wallet.ts';

type Deps = {
  db: Db;
  config: Config;
  databaseClock: DatabaseClock;
  gate: Gate;
  currencies: Currencies;
  countries: Countries;
} & Pick<Parameters<typeof createSportsbookGame>[0], 'games'> &
  Pick<Parameters<typeof createSportsbookWallet>[0], 'settlement' | 'metrics'>;

export type Sportsbook = ReturnType<typeof createSportsbook>;

/** The side of the sportsbook: it signs in, knows players by tokens of ours, and books its bets in the wallet of providers. */
export function createSportsbook(deps: Deps) {
  const game = createSportsbookGame(deps);
  const keys = createSigningKeys(deps);
  return {
    game,
    keys,
    tokens: createSportsbookTokens({ ...deps, providerId: () => game.get().providerId }),
    players: createSportsbookPlayers({ ...deps, game, keys }),
    wallet: createSportsbookWallet({ ...deps, game }),
  };
}
