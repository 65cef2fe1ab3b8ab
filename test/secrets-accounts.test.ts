import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import type { Route } from '../src/http/route.ts';
import { deviceOf } from './kit/accounts/accounts.ts';
import { newcomer } from './kit/accounts/sign-in.ts';
import { code } from './kit/accounts/totp.ts';
import { type CallOptions, type Player, startApp, type TestApp } from './kit/app.ts';
import { startMailWorker } from './kit/backoffice/mail.ts';
import { comeBack, factsOf, type RogueOidc, setOut, startRogueOidc } from './kit/games/providers.ts';
import { storedTexts } from './kit/http/fingerprint.ts';
import { everyMail, type Mail, type Outside, startOutside } from './kit/http/outside.ts';
import { canary, createWitness, guises, hits } from './kit/processes/witness.ts';

const SECRETS = { DATA_SECRET: canary('data'), OIDC_CLIENT_SECRET: canary('oidc') };
const SMTP_PASSWORD = canary('smtp');
const PASSWORDS = ['first', 'wrong', 'reset', 'changed', 'staff', 'refused'].map(canary);
const [FIRST, WRONG, RESET, CHANGED, STAFF, REFUSED] = PASSWORDS as [string, ...string[]];
const PROVIDER_TOKEN = canary('provider');

let outside: Outside;
let provider: RogueOidc;
let api: TestApp;
let backoffice: TestApp;
let boss: Player;
beforeAll(async () => {
  [outside, provider] = await Promise.all([startOutside(), startRogueOidc()]);
  const SMTP_URL = outside.env.SMTP_URL!.replace('//', `//mailer:${SMTP_PASSWORD}@`);
  const env = { ...outside.env, ...SECRETS, SMTP_URL, OIDC_ISSUER: provider.url, LOG_LEVEL: 'trace' };
  api = await startApp({ env });
  backoffice = await startApp({ part: 'backoffice', database: api.database, env });
});
afterAll(async () => {
  await backoffice.stop();
  await api.stop();
  await Promise.all([outside.close(), provider.close()]);
});

const witness = createWitness();
const solved = async () => ({ 'x-captcha-token': await outside.solve() });
/** Secrets collected by this file, by kind. */
const learned = {
  factors: [] as string[],
  addresses: [] as string[],
  recoveryCodes: [] as string[],
  challenge: '',
  setupToken: '',
  state: '',
  apiKey: '',
  devices: [] as string[],
  idToken: '',
};

/** Returns a new user and functions that send requests to the main API for them. */
function somebody() {
  const user = newcomer();
  const as = (status: number, method: string, path: string, options: CallOptions = {}) =>
    witness.due(status, api, method, path, options);
  /** Signs the user in and records the secret of their device. */
  const enter = async (path: string, body: object) => {
    const answer = await witness.call(api, 'POST', path, { body, headers: await solved() });
    expect(answer.status, answer.text).toBeLessThan(300);
    if (answer.body.accessToken) learned.devices.push(deviceOf(answer).split('=')[1]!);
    return answer.body;
  };
  return { ...user, as, enter };
}
type Somebody = ReturnType<typeof somebody>;

async function opensAccount({ username, email, as, enter }: Somebody): Promise<void> {
  await enter('/auth/sign-up', { username, email, password: FIRST });
  const wrong = { email, password: WRONG };
  await as(401, 'POST', '/auth/sign-in', { body: wrong, headers: await solved() });
  await as(201, 'POST', '/user/forgot-password', { body: { email } });
}

/** Returns the tokens of the links in the emails of each kind. */
async function linksTo(email: string): Promise<Record<'verify' | 'reset', string>> {
  const tokenIn = (mail: Mail) => /#token=([\w-]+)/.exec(mail.text)![1]!;
  const of = async (page: RegExp) =>
    tokenIn(await outside.waitForMail(email, (mail) => page.test(mail.text)));
  return { verify: await of(/\/verify-email#token=/), reset: await of(/reset-password#token=/) };
}

async function followsLinks({ email, as }: Somebody, links: Record<'verify' | 'reset', string>) {
  const verified = await as(200, 'GET', `/user/verify-email?token=${links.verify}`);
  const body = { token: links.reset, newPassword: RESET };
  const reset = await as(200, 'PATCH', '/user/confirm-password-reset', { body });
  expect([verified.result, reset.result], email).toEqual([true, true]);
}

/** Enables a second factor, signs in with it, loses it, sets up a new one, and uses the new one to change the password. */
async function protects({ email, as, enter }: Somebody): Promise<string> {
  const { accessToken } = await enter('/auth/sign-in', { email, password: RESET });
  const { token } = accessToken;
  const turnOn = async ({ secret, otpauthUrl, qrDataUrl }: Record<string, string>, session = token) => {
    learned.factors.push(secret!);
    learned.addresses.push(otpauthUrl!, qrDataUrl!);
    const enabling = { token: session, body: { mfaCode: code(secret!) } };
    const { recoveryCodes } = await as(201, 'POST', '/user/enable-2fa', enabling);
    learned.recoveryCodes.push(...recoveryCodes);
    return recoveryCodes as string[];
  };
  const [first] = await turnOn(await as(200, 'GET', '/user/generate-2fa', { token }));
  const half = await enter('/auth/sign-in', { email, password: RESET });
  learned.challenge = half.token;
  const second = await enter('/auth/verify-2fa', { token: half.token, mfaCode: learned.recoveryCodes[1] });
  const session = second.accessToken.token;
  const lost = { token: session, body: { recoveryCode: first } };
  await turnOn(await as(201, 'POST', '/user/reset-2fa', lost), session);
  const body = { currentPassword: RESET, newPassword: CHANGED };
  await as(200, 'PATCH', '/user/change-password', { token: session, body });
  return session;
}

/** Signs in through an identity provider, whose tokens only the platform receives. */
async function comesFromProvider(): Promise<void> {
  const trip = await setOut(api, 'google');
  learned.state = trip.url.searchParams.get('state')!;
  learned.idToken = await provider.sign({ ...provider.claimsFor(trip, 'somebody'), email: 'a@idp.example' });
  const said = provider.give(learned.idToken);
  provider.token = async () => ({
    ...said,
    body: { ...(said.body as object), access_token: PROVIDER_TOKEN },
  });
  const back = new URL(trip.url.searchParams.get('redirect_uri')!);
  const query = { state: learned.state, code: PROVIDER_TOKEN, iss: provider.url };
  for (const [name, value] of Object.entries(query)) back.searchParams.set(name, value);
  const through = { call: (...request: Parameters<TestApp['call']>) => witness.call(api, ...request) };
  const landed = await comeBack(through as Pick<TestApp, 'call'>, back, { cookie: trip.cookie });
  learned.setupToken = factsOf(landed).setupUsernameToken!;
  const credentials = decodeURIComponent(
    Buffer.from(provider.authorizations[0]!.split(' ')[1]!, 'base64').toString(),
  );
  expect(credentials).toContain(SECRETS.OIDC_CLIENT_SECRET);
}

async function staffActs(owner: number): Promise<void> {
  const { token } = boss;
  const act = (status: number, method: string, path: string, body?: object) =>
    witness.due(status, api, method, path, { token, body });
  learned.apiKey = (await act(201, 'POST', '/admin/api-keys', { userId: owner })).key;
  await act(200, 'GET', `/admin/api-keys/${owner}`);
  const { username, email } = newcomer();
  await act(201, 'POST', '/admin/user/admin-user', { username, email, password: STAFF });
  await act(409, 'POST', '/admin/user/admin-user', { username, email, password: REFUSED });
  const misspelt = { username, password: REFUSED, passwort: REFUSED, note: { password: REFUSED } };
  await act(400, 'POST', '/admin/user/admin-user', misspelt);
}

/** Reads all data about a user that staff can see. Returns the number of successful responses. */
async function staffLooksAt(id: number, doors: readonly (readonly [TestApp, readonly Route[]])[]) {
  let seen = 0;
  for (const [app, routes] of doors)
    for (const r of routes.filter(({ method, path }) => method === 'GET' && /\{(id|userId)\}/.test(path))) {
      const path = r.path.replace(/\{\w+\}/, String(id));
      const { status } = await witness.call(app, 'GET', path, { token: boss.token });
      if (status === 200) seen++;
    }
  return seen;
}

describe('account secrets', () => {
  let links: Record<'verify' | 'reset', string>;
  let waiting: string;
  let mails: Mail[];
  let stored: string[];

  beforeAll(async () => {
    // Sample paths contain the id of the first user, so this user is created first.
    await api.newPlayer();
    const owner = somebody();
    await opensAccount(owner);
    const { rows } = await api.sql<{ jobs: string }>`
      select string_agg(payload::text, ' ') as jobs from graphile_worker._private_jobs`.execute(api.db);
    waiting = rows[0]!.jobs;
    boss = await api.as('superadmin');
    const worker = startMailWorker(api);
    links = await linksTo(owner.email);
    await followsLinks(owner, links);
    const token = await protects(owner);
    const { id } = await owner.as(200, 'GET', '/user/me', { token });
    await comesFromProvider();
    await staffActs(id);
    await outside.waitForMail(owner.email, /password/i);
    const doors = [
      [api, mainRoutes(api.services)],
      [backoffice, backofficeRoutes(backoffice.services)],
    ] as const;
    expect(await staffLooksAt(id, doors)).toBeGreaterThan(3);
    await witness.visitEverything(doors, [undefined, { token }, boss], solved);
    await worker.close();
    mails = await everyMail(outside.url);
    stored = [...(await storedTexts(api.db))];
  });

  const lines = () => [...api.lines, ...backoffice.lines];
  const texts = (of: readonly Mail[]) => of.map((mail) => JSON.stringify(mail));
  /** Expects that only the intended recipients see a secret and that no log line, table or waiting job contains it. */
  const expectKept = (secrets: readonly string[]) => {
    const forms = secrets.flatMap(guises);
    expect(secrets.every((secret) => secret.length >= 10)).toBe(true);
    expect(hits(lines(), forms)).toEqual([]);
    expect(hits([...stored, waiting], forms)).toEqual([]);
  };
  const expectSaidBy = (secrets: readonly string[], request: RegExp, times = 1) => {
    for (const secret of secrets) {
      const said = witness.whoSaid(secret);
      expect(said.length).toBe(times);
      for (const one of said) expect(one).toMatch(request);
    }
    expect(hits(texts(mails), secrets.flatMap(guises))).toEqual([]);
  };
  const NOBODY = /^$/;

  test('never shows settings, passwords or provider tokens', async () => {
    const secrets = [...Object.values(SECRETS), SMTP_PASSWORD, PROVIDER_TOKEN, learned.idToken, ...PASSWORDS];
    expectKept(secrets);
    expectSaidBy(secrets, NOBODY, 0);
    const documents = ['main', 'backoffice'].map((name) => readFileSync(`docs/openapi/${name}.json`, 'utf8'));
    expect(hits(documents, secrets)).toEqual([]);
    expect(lines().length).toBeGreaterThan(100);
    expect(provider.forms[0]!.get('code')).toBe(PROVIDER_TOKEN);
  });

  test('shows second factors only in responses to their owner', () => {
    expect(learned.factors.length).toBe(2);
    expectKept([...learned.factors, ...learned.addresses]);
    for (const [i, request] of [/^GET \/user\/generate-2fa$/, /^POST \/user\/reset-2fa$/].entries())
      expectSaidBy([learned.factors[i]!, ...learned.addresses.slice(2 * i, 2 * i + 2)], request);
    expect(learned.recoveryCodes.length).toBe(20);
    const bare = learned.recoveryCodes.map((one) => one.replace(/[^0-9A-Z]/gi, ''));
    expectKept([...learned.recoveryCodes, ...bare]);
    expectSaidBy(learned.recoveryCodes, /^POST \/user\/enable-2fa$/);
    expectSaidBy(bare, NOBODY, 0);
  });

  test('shows link tokens only in the email that contains the link', () => {
    const tokens = Object.values(links);
    expectKept(tokens);
    for (const token of tokens) {
      expect(witness.whoSaid(token)).toEqual([]);
      expect(texts(mails).filter((mail) => mail.includes(token)).length).toBe(1);
    }
  });

  test('shows sign-in tokens and API keys only in the response that issues them', () => {
    const { challenge, setupToken, apiKey, state } = learned;
    expectKept([challenge, setupToken, apiKey, state]);
    expectSaidBy([challenge], /^POST \/auth\/sign-in$/);
    expectSaidBy([setupToken], /^GET \/auth\/google\/callback\?/);
    expectSaidBy([apiKey], /^POST \/admin\/api-keys$/);
  });

  test('shows tokens of known devices only in cookies', () => {
    expect(learned.devices.length).toBeGreaterThanOrEqual(3);
    expectKept(learned.devices);
    const answered = witness.answers.map(({ text }) => text);
    expect(hits([...answered, ...texts(mails)], learned.devices)).toEqual([]);
  });

  test('redacts passwords set by staff in the audit log', async () => {
    const { rows } = await api.sql<{ status: number; row: string }>`
      select status_code as status, to_jsonb(a)::text as row from admin_audit a
        where path = '/admin/user/admin-user' and user_id = ${boss.id} order by id`.execute(api.db);
    const tried = rows.filter(({ row }) => row.includes('[redacted]'));
    expect(tried.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409, 400]));
    expect(
      hits(
        rows.map(({ row }) => row),
        PASSWORDS.flatMap(guises),
      ),
    ).toEqual([]);
    expect(
      hits(
        witness.answers.map(({ text }) => text),
        [STAFF, REFUSED] as string[],
      ),
    ).toEqual([]);
  });
});
