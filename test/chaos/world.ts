import { Agent } from 'node:http';
import { startSandbox } from '../../sandbox/server.ts';
import { call } from '../crash/client.ts';
import { type Cluster, startCluster } from '../kit/cluster.ts';
import { createVisitors, DEBUG, type Person } from '../kit/visitors.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;

/** A connection that is kept may end while it is taken up again; not every request may be repeated. */
const anew = new Agent({ keepAlive: false });

/** Settings under which nothing but the chaos decides what becomes of a withdrawal. */
const WITHDRAWALS = {
  minUsd: '0.01',
  maxOpenPerUser: 20,
  depositTurnoverPercent: 0,
  newAddressDelayHours: 0,
  autoApproveLimitUsd: '40',
  autoApproveMinAccountDays: 0,
  autoApproveMaxRisk: 100,
  fourEyesThresholdUsd: '100',
  kycThresholdUsd: '99999999',
  kycSingleThresholdUsd: '99999999',
};

/** Two APIs and a worker on one PostgreSQL, the payment provider, and staff. */
export async function startWorld({ players, random }: { players: number; random: () => number }) {
  let cluster: Cluster | undefined;
  const anyApi = () => {
    const targets = cluster?.urlsOf('api') ?? [];
    return targets[Math.floor(random() * targets.length)] ?? 'http://127.0.0.1:1';
  };
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: anyApi });
  cluster = await startCluster({ parts: ['api', 'api', 'worker'], settings: { ...sandbox.env, ...DEBUG } });

  const visitors = createVisitors(anyApi);
  const { ask, insist, signIn, failures } = visitors;
  const outside = async (method: string, path: string, body?: object): Promise<any> =>
    (await call(method, sandbox.url + path, { agent: anew, ...(body ? { body } : {}) })).body;

  const staff = [
    await signIn('chaos_boss', { roles: ['SUPERADMIN'] }),
    await signIn('chaos_second', { roles: ['SUPERADMIN'] }),
  ] as const;
  const configured = await insist('PATCH', '/admin/config/WITHDRAWALS', {
    token: staff[0].token,
    body: WITHDRAWALS,
  });
  if (configured.status !== 200) throw new Error(`not configured: ${JSON.stringify(configured.body)}`);
  const people: Person[] = [];
  for (let i = 0; i < players; i++) people.push(await signIn(`chaos_${i}`));

  return {
    cluster,
    failures,
    staff,
    people,
    ask,
    insist,
    outside,
    async stop({ keep }: { keep: boolean }) {
      await cluster.stopAll({ keep });
      await sandbox.close();
      visitors.close();
    },
  };
}
