import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { startSandbox } from '../../sandbox/server.ts';
import { call } from '../crash/client.ts';
import { type Cluster, type ClusterOptions, startCluster } from '../kit/processes/cluster.ts';
import { anAddress, createVisitors, DEBUG, type Person } from '../kit/processes/visitors.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Uses a new connection for each request. A kept-alive connection may close while it is reused, and not every request may be repeated. */
const anew = new Agent({ keepAlive: false });

/** Settings with which only the simulated faults affect the outcome of a withdrawal. */
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

/** Settings with which affiliates can claim commission on referrals' bets and deposits within minutes. */
const AFFILIATES = { minClaimUsd: '0.01', holdDays: 0, depositCommissionPercent: '1' };
const AFFILIATE_COUNT = 3;

type Options = {
  players: number;
  random: () => number;
  /** The processes to start. The default is two APIs and a worker with their own PostgreSQL. */
  platform?: ClusterOptions;
};

/**
 * Starts processes on one PostgreSQL and the payment provider, and creates staff and players. Some of the players were referred by others.
 */
export async function startWorld({ players, random, platform = {} }: Options) {
  let cluster: Cluster | undefined;
  const anyApi = () => {
    const targets = cluster?.urlsOf('api') ?? [];
    return targets[Math.floor(random() * targets.length)] ?? 'http://127.0.0.1:1';
  };
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: anyApi });
  cluster = await startCluster({
    parts: ['api', 'api', 'worker'],
    ...platform,
    settings: { ...sandbox.env, ...DEBUG, TRUSTED_PROXIES: '127.0.0.1', ...platform.settings },
  });

  const visitors = createVisitors(anyApi);
  const { ask, insist, signIn, failures } = visitors;
  const outside = async (method: string, path: string, body?: object): Promise<any> =>
    (await call(method, sandbox.url + path, { agent: anew, ...(body ? { body } : {}) })).body;

  const staff = [
    await signIn('chaos_boss', { roles: ['SUPERADMIN'] }),
    await signIn('chaos_second', { roles: ['SUPERADMIN'] }),
  ] as const;
  const configure = async (code: string, body: object) => {
    const by = ({ token }: { token: string }) => insist('PATCH', `/admin/config/${code}`, { token, body });
    const first = await by(staff[0]);
    // Raising commission needs two people.
    const answer = first.body?.code === 'APPROVAL_NEEDED' ? await by(staff[1]) : first;
    if (answer.status !== 200) throw new Error(`not configured: ${JSON.stringify(answer.body)}`);
  };
  await configure('WITHDRAWALS', WITHDRAWALS);
  await configure('AFFILIATES', AFFILIATES);

  /**
   * Creates a regular account, because debug accounts earn no commission for their affiliate. Each account uses another IP address, so that
   * no commission is held.
   */
  const signUp = async (username: string, affiliateCode?: string): Promise<Person> => {
    const solved = await outside('POST', '/captcha/token', {});
    const { status, body } = await ask('POST', '/auth/sign-up', {
      headers: { 'x-captcha-token': solved.token, 'x-forwarded-for': anAddress() },
      body: {
        username,
        email: `${username}@mail.example`,
        password: randomUUID(),
        ...(affiliateCode && { affiliateCode }),
      },
    });
    if (status !== 200) throw new Error(`${username} could not sign up: ${status} ${JSON.stringify(body)}`);
    const { token } = body.accessToken;
    const me = await insist('GET', '/user/me', { token });
    return { id: me.body.id, token };
  };
  const affiliates: Person[] = [];
  for (let i = 0; i < AFFILIATE_COUNT; i++) {
    const affiliate = await signUp(`affiliate_${i}`);
    const code = await insist('POST', '/affiliate/code', {
      token: affiliate.token,
      body: { id: `code-${i}` },
    });
    if (code.status !== 201) throw new Error(`no code: ${JSON.stringify(code.body)}`);
    affiliates.push(affiliate);
  }
  const referrals: Person[] = [];
  for (let i = AFFILIATE_COUNT; i < players; i++)
    referrals.push(await signUp(`chaos_${i}`, `code-${i % AFFILIATE_COUNT}`));

  return {
    cluster,
    failures,
    staff,
    affiliates,
    people: [...affiliates, ...referrals],
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
