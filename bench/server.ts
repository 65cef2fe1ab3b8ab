/** The server of one variant: `node bench/server.ts <variant>`, started by run.ts. */
import { createPartApp } from '../src/app/apps.ts';
import { createServices, type Services } from '../src/app/services.ts';
import { pairsStatement, type StoredPair } from '../src/modules/games/fairness/service.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { run } from '../src/platform/database/db.ts';
import { createLog } from '../src/platform/observability/log.ts';
import { type Account, type FromServer, type ToServer, VARIANTS } from './protocol.ts';
import { variantRoutes } from './variants/routes.ts';

const variant = VARIANTS.find((name) => name === process.argv[2]);
if (!variant) throw new Error(`unknown variant ${process.argv[2]}`);
// Ctrl-C reaches the whole process group, but the parent decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));

const config = loadConfig(process.env);
const databaseUrl = config.DATABASE_URL!;
const log = createLog({ level: config.LOG_LEVEL, service: `bench ${variant}` });
const services = await createServices({ config, log, name: `bench ${variant}`, databaseUrl });
const extra = await variantRoutes(variant, services, databaseUrl);
const app = await createPartApp('api', services, extra.routes);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

const tell = (message: FromServer): void => void process.send?.(message);
process.on('message', (message: ToServer) => {
  if (message.type === 'answers') return;
  const work = message.type === 'prime' ? prime(services, message.players) : stop();
  work.catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
tell({ type: 'listening', port: Number(new URL(url).port) });

const AT_ONCE = 8;

/** Verifies every player's token and reads every seed pair, so that all caches are filled, as on a server that has run for some time. */
async function prime({ sessions, fairness, db }: Services, players: readonly Account[]): Promise<void> {
  for (let i = 0; i < players.length; i += AT_ONCE) {
    await Promise.all(players.slice(i, i + AT_ONCE).map(({ token }) => sessions.authenticator.verify(token)));
  }
  const pairs = await db.selectFrom('players').select('seed_pair_id').execute();
  const ids = pairs.map((pair) => pair.seed_pair_id);
  fairness.rememberPairs(await run<StoredPair>(db, pairsStatement(ids)));
  tell({ type: 'primed' });
}

async function stop(): Promise<void> {
  await app.close();
  await extra.close();
  await services.close();
  process.exit(0);
}
