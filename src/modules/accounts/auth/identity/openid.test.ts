import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import {
  anAccount,
  comeBack,
  factsOf,
  setOut,
  startRogueOpenid,
  type Trip,
} from '../../../../../test/kit/games/providers.ts';
import { type Outside, signInAtOpenid, startOutside } from '../../../../../test/kit/http/outside.ts';

type Rogue = Awaited<ReturnType<typeof startRogueOpenid>>;
const NS = 'http://specs.openid.net/auth/2.0';
const YES = `ns:${NS}\nis_valid:true\n`;
let outside: Outside;
let rogue: Rogue;
/**
 * One service trusts the sandbox's game platform. The other two trust an endpoint that confirms every assertion. All share the database.
 */
let app: TestApp;
let trusting: TestApp;
let second: TestApp;
beforeAll(async () => {
  [outside, rogue] = await Promise.all([startOutside(), startRogueOpenid()]);
  app = await startApp({ env: outside.env });
  const options = { env: { ...outside.env, ...rogue.env }, database: app.database };
  [trusting, second] = await Promise.all([startApp(options), startApp(options)]);
});
afterEach(async () => {
  await outside.behave('openid', 'ok');
  rogue.said = { body: YES };
});
afterAll(async () => {
  await Promise.all([trusting.stop(), second.stop()]);
  await app.stop();
  await Promise.all([outside.close(), rogue.close()]);
});

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;
const stateIn = ({ url }: Trip) =>
  new URL(url.searchParams.get('openid.return_to')!).searchParams.get('state')!;
async function gains(): Promise<unknown> {
  const { rows } = await app.sql`select (select count(*)::int from sessions) as sessions,
    (select count(*)::int from identities) as identities,
    (select count(*)::int from one_time_tokens where purpose in ('SETUP_USERNAME', 'MFA')) as tokens`.execute(
    app.db,
  );
  return rows;
}
async function expectRefused(code: string, attempt: () => Promise<Answer>): Promise<void> {
  const before = await gains();
  const answer = await attempt();
  expect(codeOf(answer)).toBe(code);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(answer.headers.get('location')).toBeNull();
  expect(await gains()).toEqual(before);
}

/** Signs in at the real platform. `change` alters the response with which the browser returns, as an attacker would. */
async function returning(change: (back: URL, trip: Trip) => void): Promise<Answer> {
  const trip = await setOut(app, 'steam');
  const back = new URL(await signInAtOpenid(trip.url.href, { accountId: anAccount() }));
  change(back, trip);
  return comeBack(app, back, { cookie: trip.cookie });
}

test("requests an identity from the configured endpoint, with the service's return address and a state parameter", async () => {
  const { url } = await setOut(app, 'steam');
  expect(url.origin + url.pathname).toBe(outside.env.OPENID_ENDPOINT);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    'openid.ns': NS,
    'openid.mode': 'checkid_setup',
    'openid.claimed_id': `${NS}/identifier_select`,
    'openid.identity': `${NS}/identifier_select`,
    'openid.realm': app.config.PUBLIC_API_URL,
    'openid.return_to': expect.stringMatching(
      new RegExp(`^${app.config.PUBLIC_API_URL}/auth/steam/return\\?state=[\\w-]{43}$`),
    ),
  });
  expect(factsOf(await returning(() => {}))).toHaveProperty('setupUsernameToken');
});

describe('an altered OpenID assertion', () => {
  const SIGNED = 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle';
  const set = (fields: Record<string, string>) => (back: URL) => {
    for (const [name, value] of Object.entries(fields)) back.searchParams.set(`openid.${name}`, value);
  };
  const other = anAccount();
  const now = () => new Date().toISOString().slice(0, 19);
  test.each<[string, (back: URL, trip: Trip) => void]>([
    ['a wrong op_endpoint', (back) => set({ op_endpoint: `${rogue.url}/login` })(back)],
    [
      'another account',
      (back) => {
        const id = `${outside.env.OPENID_CLAIMED_ID}${other}`;
        set({ claimed_id: id, identity: id })(back);
      },
    ],
    [
      'an account of another platform',
      (back) => {
        const id = `${rogue.url}/id/${other}`;
        set({ claimed_id: id, identity: id })(back);
      },
    ],
    ['a different identity', (back) => set({ identity: `${outside.env.OPENID_CLAIMED_ID}${other}` })(back)],
    ['a wrong return_to', set({ return_to: 'https://evil.example/auth/steam/return' })],
    [
      'extra parameters in return_to',
      (back) => set({ return_to: `${back.searchParams.get('openid.return_to')}&a=b` })(back),
    ],
    ['a changed nonce', (back) => set({ response_nonce: `${now()}Zother` })(back)],
    ['an old nonce', set({ response_nonce: '2020-01-01T00:00:00Zabc' })],
    ['a wrong signature', set({ sig: 'AAAA' })],
    ['a wrong handle', set({ assoc_handle: 'x' })],
    ...SIGNED.split(',').map((name): [string, (back: URL) => void] => [
      `${name} not signed`,
      set({
        signed: SIGNED.split(',')
          .filter((n) => n !== name)
          .join(','),
      }),
    ]),
    ...[
      'ns',
      'op_endpoint',
      'claimed_id',
      'identity',
      'return_to',
      'response_nonce',
      'assoc_handle',
      'signed',
      'sig',
    ].map((name): [string, (back: URL) => void] => [
      `no ${name}`,
      (back) => back.searchParams.delete(`openid.${name}`),
    ]),
    ['no mode', (back) => back.searchParams.delete('openid.mode')],
    ['a wrong mode', set({ mode: 'error' })],
    ['mode check_authentication', set({ mode: 'check_authentication' })],
    ['OpenID 1.1', set({ ns: 'http://openid.net/signon/1.1' })],
  ])('is rejected with %s', async (_, change) => {
    await expectRefused('401 IDP_REFUSED', () => returning(change));
  });

  test('rejects an assertion in which a field appears twice', async () => {
    const twice = (back: URL) =>
      back.searchParams.append('openid.claimed_id', `${outside.env.OPENID_CLAIMED_ID}${other}`);
    await expectRefused('400 VALIDATION_FAILED', () => returning(twice));
  });

  test('sends no request to endpoints named in the assertion', async () => {
    rogue.asked.length = 0;
    for (const field of ['op_endpoint', 'claimed_id', 'identity', 'return_to', 'user_setup_url', 'ns'])
      await returning((back) => back.searchParams.set(`openid.${field}`, `${rogue.url}/login`));
    expect(rogue.asked).toEqual([]);
  });
});

describe('the OpenID state', () => {
  test('rejects a state that is missing, invented or from another browser or provider, but still accepts it in the original browser', async () => {
    const trip = await setOut(app, 'steam');
    const back = new URL(await signInAtOpenid(trip.url.href, { accountId: anAccount() }));
    const google = await setOut(app, 'google');
    for (const state of [
      undefined,
      '',
      'x',
      google.url.searchParams.get('state')!,
      stateIn(await setOut(app, 'steam')),
    ]) {
      const changed = new URL(back);
      changed.searchParams.delete('state');
      if (state !== undefined) changed.searchParams.set('state', state);
      await expectRefused('400 IDP_STATE_INVALID', () => comeBack(app, changed, { cookie: trip.cookie }));
    }
    for (const cookie of ['a=b', (await setOut(app, 'steam')).cookie, google.cookie])
      await expectRefused('400 IDP_STATE_INVALID', () => comeBack(app, back, { cookie }));
    expect((await comeBack(app, back, { cookie: trip.cookie })).status).toBe(200);
    await expectRefused('400 IDP_STATE_INVALID', () => comeBack(app, back, { cookie: trip.cookie }));
  });

  test("rejects an attacker's assertion in the browser of a victim (login CSRF)", async () => {
    const [attacker, victim] = [await setOut(app, 'steam'), await setOut(app, 'steam')];
    const back = new URL(await signInAtOpenid(attacker.url.href, { accountId: anAccount() }));
    await expectRefused('400 IDP_STATE_INVALID', () => comeBack(app, back, { cookie: victim.cookie }));
    back.searchParams.set('state', stateIn(victim));
    await expectRefused('401 IDP_REFUSED', () => comeBack(app, back, { cookie: victim.cookie }));
  });
});

describe('direct verification with the OpenID platform', () => {
  const arrive = async (
    at: TestApp,
    changes: Record<string, string | undefined> = {},
    account = anAccount(),
  ) => {
    const trip = await setOut(at, 'steam');
    return comeBack(at, rogue.assertion(trip, account, changes), { cookie: trip.cookie });
  };

  test('forwards every field unchanged, except mode, which becomes check_authentication', async () => {
    rogue.asked.length = 0;
    const account = anAccount();
    expect(
      factsOf(await arrive(trusting, { 'sreg.x': 'ä &=', invalidate_handle: 'h' }, account)),
    ).toHaveProperty('setupUsernameToken');
    const sent = Object.fromEntries(rogue.asked[0]!);
    expect(sent).toMatchObject({
      'openid.mode': 'check_authentication',
      'openid.claimed_id': `${rogue.url}/id/${account}`,
      'openid.sreg.x': 'ä &=',
      'openid.invalidate_handle': 'h',
    });
    expect(Object.keys(sent).filter((name) => !name.startsWith('openid.'))).toEqual([]);
  });

  test('accepts an assertion only once across all processes, even if the platform confirms it again', async () => {
    const response_nonce = `${new Date().toISOString().slice(0, 19)}Z${randomBytes(9).toString('hex')}`;
    expect((await arrive(trusting, { response_nonce })).status).toBe(200);
    for (const at of [trusting, second])
      await expectRefused('401 IDP_REFUSED', () => arrive(at, { response_nonce }));
    const another = {
      response_nonce: `${new Date().toISOString().slice(0, 19)}Z${randomBytes(9).toString('hex')}`,
    };
    const codes = await Promise.all(
      [trusting, second, trusting, second].map(async (at) => codeOf(await arrive(at, another))),
    );
    expect(codes.sort()).toEqual(['200 undefined', ...Array(3).fill('401 IDP_REFUSED')]);
  });

  test.each([
    ['no', YES.replace('true', 'false')],
    ['an empty body', ''],
    ['yes but no namespace', 'is_valid:true\n'],
    ['both yes and no', `${YES}is_valid:false\n`],
    ['an HTML page', `<html>${YES}</html>`],
    ['JSON', '{"is_valid":"true"}'],
  ])('rejects the assertion when the platform responds with %s', async (_, body) => {
    rogue.said = { body };
    await expectRefused('401 IDP_REFUSED', () => arrive(trusting));
  });

  test('returns 503 on an error, redirect or oversized response, and follows no redirect', async () => {
    const location = `${rogue.url}/elsewhere`;
    for (const said of [
      { status: 500, body: YES },
      { status: 302, headers: { location }, body: YES },
      { status: 307, headers: { location }, body: YES },
      { status: 200, body: YES + ' '.repeat(65 * 1024) },
    ]) {
      rogue.said = said;
      rogue.asked.length = 0;
      await expectRefused('503 IDP_UNAVAILABLE', () => arrive(trusting));
      expect(rogue.asked).toHaveLength(1);
    }
  });

  test('returns 503 within 5.5 seconds when the identity provider is down or slow', async () => {
    await outside.behave('openid', 'down');
    await expectRefused('503 IDP_UNAVAILABLE', () => returning(() => {}));
    await outside.behave('openid', 'slow');
    const begun = Date.now();
    await expectRefused('503 IDP_UNAVAILABLE', () => returning(() => {}));
    expect(Date.now() - begun).toBeLessThan(5500);
  });
});
