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
import { type Happening, planMonth } from './month.ts';
import { makePeople } from './names.ts';
import { setUpOffers } from './offers.ts';
import { createPlay, type Outside } from './play.ts';
import type { Player } from './player.ts';
import { createRandom } from './random.ts';
import { type LogIn, makePassword, openStaff } from './staff.ts';
import { liveToday } from './today.ts';
import { createVisitors, refusals } from './visitors.ts';

export type Wanted = { seed: number; players: number; days: number };
export type Filled = { logIns: LogIn[]; players: number; refusals: ReadonlyMap<string, number> };
type Say = (progress: string) => void;

/** Why there is no demo on this platform. */
export class NotHere extends Error {}

const DAY = 86_400_000;
const AT_ONCE = 10;
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

async function live({
  config,
  url,
  api,
  services,
  debugToken,
  wanted,
  say,
}: Parts): Promise<Filled | undefined> {
  const { db, databaseClock } = services;
  const visitor = createVisitors({ api: url, debugToken });
  // Names are drawn apart: whatever else comes of a seed, these players do.
  const people = makePeople(createRandom(wanted.seed), wanted.players);
  const random = createRandom(wanted.seed + 1);
  await assertSameDatabase(api, db);
  const opened = await openStaff({ api: url, debugToken, visitor });
  if (!opened) return undefined;
  const { staff, logIns } = opened;
  const sandbox = `http://127.0.0.1:${config.SANDBOX_PORT}`;
  const outside: Outside = async (path, body) => {
    const answer = await fetch(sandbox + path, { method: 'POST', body: JSON.stringify(body) });
    return answer.json().catch(() => undefined);
  };
  await staff.SUPERADMIN.call('POST /admin/casino/games/hydrate', {});
  const usdRates = await rates(staff.SUPERADMIN);
  const play = createPlay({ random, rates: usdRates, outside });
  const now = () => new Date(databaseClock.now());
  const money = createMoney({ random, rates: usdRates, now, notice: noticeTo(url, config, now) });
  const verifyEmail = async (userId: number) => {
    const body = JSON.stringify({ userId, action: 'VERIFY_EMAIL' });
    await fetch(`${url}/debug/user/action`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  };

  const to = Date.now() - 60_000;
  const from = to - wanted.days * DAY;
  // Its clock is right: what is signed on another day it would refuse. It takes everything a moment later.
  await outside('/crm/behaviour', { mode: 'busy' });
  const clock = await takeOverClock(db);
  let players: Player[];
  let offers: Awaited<ReturnType<typeof setUpOffers>>;
  try {
    await clock.set(new Date(from - 3_600_000));
    await pause(CLOCKS_AGREE_MS);
    offers = await setUpOffers(staff, { from: new Date(from), to: new Date(to) });
    play.useSlots(await slots(staff.SUPERADMIN));
    const chat = (message: Parameters<typeof services.chat.send>[0]) => services.chat.send(message);
    const world = {
      random,
      people,
      visitor,
      play,
      money,
      staff,
      offers,
      chat,
      verifyEmail,
      captcha: config.CAPTCHA_LOCAL_TOKEN,
      from,
      to,
    };
    const plan = planMonth(world);
    players = plan.players;
    const { happenings } = plan;
    for (let i = 0; i < happenings.length; i += AT_ONCE) {
      const some = happenings.slice(i, i + AT_ONCE);
      await clock.set(new Date(some[0]!.at));
      say(
        `${new Date(some[0]!.at).toISOString().slice(0, 10)}  ${Math.round((i / happenings.length) * 100)} %  ${players.length} players`,
      );
      await Promise.all(some.map(happen));
    }
  } finally {
    await releaseClock(db);
    await outside('/crm/behaviour', { mode: 'ok' });
  }
  say('today');
  await pause(CLOCKS_AGREE_MS);
  await liveToday({ random, players, staff, offers, play, money, outside });
  const player = await demoPlayer(url, config);
  return { logIns: [...logIns, player], players: players.length, refusals };
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
  const of = (id: string) =>
    Number(
      (all as { currencyId: string; usdRate?: string; rate?: string }[]).find(
        ({ currencyId }) => currencyId === id,
      )?.usdRate ?? 1,
    );
  return { USDT: 1, BTC: of('BTC') };
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
async function demoPlayer(url: string, _config: Config): Promise<LogIn> {
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
