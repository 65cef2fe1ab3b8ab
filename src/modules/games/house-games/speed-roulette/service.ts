import type { Config } from '../../../../platform/config/config.ts';
import type { Db, DbOptions } from '../../../../platform/database/db.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { seedSecret } from '../../../../platform/secrets/encryption.ts';
import type { BetGrants } from '../../betting/lane-state.ts';
import type { HouseGames } from '../settings.ts';
import { createChains, createPublicChain } from './commit.ts';
import { createRunner } from './run.ts';
import { createRoundSettler } from './settle.ts';
import { createShow } from './show.ts';

export type SpeedRoulette = ReturnType<typeof createSpeedRoulette>;

/** Runs one shared round at a time. Its seeds come from a published chain and the hash of a public block. */
export function createSpeedRoulette(parts: {
  db: Db;
  database: DbOptions;
  config: Config;
  games: HouseGames;
  grants: BetGrants;
  log: Log;
  metrics: Metrics;
}) {
  const { db, database, config, games, grants, log, metrics } = parts;
  const chains = createChains({
    db,
    log,
    secret: seedSecret(config),
    length: config.SPEED_ROULETTE_CHAIN_LENGTH,
    publicChain: createPublicChain({ config, log }),
  });
  const settler = createRoundSettler({ db, database, grants, log, metrics });
  const runner = createRunner({ db, games, chains, settler, log });
  const show = createShow(db);
  return {
    info: show.info,
    find: show.find,
    chains: show.chains,
    /** For the worker: advances rounds, and prepares seeds. */
    turn: runner.turn,
    keepChains: chains.keep,
    retry: runner.retry,
    close: settler.close,
  };
}
