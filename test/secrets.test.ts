import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import { createSeedEncryption } from '../src/modules/games/fairness/service.ts';
import { type Captcha, startCaptcha } from './kit/accounts/captcha.ts';
import { newcomer } from './kit/accounts/sign-in.ts';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { createTestDatabase, type TestDatabase } from './kit/database.ts';
import { cutOff } from './kit/processes/outage.ts';
import { canary, createWitness, guises, hits } from './kit/processes/witness.ts';

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

const witness = createWitness();
const { answers, due } = witness;
const visitEverything = (players: readonly (Player | undefined)[]) =>
  witness.visitEverything(
    [
      [api, mainRoutes(api.services)],
      [backoffice, backofficeRoutes(backoffice.services)],
    ],
    players,
    captcha.solved,
  );
/** Returns the tokens that have appeared in responses so far. */
const issued = () =>
  answers
    .filter(({ status }) => status < 300)
    .flatMap(({ text }) => [...text.matchAll(/"(?:access|refresh|socket)Token":\{"token":"([^"]+)"/g)])
    .map(([, token]) => token!);

async function signUpAndIn(): Promise<void> {
  const [first, second, wrong] = PASSWORDS;
  const { username, email } = newcomer();
  const post = async (status: number, path: string, body: object) =>
    due(status, api, 'POST', path, { body, headers: await captcha.solved() });
  const signUp = (status: number, more: object) =>
    post(status, '/auth/sign-up', { username, email, ...more });
  const signIn = (status: number, password: unknown) => post(status, '/auth/sign-in', { email, password });
  await signUp(200, { password: first });
  await signUp(409, { password: second });
  await signUp(400, { password: second, passwort: second });
  await signIn(401, wrong);
  await signIn(400, [wrong]);
  const { refreshToken, accessToken } = await signIn(201, first);
  const headers = { 'refresh-token': refreshToken.token };
  // A repeated request from the same device returns the same new token.
  for (const status of [201, 201]) await due(status, api, 'POST', '/auth/refresh', { headers });
  const { token } = accessToken;
  await due(403, api, 'GET', '/debug/me/give-admin?debug_token=wrong', { token });
  await due(200, api, 'GET', '/metrics', { token: SECRETS.METRICS_TOKEN });
  const body = { password: second, roles: ['SUPERADMIN'] };
  const proof = { 'x-debug-token': SECRETS.DEBUG_TOKEN };
  await due(403, api, 'POST', '/debug/user/create', { body });
  await due(201, api, 'POST', '/debug/user/create', { body, headers: proof });
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
      await due(200, api, 'GET', path, { token: player.token });
  };
  await look();
  await due(201, api, 'POST', '/fairness/seeds/rotate', { token: player.token, body: {} });
  await look();
}

/** Stops the database to provoke responses and log lines that other tests do not see. */
async function whileDatabaseIsGone(players: readonly Player[]): Promise<void> {
  const mend = await cutOff(database);
  await visitEverything(players).finally(mend);
  for (const { call } of [api, backoffice])
    await vi.waitFor(async () => expect((await call('GET', '/health')).status).toBe(200), {
      timeout: 20_000,
    });
}

describe('secrets', () => {
  let player: Player;
  beforeAll(async () => {
    // Sample paths contain the id of the first user, so this user is created first.
    await api.newPlayer();
    player = await api.newPlayer({ usdt: 100 });
    const boss = await api.as('superadmin');
    await signUpAndIn();
    await play(player);
    await visitEverything([undefined, player, boss]);
    for (const path of ['/docs/api/', '/openapi.json', '/metrics']) await witness.call(api, 'GET', path);
    await whileDatabaseIsGone([player]);
    expect(answers.length).toBeGreaterThan(250);
    expect(answers.filter(({ status }) => status >= 500).length).toBeGreaterThan(10);
  });

  const shown = () => answers.map(({ text, cookies }) => `${cookies} ${text}`);
  const logLines = () => [...api.lines, ...backoffice.lines];

  test('keeps settings, passwords and hashes out of responses, logs and documents', async () => {
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

  test('shows tokens only in the response that issues them, and in no log line', async () => {
    const tokens = issued();
    expect(tokens.length).toBeGreaterThan(10);
    // A repeated refresh returns the same new token.
    for (const token of tokens)
      expect([...new Set(witness.whoSaid(token))]).toEqual([
        expect.stringMatching(/^POST \/(auth\/(sign-up|sign-in|refresh)|debug\/auth\/login\/\w+)$/),
      ]);
    const sessions = await api.db.selectFrom('sessions').select('refresh_hash').execute();
    const kept = sessions.flatMap((row) => guises(row.refresh_hash).slice(1));
    expect(hits(logLines(), [player.token, player.refreshToken, ...tokens, ...kept])).toEqual([]);
    expect(hits(shown(), [player.token, player.refreshToken, ...kept])).toEqual([]);
  });

  test('shows a server seed only after it has been revealed, never while it is active or next', async () => {
    const vault = createSeedEncryption(SECRETS.SEED_SECRET);
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
