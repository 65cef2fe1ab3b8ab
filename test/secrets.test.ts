import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/apps.ts';
import { createSeedVault } from '../src/modules/fairness/seeds.ts';
import { type Answer, betOnDice, type CallOptions, type Player, startApp, type TestApp } from './kit/app.ts';
import { type Captcha, startCaptcha } from './kit/captcha.ts';
import { createTestDatabase, type TestDatabase } from './kit/database.ts';
import { cutOff } from './kit/outage.ts';
import { sampleRequest } from './kit/samples.ts';
import { newcomer } from './kit/sign-in.ts';

const canary = (name: string) => `canary_${name}_${randomBytes(16).toString('hex')}`;
const SECRETS = {
  JWT_SECRET: canary('jwt'),
  SEED_SECRET: canary('seed'),
  DEBUG_TOKEN: canary('debug'),
  METRICS_TOKEN: canary('metrics'),
  CAPTCHA_SECRET: canary('captcha'),
};
const DATABASE_PASSWORD = canary('database');
const PASSWORDS = [canary('first'), canary('second'), canary('wrong')] as const;

let captcha: Captcha;
let database: TestDatabase;
let api: TestApp;
let backoffice: TestApp;
beforeAll(async () => {
  vi.stubEnv('CAPTCHA_SECRET', SECRETS.CAPTCHA_SECRET);
  captcha = await startCaptcha();
  database = await createTestDatabase();
  const databaseUrl = database.url.replace('croupier@', `croupier:${DATABASE_PASSWORD}@`);
  expect(databaseUrl).toContain(DATABASE_PASSWORD);
  const env = { ...SECRETS, ...captcha.env, LOG_LEVEL: 'trace' };
  api = await startApp({ database, databaseUrl, env });
  backoffice = await startApp({ part: 'backoffice', database, databaseUrl, env });
});
afterAll(async () => {
  await backoffice.stop();
  await api.stop();
  await database.drop();
  await captcha.close();
  vi.unstubAllEnvs();
});

/** Everything that was ever answered, in order. */
const answers: { request: string; status: number; text: string }[] = [];
const issued: string[] = [];
async function call(app: TestApp, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const answer = await app.call(method, path, options);
  const text = `${[...answer.headers].flat()} ${answer.text}`;
  answers.push({ request: `${method} ${path}`, status: answer.status, text });
  for (const part of ['accessToken', 'refreshToken', 'socketToken'])
    if (answer.body?.[part]) issued.push(answer.body[part].token);
  return answer;
}

/** Every route, as anybody, well-formed and not. */
async function visitEverything(players: readonly (Player | undefined)[]): Promise<void> {
  for (const [app, routes] of [
    [api, mainRoutes(api.services)],
    [backoffice, backofficeRoutes(backoffice.services)],
  ] as const)
    for (const r of routes.filter(({ path }) => path !== '/session/log-out/current'))
      for (const player of players) {
        const { path, body } = sampleRequest(r);
        const session = player ? { token: player.token } : {};
        const solved = r.captcha ? await captcha.solved() : {};
        await call(app, r.method, path, { ...session, body, headers: solved });
        const broken = { raw: '{"x":', headers: { 'content-type': 'application/json' } };
        if (r.method === 'GET')
          await call(app, 'GET', `${path}${path.includes('?') ? '&' : '?'}x[=1`, session);
        else await call(app, r.method, path, { ...session, ...broken });
        await call(app, r.method, path, { token: `${player?.token}x` });
      }
}

async function due(status: number, answer: Promise<Answer>): Promise<any> {
  const { status: seen, body, text } = await answer;
  expect(seen, text).toBe(status);
  return body;
}

async function signUpAndIn(): Promise<void> {
  const [first, second, wrong] = PASSWORDS;
  const { username, email } = newcomer();
  const post = async (path: string, body: object) =>
    call(api, 'POST', path, { body, headers: await captcha.solved() });
  const signUp = (more: object) => post('/auth/sign-up', { username, email, ...more });
  const signIn = (password: unknown) => post('/auth/sign-in', { email, password });
  await due(200, signUp({ password: first }));
  await due(409, signUp({ password: second }));
  await due(400, signUp({ password: second, passwort: second }));
  await due(401, signIn(wrong));
  await due(400, signIn([wrong]));
  const { refreshToken, accessToken } = await due(201, signIn(first));
  const headers = { 'refresh-token': refreshToken.token };
  for (const status of [201, 409]) await due(status, call(api, 'POST', '/auth/refresh', { headers }));
  const { token } = accessToken;
  await due(403, call(api, 'GET', '/debug/me/give-admin?debug_token=wrong', { token }));
  await due(200, call(api, 'GET', '/metrics', { token: SECRETS.METRICS_TOKEN }));
  await due(
    201,
    call(api, 'POST', '/debug/user/create', { body: { password: second, roles: ['SUPERADMIN'] } }),
  );
}

async function play(player: Player): Promise<void> {
  const { body: bet } = await betOnDice(player);
  const look = async () => {
    for (const path of [
      '/fairness/seeds',
      '/fairness/seeds/history',
      '/bets',
      `/bets/house-games/info/${bet.betId}`,
      `/fairness/bets/${bet.betId}`,
    ])
      await due(200, call(api, 'GET', path, { token: player.token }));
  };
  await look();
  await due(201, call(api, 'POST', '/fairness/seeds/rotate', { token: player.token, body: {} }));
  await look();
}

/** What happens when the database is gone: the answers and lines that nobody has seen before. */
async function whileDatabaseIsGone(players: readonly Player[]): Promise<void> {
  const mend = await cutOff(database);
  await visitEverything(players).finally(mend);
  for (const { call } of [api, backoffice])
    await vi.waitFor(async () => expect((await call('GET', '/health')).status).toBe(200), { timeout: 4000 });
}

/** A secret as it stands, and as it could be carried elsewhere. */
const guises = (secret: string | Buffer) =>
  (['utf8', 'hex', 'base64', 'base64url'] as const).map((form) => Buffer.from(secret).toString(form));

describe('Z06 secrets', () => {
  let player: Player;
  beforeAll(async () => {
    player = await api.newPlayer({ usdt: 100 });
    const boss = await api.as('superadmin');
    await signUpAndIn();
    await play(player);
    await visitEverything([undefined, player, boss]);
    for (const path of ['/docs/', '/openapi.json', '/metrics']) await call(api, 'GET', path);
    await whileDatabaseIsGone([player]);
    expect(answers.length).toBeGreaterThan(250);
    expect(answers.filter(({ status }) => status >= 500).length).toBeGreaterThan(10);
  });

  const hits = (texts: readonly string[], secrets: readonly string[]) =>
    secrets.filter((secret) => texts.some((text) => text.includes(secret)));
  const shown = () => answers.map((a) => a.text);
  const logLines = () => [...api.lines, ...backoffice.lines];

  test('settings, passwords and their hashes are in no answer, no line of the log, no document', async () => {
    const hashes = await api.db
      .selectFrom('users')
      .select('password_hash')
      .where('password_hash', 'is not', null)
      .execute();
    expect(hashes.length).toBeGreaterThanOrEqual(2);
    const secrets = [
      ...Object.values(SECRETS),
      DATABASE_PASSWORD,
      ...PASSWORDS,
      ...hashes.map((row) => row.password_hash!),
    ].flatMap(guises);
    const documents = ['main', 'backoffice'].map((name) => readFileSync(`docs/openapi/${name}.json`, 'utf8'));
    expect(logLines().length).toBeGreaterThan(10);
    expect(hits([...shown(), ...logLines(), ...documents], secrets)).toEqual([]);
  });

  test('tokens are in the one answer that gives them out, and in no line of the log', async () => {
    expect(issued.length).toBeGreaterThan(10);
    for (const token of issued) {
      const [first, ...more] = answers.filter(({ text }) => text.includes(token));
      expect(first!.request).toMatch(/^POST \/(auth\/(sign-up|sign-in|refresh)|debug\/auth\/login\/\w+)$/);
      expect(more.map((a) => a.request)).toEqual([]);
    }
    const sessions = await api.db.selectFrom('sessions').select('refresh_hash').execute();
    const kept = sessions.flatMap((row) => guises(row.refresh_hash).slice(1));
    expect(hits(logLines(), [player.token, player.refreshToken, ...issued, ...kept])).toEqual([]);
    expect(hits(shown(), [player.token, player.refreshToken, ...kept])).toEqual([]);
  });

  test('Z07 a server seed is first seen in the answer that reveals it; those in force and to come are never seen', async () => {
    const vault = createSeedVault(SECRETS.SEED_SECRET);
    const pairs = await api.db.selectFrom('seed_pairs').select(['state', 'server_seed']).execute();
    expect(new Set(pairs.map((p) => p.state))).toEqual(new Set(['ACTIVE', 'NEXT', 'REVEALED']));
    for (const { state, server_seed } of pairs) {
      const seed = vault.open(server_seed);
      const shapes = [seed, ...guises(Buffer.from(seed, 'hex')).slice(1), ...guises(server_seed).slice(1)];
      expect(hits(logLines(), shapes), state).toEqual([]);
      const [first] = answers.filter(({ text }) => shapes.some((shape) => text.includes(shape)));
      expect(first?.request, state).toBe(state === 'REVEALED' ? 'POST /fairness/seeds/rotate' : undefined);
    }
  });
});
