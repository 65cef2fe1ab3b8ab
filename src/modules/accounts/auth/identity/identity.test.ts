import { describe, expect, test } from 'vitest';
import { type Answer, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  aName,
  anEmail,
  comeBack,
  factsOf,
  setOut,
  stepsAt,
  tokenOf,
  WAYS,
} from '../../../../../test/kit/games/providers.ts';
import { signInAtOidc, signInAtOpenid, startOutside } from '../../../../../test/kit/http/outside.ts';

const GERMAN = '5.9.0.1';
const BROWSER = { accept: 'text/html,application/xhtml+xml' };
const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: { ...outside.env, TRUSTED_PROXIES: '127.0.0.1' } }));

const { signIn, setUp, member } = stepsAt(app);
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;

describe.each(['google', 'steam'] as const)('%s', (segment) => {
  test('opens an account for a new user, who chooses a username, and signs in to the same account the next time', async () => {
    const who = WAYS[segment]();
    const first = await signIn(segment, who);
    expect(first.status).toBe(200);
    expect(first.body.url).toMatch(new RegExp(`^${outside.env.SITE_URL}/auth#setupUsernameToken=[\\w-]{43}`));
    expect(first.headers.get('location')).toBe(first.body.url);
    expect(factsOf(first).email).toBe(who.email ?? undefined);
    const form = {
      username: aName(),
      email: who.email ?? anEmail(),
      affiliateCode: 'friend',
      referrer: 'a page',
    };
    const opened = await setUp(tokenOf(first), form);
    expect(opened.status).toBe(201);
    const me = await app.call('GET', '/user/me', { token: opened.body.accessToken.token });
    expect(me.body).toMatchObject({ username: form.username, emailVerified: segment === 'google' });
    const seeds = await app.call('GET', '/fairness/seeds', { token: opened.body.accessToken.token });
    expect(seeds.body.nonce).toBe(0);

    const again = await signIn(segment, who);
    expect(again.body.url).toBe(`${outside.env.SITE_URL}/auth#signedIn=true`);
    const session = /__Host-access_token=([^;]+)/.exec(again.headers.getSetCookie().join('\n'))![1]!;
    expect((await app.call('GET', '/user/me', { token: session })).body.id).toBe(me.body.id);
    const { rows } =
      await app.sql`select provider, count(*)::int as n from sessions where user_id = ${me.body.id}
      group by provider`.execute(app.db);
    expect(rows).toEqual([{ provider: segment, n: 2 }]);
  });

  test('stores the identity, its provider and the profile data from the provider', async () => {
    const { user, email, ...who } = await member(segment);
    const identity = await app.db
      .selectFrom('identities')
      .selectAll()
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow();
    const accountId = 'accountId' in who ? who.accountId : null;
    expect(user).toMatchObject({
      password_hash: null,
      platform_id: accountId,
      idp_email: segment === 'google' ? email : null,
      language: segment === 'google' ? 'en' : null,
    });
    expect(identity.issuer).toBe(
      segment === 'google' ? outside.env.OIDC_ISSUER : outside.env.OPENID_CLAIMED_ID,
    );
    if (accountId) expect(identity.subject).toBe(accountId);
    const info = await app.db
      .selectFrom('registration_info')
      .select('type')
      .where('user_id', '=', user.id)
      .executeTakeFirst();
    expect(info).toEqual({ type: segment });
  });

  test('redirects a browser with 302 at every step', async () => {
    const out = await app.call('GET', `/auth/${segment}`, { headers: BROWSER });
    expect([out.status, out.text]).toEqual([302, '']);
    const cookie = out.headers.getSetCookie()[0]!.split(';')[0]!;
    const back = await WAYS[segment]().visit(new URL(out.headers.get('location')!));
    const landed = await comeBack(app, back, { cookie, ...BROWSER });
    expect(landed.status).toBe(302);
    expect(landed.headers.get('location')).toMatch(/\/auth#setupUsernameToken=/);
    expect(landed.headers.get('referrer-policy')).toBe('no-referrer');
    expect(landed.headers.get('cache-control')).toBe('no-store');
  });

  test('returns the redirect in the Location header to other clients, and sets a short-lived HttpOnly, Lax, Secure cookie', async () => {
    const { answer, url } = await setOut(app, segment);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(url.href).toContain(outside.url);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-idp_state=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const expires = Date.parse(/Expires=([^;]+)/.exec(answer.headers.getSetCookie()[0]!)![1]!);
    expect(Math.abs(expires - Date.now() - 600_000)).toBeLessThan(10_000);
  });

  test('clears the state cookie and sets the session cookies when the user returns from the provider', async () => {
    const who = await member(segment);
    const answer = await signIn(segment, who);
    const cookies = answer.headers.getSetCookie();
    const flags = (c: string) => c.replace(/=[^;]*;/, '=…;').replace(/Expires=[^;]+/, 'Expires');
    expect(cookies.map(flags).sort()).toEqual([
      '__Host-access_token=…; Path=/; Expires; HttpOnly; Secure; SameSite=Lax',
      '__Host-device=…; Path=/; Expires; HttpOnly; Secure; SameSite=Lax',
      '__Host-idp_state=…; Path=/; Expires; HttpOnly; Secure; SameSite=Lax',
      '__Host-refresh_token=…; Path=/; Expires; HttpOnly; Secure; SameSite=Lax',
    ]);
    expect(cookies.find((c) => c.startsWith('__Host-idp_state='))).toMatch(
      /^__Host-idp_state=; .*Expires=Thu, 01 Jan 1970/,
    );
  });

  test('clears the alias cookie of the access token when the user returns from the provider', async () => {
    const { url, cookie } = await setOut(app, segment);
    const who = await member(segment);
    const answer = await comeBack(app, await who.visit(url), {
      cookie: `${cookie}; __Host-jwt_access_token=old`,
    });
    expect(answer.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^__Host-jwt_access_token=; Path=\/; Expires=Thu, 01 Jan 1970/),
    );
  });

  test('returns only a challenge, without a session, when the account has a second factor', async () => {
    const who = await member(segment);
    await app.db.updateTable('users').set({ is_mfa_enabled: true }).where('id', '=', who.user.id).execute();
    const before = await app.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', who.user.id)
      .execute();
    const answer = await signIn(segment, who);
    const facts = factsOf(answer);
    expect(facts).toEqual({
      mfaToken: expect.stringMatching(/^mfa_/),
      provider: segment,
      state: expect.anything(),
      mfaMethods: '',
    });
    expect(answer.headers.getSetCookie().map((c) => c.split('=')[0])).toEqual(['__Host-idp_state']);
    const after = await app.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', who.user.id)
      .execute();
    expect(after).toEqual(before);
  });

  test('reports a ban only after the provider has verified the identity, and opens no session', async () => {
    const who = await member(segment);
    await app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', who.user.id).execute();
    expect(codeOf(await signIn(segment, who))).toBe('403 USER_BANNED');
    const browser = await signIn(segment, who, BROWSER);
    expect(browser.headers.get('location')).toBe(`${outside.env.SITE_URL}/auth#error=USER_BANNED`);
    expect(browser.headers.getSetCookie()).toEqual([]);
  });

  test('rejects sign-in and setup from a blocked country with 403, even with an existing setup token', async () => {
    const who = WAYS[segment]();
    const token = tokenOf(await signIn(segment, who));
    await app.db.updateTable('countries').set({ is_blocked: true }).where('code', '=', 'DE').execute();
    await app.sql`select pg_notify('countries_changed', 'DE')`.execute(app.db);
    const there = { 'x-forwarded-for': GERMAN };
    await expect.poll(async () => codeOf(await signIn(segment, who, there))).toBe('403 AUTH_GEO_BLOCKED');
    const form = { username: aName(), email: anEmail() };
    expect(codeOf(await setUp(token, form, there))).toBe('403 AUTH_GEO_BLOCKED');
    expect((await setUp(token, form)).status).toBe(201);
    await app.db.updateTable('countries').set({ is_blocked: false }).where('code', '=', 'DE').execute();
    await app.sql`select pg_notify('countries_changed', 'DE')`.execute(app.db);
  });

  test('reports IDP_CANCELLED when the user cancels at the provider', async () => {
    const cancel = (url: URL) =>
      segment === 'google'
        ? signInAtOidc(url.href, { email: '', cancel: true })
        : signInAtOpenid(url.href, { cancel: true });
    expect(codeOf(await signIn(segment, { visit: cancel }))).toBe('401 IDP_CANCELLED');
    const browser = await signIn(segment, { visit: cancel }, BROWSER);
    expect([browser.status, browser.headers.get('location')]).toEqual([
      302,
      `${outside.env.SITE_URL}/auth#error=IDP_CANCELLED`,
    ]);
  });
});
