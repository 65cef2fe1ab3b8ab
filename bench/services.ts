import { createServices, type Services } from '../src/app/services.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { createLog } from '../src/platform/observability/log.ts';
import type { Later } from './world.ts';

/** Creates the services of a platform process. The timeout of bets is long, so that no bet fails because the machine is busy. */
export async function openServices(
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  later?: Later,
): Promise<Services> {
  const services = await createServices({
    config: loadConfig({ ...env, BET_DEADLINE_MS: '60000' }),
    log: createLog({ level: 'error', service: 'bench' }),
    name: 'bench',
    databaseUrl,
  });
  later?.(() => services.close());
  return services;
}
