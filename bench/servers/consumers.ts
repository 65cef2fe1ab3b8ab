/** Runs all consumers of bets as the worker does, until its parent ends it: `node bench/servers/consumers.ts`. */
import { createServices } from '../../src/app/services.ts';
import { betConsumers } from '../../src/app/worker.ts';
import { engagement } from '../../src/modules/engagement/area.ts';
import { consumerJob } from '../../src/modules/games/bets/consume.ts';
import { houseGames } from '../../src/modules/games/house-games/module.ts';
import { createIdsTaken } from '../../src/modules/money/ledger/safe-watermark.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { startJobs } from '../../src/platform/jobs/jobs.ts';
import { createLog, silentLog } from '../../src/platform/observability/log.ts';
import { serve } from '../load/serve.ts';

const config = loadConfig(process.env);
const databaseUrl = config.DATABASE_URL!;
const log = createLog({ level: 'error', service: 'bench' });
const services = await createServices({ config, log, name: 'bench', databaseUrl });
const ids = createIdsTaken(services.db);
const jobs = startJobs(
  [
    ...betConsumers(services).map((consumer) => consumerJob(consumer, ids)),
    ...houseGames.jobs!(services),
    ...engagement.jobs!(services),
  ],
  { db: services.db, connectionString: databaseUrl, log: silentLog },
);
serve({});
process.on('SIGTERM', async () => {
  await jobs.close();
  await services.close();
  process.exit(0);
});
