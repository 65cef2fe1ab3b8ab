/** Runs all consumers of bets as the worker does, until its parent ends it: `node bench/servers/consumers.ts`. */
import { betConsumers } from '../../src/app/worker.ts';
import { engagement } from '../../src/modules/engagement/area.ts';
import { consumerJob } from '../../src/modules/games/bets/consume.ts';
import { houseGames } from '../../src/modules/games/house-games/module.ts';
import { createIdsTaken } from '../../src/modules/money/ledger/safe-watermark.ts';
import { startJobs } from '../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../src/platform/observability/log.ts';
import { serve } from '../load/protocol.ts';
import { openServices } from '../world.ts';

const databaseUrl = process.env.DATABASE_URL!;
const services = await openServices(process.env);
const ids = createIdsTaken(services.db);
const jobs = startJobs(
  [
    ...betConsumers(services).map((consumer) => consumerJob(consumer, ids)),
    ...houseGames.jobs!(services),
    ...engagement.jobs!(services),
  ],
  { connectionString: databaseUrl, log: silentLog },
);
serve({});
process.on('SIGTERM', async () => {
  await jobs.close();
  await services.close();
  process.exit(0);
});
