/** Serves one variant of the platform: `node bench/servers/platform.ts <variant>`. bare.ts serves the bare variants. */
import { createPartApp } from '../../src/app/apps.ts';
import { createServices } from '../../src/app/services.ts';
import { pairsStatement, type StoredPair } from '../../src/modules/games/fairness/service.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { run } from '../../src/platform/database/db.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { type Account, piecesOf, serve } from '../load/protocol.ts';
import { VARIANTS } from './plays.ts';
import { variantRoutes } from './routes.ts';

const variant = VARIANTS.find((name) => name === process.argv[2]);
if (!variant) throw new Error(`unknown variant ${process.argv[2]}`);
const AT_ONCE = 8;

const config = loadConfig(process.env);
const databaseUrl = config.DATABASE_URL!;
const log = createLog({ level: config.LOG_LEVEL, service: `bench ${variant}` });
const services = await createServices({ config, log, name: `bench ${variant}`, databaseUrl });
const extra = await variantRoutes(variant, services, databaseUrl);
const app = await createPartApp('api', services, extra.routes);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

const calls = { prime };
export type Served = typeof calls;
serve(calls, new URL(url).port);
// Finishes pending work first.
process.on('SIGTERM', async () => {
  await app.close();
  await extra.close();
  await services.close();
  process.exit(0);
});

/** Verifies every player's token and reads every seed pair, so that all caches are filled, as on a server that has run for some time. */
async function prime(players: readonly Account[]): Promise<void> {
  const { sessions, fairness, db } = services;
  for (const piece of piecesOf(players, AT_ONCE))
    await Promise.all(piece.map(({ token }) => sessions.authenticator.verify(token)));
  const pairs = await db.selectFrom('players').select('seed_pair_id').execute();
  const ids = pairs.map((pair) => pair.seed_pair_id);
  fairness.rememberPairs(await run<StoredPair>(db, pairsStatement(ids)));
}
