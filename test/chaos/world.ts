import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { startSandbox } from '../../sandbox/server.ts';
import { call, keepAlive, type Reply } from '../crash/client.ts';
import { type Cluster, startCluster } from '../crash/cluster.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;
export type Person = { id: number; token: string };

/** Two APIs and a worker: what can be killed. */
export const PARTS = 3;
const DEBUG_TOKEN = randomBytes(12).toString('hex');
const agent = keepAlive();
/** A connection that is kept may end while it is taken up again; not every request may be repeated. */
const anew = new Agent({ keepAlive: false });

/** Settings under which nothing but the chaos decides what becomes of a withdrawal. */
const WITHDRAWALS = {
  ...{ minUsd: '0.01', maxOpenPerUser: 20, depositTurnoverPercent: 0, newAddressDelayHours: 0 },
  ...{ autoApproveLimitUsd: '40', autoApproveMinAccountDays: 0, autoApproveMaxRisk: 100 },
  ...{ fourEyesThresholdUsd: '100', kycThresholdUsd: '99999999', kycSingleThresholdUsd: '99999999' },
};

/** Two APIs and a worker on one PostgreSQL, the payment provider, and staff. */
export async function startWorld({ players, random }: { players: number; random: () => number }) {
  let cluster: Cluster | undefined;
  const anyApi = () => {
    const targets = cluster?.targets() ?? [];
    return targets[Math.floor(random() * targets.length)] ?? 'http://127.0.0.1:1';
  };
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: anyApi });
  cluster = await startCluster({
    services: 2,
    others: ['worker'],
    settings: { ...sandbox.env, DEBUG_TOKEN },
  });

  /** What was answered with 500: there must be none. */
  const failures: string[] = [];
  const ask = async (
    method: string,
    path: string,
    options: Parameters<typeof call>[2] = {},
  ): Promise<Reply> => {
    const reply = await call(method, anyApi() + path, { agent, timeoutMs: 8000, ...options });
    if (reply.status === 500) failures.push(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply;
  };
  /** Repeats a request until somebody answers it for certain; with the same key each time. */
  const insist = async (
    method: string,
    path: string,
    options: Parameters<typeof call>[2] = {},
  ): Promise<Reply> => {
    const until = Date.now() + 60_000;
    for (;;) {
      const headers = { ...options.headers };
      const reply = await ask(method, path, { ...options, headers }).catch(() => undefined);
      if (reply && reply.status < 500 && reply.status !== 429) return reply;
      if (Date.now() > until) throw new Error(`${method} ${path} gets no answer`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const outside = async (method: string, path: string, body?: object): Promise<any> =>
    (await call(method, sandbox.url + path, { agent: anew, ...(body ? { body } : {}) })).body;

  const signIn = async (username: string, rights: object = {}): Promise<Person> => {
    const headers = { 'x-debug-token': DEBUG_TOKEN };
    if (Object.keys(rights).length > 0)
      await insist('POST', '/debug/user/create', { headers, body: { username, ...rights } });
    const { body } = await insist('POST', `/debug/auth/login/${username}`, { headers });
    const { token } = body.accessToken;
    const me = await insist('GET', '/user/me', { token });
    return { id: me.body.id, token };
  };
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
      await cluster.stop({ keep });
      await sandbox.close();
      agent.destroy();
    },
  };
}
