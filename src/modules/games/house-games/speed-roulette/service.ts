import type { z } from 'zod';
import type { Config } from '../../../../platform/config.ts';
import type { Db, DbOptions } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Metrics } from '../../../../platform/metrics.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { Betting, Bettor } from '../../betting/play.ts';
import type { BetGrants } from '../../betting/transaction.ts';
import type { HouseGames } from '../settings.ts';
import { createPublicChain } from './ask.ts';
import { placeRequest } from './bet.ts';
import { createChains } from './commit.ts';
import { createRunner } from './run.ts';
import type { SpeedRouletteBet, SpeedRouletteConfig, SpeedRouletteResult } from './schemas.ts';
import { createRoundSettler } from './settle.ts';
import { createShow } from './show.ts';

export type SpeedRoulette = ReturnType<typeof createSpeedRoulette>;
type Result = z.input<typeof SpeedRouletteResult>;

/** One round at a time for everybody: its seeds come from a published chain and from the hash of a public block. */
export function createSpeedRoulette(parts: {
  db: Db;
  database: DbOptions;
  config: Config;
  games: HouseGames;
  betting: Betting;
  grants: BetGrants;
  log: Log;
  metrics: Metrics;
}) {
  const { db, database, config, games, betting, grants, log, metrics } = parts;
  const chains = createChains({
    db,
    log,
    secret: config.SEED_SECRET,
    length: config.SPEED_ROULETTE_CHAIN_LENGTH,
    publicChain: createPublicChain({ config, log }),
  });
  const settler = createRoundSettler({ db, database, grants, log, metrics });
  const runner = createRunner({ db, games, chains, settler, log });
  const show = createShow(db);
  return {
    config: (): z.input<typeof SpeedRouletteConfig> => games.config('speed-roulette'),

    /** A bet is CREATED in the round that takes bets. Throws 409 BETTING_CLOSED when none does. */
    async bet(by: Bettor, body: z.output<typeof SpeedRouletteBet>): Promise<Result> {
      const { color, currencyId } = body;
      return betting.bet({ by, game: games.get('speed-roulette'), body }, (terms) =>
        placeRequest(terms, {
          color,
          answer: { currencyId, betAmount: formatUnits(terms.bet.betUsd), color },
        }),
      );
    },

    info: show.info,
    find: show.find,
    publishedChains: show.chains,
    /** For the worker: takes rounds on, and keeps seeds ready. */
    turn: runner.turn,
    keepChains: chains.keep,
    retry: runner.retry,
    close: settler.close,
  };
}
