import { Refused } from '../client/call.ts';
import { createPartApp } from '../src/app/apps.ts';
import { openDatabase } from '../src/app/boot.ts';
import { createServices } from '../src/app/services.ts';
import { signatureOf } from '../src/modules/base/webhooks/signature.ts';
import type { Config } from '../src/platform/config/config.ts';
import type { Db } from '../src/platform/database/db.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { runAllSoon } from '../src/platform/queue/cron.ts';
import { setUpCommission } from './affiliates.ts';
import { releaseClock, takeOverClock } from './clock.ts';
import { createMoney } from './money.ts';
import { type Happening, planMonth, type World } from './month.ts';
import { makePeople } from './names.ts';
import { setUpOffers } from './offers.ts';
import { createPlay, type Outside } from './play.ts';
import { createRandom } from './random.ts';
import { REGULAR } from './regular.ts';
import { type LogIn, makePassword, openStaff } from './staff.ts';
import { liveToday } from './today.ts';
import { createVisitors, refusals, type Visitor } from './visitors.ts';

export type Wanted = { seed: number; players: number; days: number };
export type Filled = { logIns: LogIn[]; players: number; refusals: ReadonlyMap<string, number> };
type Say = (progress: string) => void;

/** The error message contains the reason why this platform cannot have demo data. */
export class NotHere extends Error {}

const DAY = 86_400_000;
const AT_ONCE = 10;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Time after which all processes use a new database time. They read it once a second. */
const CLOCKS_AGREE_MS = 2500;

/** Throws unless the server is a development server. Only a development server has the operations that the demo needs. */
async function assertDevelopment(api: string, debugToken: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-debug-token': debugToken };
  const asked = fetch(`${api}/debug/user/create`, { method: 'POST', headers, body: '{"username":"!"}' });
  const answer = await asked.catch(() => {
    throw new NotHere(
      `the platform does not respond at ${api}: start it (npm start), or set its address with --url`,
    );
  });
  // A development server rejects the invalid name with 400. With a valid name it would create a test user.
  if (answer.status !== 400)
    throw new NotHere(
      `the platform at ${api} does not report that it is a development platform (it returned ${answer.status}): demo players are not allowed there`,
    );
}

const GUEST = 'demo_guest';

/**
 * Throws unless the server and this command use the same database. Creates a guest through the server and looks for the guest in the
 * database.
 */
async function assertSameDatabase(api: string, db: Db): Promise<void> {
  const answer = await fetch(`${api}/debug/auth/login/${GUEST}`, { method: 'POST' });
  const found = await db.selectFrom('users').select('id').where('username', '=', GUEST).executeTakeFirst();
  if (!answer.ok || !found)
    throw new NotHere(`the platform at ${api} uses a different database than this command`);
}

/**
 * Fills the platform at `api`, which uses the database in `config`, with a month of play. It only calls API operations, in a separate API
 * process on the same database and without per-address limits. Returns undefined if a demo already exists.
 */
export async function fill(
  config: Config,
  api: string,
  wanted: Wanted,
  say: Say,
): Promise<Filled | undefined> {
  const debugToken = config.DEBUG_TOKEN ?? '';
  await assertDevelopment(api, debugToken);
  const database = await openDatabase(config, () => {});
  const own: Config = {
    ...config,
    LOG_LEVEL: 'error',
    TRUSTED_PROXIES: ['127.0.0.1'],
    RATE_LIMIT_AUTH: 0,
    RATE_LIMIT_MONEY: 0,
    RATE_LIMIT_READ: 0,
    RATE_LIMIT_PUBLIC: 0,
    RATE_LIMIT_FILE: 0,
    RATE_LIMIT_UPLOAD: 0,
    USER_MONEY_AT_ONCE: 0,
    USER_CALLS_AT_ONCE: 0,
  };
  const services = await createServices({
    config: own,
    log: silentLog,
    name: 'demo',
    databaseUrl: database.url,
  });
  const app = await createPartApp('api', services);
  try {
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return await live({ config, url, api, services, debugToken, wanted, say });
  } finally {
    await app.close();
    await services.close();
    await database.stop();
  }
}

type Parts = {
  config: Config;
  url: string;
  api: string;
  services: Awaited<ReturnType<typeof createServices>>;
  debugToken: string;
  wanted: Wanted;
  say: Say;
};

async function live(parts: Parts): Promise<Filled | undefined> {
  const { url, api, services, debugToken, wanted } = parts;
  const visitor = createVisitors({ api: url, debugToken });
  await assertSameDatabase(api, services.db);
  const opened = await openStaff({ api: url, debugToken, visitor });
  if (!opened) {
    // The previous run may have been killed before it released the clock.
    await releaseClock(services.db);
    return undefined;
  }
  const { staff, logIns } = opened;
  await staff.SUPERADMIN.call('POST /admin/casino/games/hydrate', {});
  const town = await makeTown(parts, staff.SUPERADMIN);
  // Names are generated with a separate random generator, so the same seed always gives the same players.
  const people = [REGULAR, ...makePeople(createRandom(wanted.seed), wanted.players - 1)];
  // For a short time after the simulated month, a process may still use the previous date. Partners would reject the calls that it signs,
  // so their check of the signature age is disabled until the simulation ends.
  await town.outside('/clock', { isChecked: false });
  const past = await lifeOf(parts, { ...town, staff, people, visitor }).finally(() =>
    town.outside('/clock', { isChecked: true }),
  );
  logIns.push({ who: 'player', email: REGULAR.email, password: town.password });
  return { logIns, players: past.players.length, refusals };
}

/** Simulates the past month, then the current day. */
async function lifeOf(parts: Parts, town: Town) {
  const past = await livePast(parts, town);
  parts.say('today');
  const finishWagering = (userId: number) => act(parts.url, userId, 'COMPLETE_WAGERING');
  await liveToday({ ...town, ...past, finishWagering });
  return past;
}

/** Creates the helpers for play, payments and chat, and the connection to the sandbox. */
async function makeTown({ config, url, services, wanted }: Parts, staff: Visitor) {
  const random = createRandom(wanted.seed + 1);
  const sandbox = `http://127.0.0.1:${config.SANDBOX_PORT}`;
  const outside: Outside = async (path, body) => {
    const answer = await fetch(sandbox + path, { method: 'POST', body: JSON.stringify(body) });
    return answer.json().catch(() => undefined);
  };
  const usdRates = await rates(staff);
  const now = () => new Date(services.databaseClock.now());
  return {
    random,
    outside,
    password: makePassword(),
    play: createPlay({ random, rates: usdRates, outside }),
    money: createMoney({ random, rates: usdRates, now, notice: noticeTo(url, config, now) }),
  };
}

type Town = Awaited<ReturnType<typeof makeTown>> & Pick<World, 'staff' | 'people' | 'visitor'>;

/** Simulates all days before today, each with its own date. */
async function livePast({ config, url, services, wanted, say }: Parts, town: Town) {
  const { staff, play } = town;
  const to = Date.now() - 60_000;
  const from = to - wanted.days * DAY;
  const clock = await takeOverClock(services.db);
  const interrupted = () => void releaseClock(services.db).finally(() => process.exit(130));
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    await clock.set(new Date(from - 3_600_000));
    await pause(CLOCKS_AGREE_MS);
    await setUpCommission(staff);
    const offers = await setUpOffers(staff, { from: new Date(from), to: new Date(to) });
    play.useSlots(await slots(staff.SUPERADMIN));
    const { players, happenings } = planMonth({
      ...town,
      offers,
      from,
      to,
      chat: (message) => services.chat.send(message),
      verifyEmail: (userId) => act(url, userId, 'VERIFY_EMAIL'),
      captcha: config.CAPTCHA_LOCAL_TOKEN,
    });
    let day = '';
    for (let i = 0; i < happenings.length; i += AT_ONCE) {
      const some = happenings.slice(i, i + AT_ONCE);
      const at = new Date(some[0]!.at);
      await clock.set(at);
      if (day !== at.toISOString().slice(0, 10)) await runAllSoon(services.db);
      day = at.toISOString().slice(0, 10);
      const percent = Math.round((i / happenings.length) * 100);
      say(`${day}  ${percent} %  ${players.length} players`);
      await Promise.all(some.map(happen));
    }
    return { players, offers };
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    // Waits until all processes use the real time, because partners would reject a call signed with another date.
    await releaseClock(services.db);
  }
}

/** Performs one of two actions that would take a player too long: following a link in an email, or wagering a deposit completely. */
async function act(url: string, userId: number, action: 'VERIFY_EMAIL' | 'COMPLETE_WAGERING'): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ userId, action });
  await fetch(`${url}/debug/user/action`, { method: 'POST', headers, body });
}

/**
 * Runs an event. Ignores requests that are rejected or get no response, because both are part of normal use. Throws for the platform's
 * internal errors.
 */
async function happen({ what }: Happening): Promise<void> {
  try {
    await what();
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 500) throw error;
    refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

type Caller = { call: ReturnType<ReturnType<typeof createVisitors>>['call'] };

async function rates({ call }: Caller) {
  const all = await call('GET /exchange-rates', {});
  const bitcoin = all.find(({ currencyId }) => currencyId === 'BTC');
  return { USDT: 1, BTC: Number(bitcoin?.usdRate ?? 1) };
}

/** Returns the slots of those providers that use the platform's time for signatures, not their own clock. */
async function slots({ call }: Caller): Promise<string[]> {
  for (let n = 0; n < 40; n++) {
    const { data } = await call('GET /casino/games', { query: { name: 'Seven Orchards' } });
    if (data.length > 1)
      return data.filter(({ provider }) => provider.slug !== 'sandbox').map(({ slug }) => slug);
    await pause(250);
  }
  return [];
}

/** Returns a function that sends the sandbox's deposit webhook with the date of the simulated day. */
const noticeTo =
  (url: string, { PAYMENT_WEBHOOK_SECRETS: [secret] }: Config, now: () => Date) =>
  async (kind: string, body: object) => {
    const text = JSON.stringify(body);
    const signature = signatureOf(text, secret!, Math.floor(now().getTime() / 1000));
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    const answer = await fetch(`${url}/webhooks/payments/sandbox/${kind}`, {
      method: 'POST',
      headers,
      body: text,
    });
    if (!answer.ok)
      refusals.set(`notice ${answer.status}`, (refusals.get(`notice ${answer.status}`) ?? 0) + 1);
    return answer.status;
  };
