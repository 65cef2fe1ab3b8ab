import { Refused } from '../client/call.ts';
import { createPartApp } from '../src/apps.ts';
import { openDatabase } from '../src/boot.ts';
import { signatureOf } from '../src/modules/base/webhooks/signature.ts';
import type { Config } from '../src/platform/config.ts';
import type { Db } from '../src/platform/db.ts';
import { silentLog } from '../src/platform/log.ts';
import { createServices } from '../src/services.ts';
import { releaseClock, takeOverClock } from './clock.ts';
import { createMoney } from './money.ts';
import { type Happening, planMonth, type World } from './month.ts';
import { makePeople } from './names.ts';
import { setUpOffers } from './offers.ts';
import { createPlay, type Outside } from './play.ts';
import { createRandom } from './random.ts';
import { type LogIn, makePassword, openStaff } from './staff.ts';
import { liveToday } from './today.ts';
import { createVisitors, refusals, type Visitor } from './visitors.ts';

export type Wanted = { seed: number; players: number; days: number };
export type Filled = { logIns: LogIn[]; players: number; refusals: ReadonlyMap<string, number> };
type Say = (progress: string) => void;

/** Why there is no demo on this platform. */
export class NotHere extends Error {}

const DAY = 86_400_000;
const AT_ONCE = 10;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Processes ask the database for the time once a second. */
const CLOCKS_AGREE_MS = 2500;

/** Only a server of development has the operations that this asks for, and it knows whether it is one. */
async function assertDevelopment(api: string, debugToken: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-debug-token': debugToken };
  const asked = fetch(`${api}/debug/user/create`, { method: 'POST', headers, body: '{"username":"!"}' });
  const answer = await asked.catch(() => {
    throw new NotHere(`nothing answers at ${api}: start the platform (npm start), or name it by --url`);
  });
  // What the name lacks is told by a server that would make a test user of a better one.
  if (answer.status !== 400)
    throw new NotHere(
      `the platform at ${api} does not say that it is one of development (it answers ${answer.status}): demo players have no place there`,
    );
}

const GUEST = 'demo_guest';

/** A guest of the server is a guest of the database, or it is another one. */
async function assertSameDatabase(api: string, db: Db): Promise<void> {
  const answer = await fetch(`${api}/debug/auth/login/${GUEST}`, { method: 'POST' });
  const found = await db.selectFrom('users').select('id').where('username', '=', GUEST).executeTakeFirst();
  if (!answer.ok || !found)
    throw new NotHere(`the platform at ${api} runs on another database than this command`);
}

/**
 * Fills the platform at `api`, which runs on the database of `config`, with a month of play. Everything goes through operations of the API; an
 * API of its own on the same database takes the calls, without the limits that one address has. Undefined: a demo was there before.
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
  const { url, api, services, debugToken, wanted, say } = parts;
  const visitor = createVisitors({ api: url, debugToken });
  await assertSameDatabase(api, services.db);
  const opened = await openStaff({ api: url, debugToken, visitor });
  if (!opened) {
    // The one before may have been killed.
    await releaseClock(services.db);
    return undefined;
  }
  const { staff, logIns } = opened;
  await staff.SUPERADMIN.call('POST /admin/casino/games/hydrate', {});
  const town = await makeTown(parts, staff.SUPERADMIN);
  // Names are drawn apart: whatever else comes of a seed, these players do.
  const people = makePeople(createRandom(wanted.seed), wanted.players);
  const past = await livePast(parts, { ...town, staff, people, visitor });
  say('today');
  const finishWagering = (userId: number) => act(url, userId, 'COMPLETE_WAGERING');
  await liveToday({ ...town, ...past, staff, finishWagering });
  return { logIns: [...logIns, await demoPlayer(url)], players: past.players.length, refusals };
}

/** What there is to do, and with whom outside of the platform. */
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
    play: createPlay({ random, rates: usdRates, outside }),
    money: createMoney({ random, rates: usdRates, now, notice: noticeTo(url, config, now) }),
  };
}

type Town = Awaited<ReturnType<typeof makeTown>> & Pick<World, 'staff' | 'people' | 'visitor'>;

/** All days before this one, on their dates. */
async function livePast({ config, url, services, wanted, say }: Parts, town: Town) {
  const { staff, play, outside } = town;
  const to = Date.now() - 60_000;
  const from = to - wanted.days * DAY;
  // Whom the platform calls would refuse what is signed on another day.
  await outside('/clock', { isChecked: false });
  const clock = await takeOverClock(services.db);
  const interrupted = () => void releaseClock(services.db).finally(() => process.exit(130));
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    await clock.set(new Date(from - 3_600_000));
    await pause(CLOCKS_AGREE_MS);
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
    for (let i = 0; i < happenings.length; i += AT_ONCE) {
      const some = happenings.slice(i, i + AT_ONCE);
      const at = new Date(some[0]!.at);
      await clock.set(at);
      const percent = Math.round((i / happenings.length) * 100);
      say(`${at.toISOString().slice(0, 10)}  ${percent} %  ${players.length} players`);
      await Promise.all(some.map(happen));
    }
    return { players, offers };
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await releaseClock(services.db);
    // Until they do, some still sign with another day.
    await pause(CLOCKS_AGREE_MS);
    await outside('/clock', { isChecked: true });
  }
}

/** What takes long otherwise: a link in a mail that is followed, a deposit that is wagered to the end. */
async function act(url: string, userId: number, action: 'VERIFY_EMAIL' | 'COMPLETE_WAGERING'): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ userId, action });
  await fetch(`${url}/debug/user/action`, { method: 'POST', headers, body });
}

/** What is refused, or not answered, is part of life; what fails inside of the platform is not. */
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

/** The slot of each provider that signs nothing with the time of its own clock. */
async function slots({ call }: Caller): Promise<string[]> {
  for (let n = 0; n < 40; n++) {
    const { data } = await call('GET /casino/games', { query: { name: 'Seven Orchards' } });
    if (data.length > 1)
      return data.filter(({ provider }) => provider.slug !== 'sandbox').map(({ slug }) => slug);
    await pause(250);
  }
  return [];
}

/** What the sandbox would say of a deposit, on the day that it is in the month. */
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

/** Somebody to look around as, with money that was played with by nobody. */
async function demoPlayer(url: string): Promise<LogIn> {
  const [email, password] = ['demo.player@mail.example', makePassword()];
  const body = {
    username: 'demo_player',
    email,
    password,
    emailVerified: true,
    balances: [{ currencyId: 'USDT', amount: '250' }],
  };
  await fetch(`${url}/debug/user/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { who: 'player', email, password };
}
