import { createStaff } from '../chaos/actions.ts';
import { createPayments } from '../chaos/payments.ts';
import { startWorld } from '../chaos/world.ts';
import { createPlayers } from '../crash/load.ts';
import type { HaCluster } from './cluster.ts';
import { createListeners } from './sockets.ts';

export type FailoverWorld = Awaited<ReturnType<typeof startFailoverWorld>>;

const PLAYERS = 40;
const PAYERS = 9;

/**
 * Starts the platform on the cluster: two APIs, the backoffice, the sockets and a worker. Creates players who bet, make payments and listen
 * for events.
 */
export async function startFailoverWorld(ha: HaCluster, random: () => number) {
  const chaos = await startWorld({
    players: PAYERS,
    random,
    platform: {
      parts: ['api', 'api', 'backoffice', 'realtime', 'worker'],
      database: { url: ha.url },
      // Enables the platform's safety checks of the database.
      settings: { ALLOW_UNSAFE_DATABASE: 'false', DATABASE_READ_URL: ha.readUrl },
    },
  });
  const { cluster } = chaos;
  // Players get money to start with, because their first deposits have not arrived yet.
  for (const { token } of chaos.people)
    await chaos.insist('GET', '/debug/me/give-money?amount=1000', { token });
  const listeners = await createListeners(chaos);
  const players = await createPlayers(cluster.urlsOf('api')[0]!, Array<number>(PLAYERS).fill(100_000));
  return {
    ...chaos,
    ha,
    random,
    listeners,
    /** Players whose sockets are monitored bet like all other players. */
    players: [...players, ...listeners.people],
    payments: createPayments(chaos, random),
    office: createStaff(chaos, random),
    targets: () => cluster.urlsOf('api'),
    async stop({ keep }: { keep: boolean }): Promise<void> {
      listeners.close();
      await chaos.stop({ keep });
    },
  };
}
