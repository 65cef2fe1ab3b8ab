import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  aName,
  anAccount,
  anEmail,
  comeBack,
  setOut,
  stepsAt,
  tokenOf,
  WAYS,
} from '../../../../../test/kit/games/providers.ts';
import { signInAtOidc, signInAtOpenid, startOutside } from '../../../../../test/kit/http/outside.ts';
import { startElsewhere } from '../../../../../test/kit/processes/environments.ts';
import { withinOneMinute } from '../../../../../test/kit/until.ts';
import { createRoundTrips } from './round-trips.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml' };
const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: { ...outside.env, LOG_LEVEL: 'trace' } }));
afterEach(() => outside.behave('oidc', 'ok'));

const { signIn, setUp } = stepsAt(app);
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;

describe('redirect targets for a browser', () => {
  const HOSTILE = [
    '//evil.example',
    '\\\\evil.example',
    'https://evil.example',
    '@evil.example',
    '/\r\nx: y',
  ];
  const NAMES = [
    'returnUrl',
    'redirect',
    'redirect_uri',
    'next',
    'url',
    'state',
    'return_to',
    'openid.return_to',
  ];

  test('redirects a browser to the site on invalid or rate-limited requests', async () => {
    const bad = await app.call('GET', '/auth/google?x=1', { headers: BROWSER });
    expect([bad.status, bad.headers.get('location')]).toEqual([
      302,
      `${outside.env.SITE_URL}/auth#error=VALIDATION_FAILED`,
    ]);
    const limited = await startApp({ env: { ...outside.env, RATE_LIMIT_AUTH: '1' }, database: app.database });
    const twice = async () => limited.call('GET', '/auth/steam', { headers: BROWSER });
    await withinOneMinute();
    const answers = [await twice(), await twice(), await twice()];
    const last = answers.at(-1)!;
    expect(last.headers.get('location')).toBe(`${outside.env.SITE_URL}/auth#error=RATE_LIMITED`);
    await limited.stop();
  });

  test('ignores redirect targets and forged headers in the request that starts a sign-in', async () => {
    for (const segment of ['google', 'steam'])
      for (const value of HOSTILE)
        for (const field of NAMES) {
          const search = new URLSearchParams({ [field]: value });
          const answer = await app.call('GET', `/auth/${segment}?${search}`);
          expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
        }
    const forged = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
    };
    for (const segment of ['google', 'steam'] as const) {
      const plain = await app.call('GET', `/auth/${segment}`);
      const answer = await app.call('GET', `/auth/${segment}`, {
        headers: { ...forged, origin: 'https://evil.example', referer: 'https://evil.example/a' },
      });
      const shape = (a: Answer) => {
        const url = new URL(a.headers.get('location')!);
        const back = url.searchParams.get('redirect_uri') ?? url.searchParams.get('openid.return_to');
        return [url.origin, url.pathname, back!.split('?')[0], url.searchParams.get('openid.realm')];
      };
      expect(shape(answer)).toEqual(shape(plain));
      expect(answer.headers.get('location')).not.toContain('evil');
    }
  });

  test('redirects to the configured site on return, whether the sign-in succeeds or not', async () => {
    for (const [segment, path] of [
      ['google', 'callback'],
      ['steam', 'return'],
    ] as const) {
      const who = WAYS[segment]();
      const { url, cookie } = await setOut(app, segment);
      const back = new URL(await who.visit(url));
      for (const field of ['returnUrl', 'redirect', 'next', 'url'])
        back.searchParams.set(field, '//evil.example');
      const headers = { cookie, 'x-forwarded-host': 'evil.example', referer: 'https://evil.example/' };
      const answer = await comeBack(app, back, headers);
      expect(answer.status).toBe(200);
      expect(answer.body.url.startsWith(`${outside.env.SITE_URL}/auth#`)).toBe(true);
      for (const value of HOSTILE)
        for (const field of ['state', 'error', 'error_uri', 'returnUrl']) {
          const search = new URLSearchParams({ [field]: value });
          const refused = await app.call('GET', `/auth/${segment}/${path}?${search}`, { headers: BROWSER });
          expect(refused.headers.get('location')).toBe(
            `${outside.env.SITE_URL}/auth#error=IDP_STATE_INVALID`,
          );
        }
    }
  });
});

describe('an unavailable or unconfigured provider', () => {
  test('returns 503 IDP_UNAVAILABLE while the provider is down, and works again afterwards', async () => {
    const late = await startApp({ env: outside.env, database: app.database });
    await outside.behave('oidc', 'down');
    const refused = await late.call('GET', '/auth/google');
    expect(codeOf(refused)).toBe('503 IDP_UNAVAILABLE');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.headers.getSetCookie()).toEqual([]);
    const browser = await late.call('GET', '/auth/google', { headers: BROWSER });
    expect(browser.headers.get('location')).toBe(`${outside.env.SITE_URL}/auth#error=IDP_UNAVAILABLE`);
    await outside.behave('oidc', 'ok');
    expect((await late.call('GET', '/auth/google')).status).toBe(200);
    const trip = await setOut(app, 'google');
    const back = await signInAtOidc(trip.url.href, { email: anEmail() });
    await outside.behave('oidc', 'down');
    expect(codeOf(await comeBack(app, back, { cookie: trip.cookie }))).toBe('503 IDP_UNAVAILABLE');
    await late.stop();
  });

  test('returns 404 IDP_DISABLED when the provider is not configured', async () => {
    const production = await startElsewhere(app, 'production', { env: DEPLOYED });
    for (const path of ['google', 'google/callback', 'steam', 'steam/return']) {
      const isBack = path.includes('/');
      const { state, cookie } = await stateOf(production, path.split('/')[0]!);
      const address = isBack ? `/auth/${path}?${new URLSearchParams({ state })}` : `/auth/${path}`;
      expect(codeOf(await production.call('GET', address, { headers: { cookie } }))).toBe('404 IDP_DISABLED');
      const headers = { ...BROWSER, ...(isBack ? {} : { cookie }) };
      const browser = await production.call('GET', `/auth/${path}`, { headers });
      const code = isBack ? 'IDP_STATE_INVALID' : 'IDP_DISABLED';
      expect(browser.headers.get('location')).toBe(`https://croupier.example/auth#error=${code}`);
    }
    await production.stop();
  });
  const DEPLOYED = { PUBLIC_API_URL: 'https://api.croupier.example', SMTP_URL: 'smtps://mail.example' };
  /** Starts a sign-in and returns its state, as if the provider were still configured. */
  const stateOf = async ({ config }: { config: typeof app.config }, segment: string) => {
    const trips = createRoundTrips({ db: app.services.db, config });
    const { state, cookie } = await trips.begin(segment, { verifier: 'v', nonce: 'n' });
    return { state, cookie: `__Host-${cookie.name}=${cookie.value}` };
  };

  test('reads the route segments from the configuration', async () => {
    const env = { ...outside.env, IDP_A_SEGMENT: 'apple', IDP_B_SEGMENT: 'valve' };
    const other = await startApp({ env, database: app.database });
    const trip = await setOut(other, 'apple');
    expect(trip.url.searchParams.get('redirect_uri')).toBe(
      `${other.config.PUBLIC_API_URL}/auth/apple/callback`,
    );
    const back = await signInAtOidc(trip.url.href, { email: anEmail() });
    expect((await comeBack(other, back, { cookie: trip.cookie })).status).toBe(200);
    const { url, cookie } = await setOut(other, 'valve');
    const returned = await signInAtOpenid(url.href, { accountId: anAccount() });
    expect((await comeBack(other, returned, { cookie })).status).toBe(200);
    expect((await other.call('GET', '/auth/google')).status).toBe(404);
    await other.stop();
  });
});

test('logs no secrets at trace level and stores none in plain text', async () => {
  const { url, cookie } = await setOut(app, 'google');
  const { url: openidUrl, cookie: openidCookie } = await setOut(app, 'steam');
  const state = url.searchParams.get('state')!;
  const email = anEmail();
  const back = await signInAtOidc(url.href, { email });
  const code = new URL(back).searchParams.get('code')!;
  const secrets = [state, cookie.split('=')[1]!, url.searchParams.get('nonce')!];
  const row = await app.sql`select t::text as text from one_time_tokens t where purpose = 'IDP_STATE'
    order by created_at desc limit 2`.execute(app.db);
  const stored = JSON.stringify(row.rows);
  for (const secret of [...secrets, openidCookie.split('=')[1]!]) expect(stored).not.toContain(secret);
  await outside.behave('oidc', 'nonce');
  expect(codeOf(await comeBack(app, back, { cookie }))).toBe('401 IDP_REFUSED');
  await outside.behave('oidc', 'ok');
  const setup = tokenOf(await signIn('google', { visit: (u) => signInAtOidc(u.href, { email }) }));
  await setUp(setup, { username: 'x', email });
  const opened = await setUp(setup, { username: aName(), email });
  const sig = await signInAtOpenid(openidUrl.href, { accountId: anAccount() });
  await comeBack(app, sig, { cookie: openidCookie });
  const { accessToken, refreshToken } = opened.body;
  const log = app.lines.join('\n');
  expect(log).toContain('sign-in at a provider failed');
  for (const secret of [
    ...secrets,
    code,
    setup,
    email,
    accessToken.token,
    refreshToken.token,
    outside.env.OIDC_CLIENT_SECRET!,
    openidUrl.searchParams.get('openid.return_to')!,
    new URL(sig).searchParams.get('openid.sig')!,
  ])
    expect(log).not.toContain(secret);
});
