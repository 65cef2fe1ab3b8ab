import { expect, test } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import type { Route } from '../src/http/route.ts';
import { browserOf } from '../src/modules/accounts/auth/identity/round-trips.ts';
import { issueToken, type Purpose } from '../src/modules/accounts/auth/one-time-tokens.ts';
import { startCaptcha } from './kit/accounts/captcha.ts';
import { turnOnMfa } from './kit/accounts/totp.ts';
import { type Answer, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { inParallel, inTurn } from './kit/http/requests.ts';
import { sampleRequest } from './kit/http/samples.ts';

const captcha = fixture(startCaptcha);
const api = fixture(() => startApp({ env: captcha.env }));
const backoffice = fixture(() => startApp({ part: 'backoffice', database: api.database }));
/** This user is a superadmin, so the token would be accepted everywhere if it counted as a session. */
const boss = fixture(() => api.as('superadmin'));

const PURPOSES: readonly Purpose[] = [
  'MFA',
  'SETUP_USERNAME',
  'VERIFY_EMAIL',
  'RESET_PASSWORD',
  'IDP_STATE',
  'PASSKEY_REGISTER',
  'PASSKEY_PROVE',
  'PASSKEY_SIGN_IN',
  'PASSKEY_CODE',
  'EMAIL_CHANGE_OLD',
  'EMAIL_CHANGE_NEW',
];
/** A payload that is valid for every purpose, so that a token can be rejected only because of its purpose. */
const PAYLOAD = {
  provider: 'password',
  state: 'a state',
  email: 'somebody@mail.example',
  browser: browserOf(),
};
const issue = async (purpose: Purpose) =>
  [
    purpose,
    await issueToken(api.db, { purpose, userId: boss.id, lifeSeconds: 600, payload: PAYLOAD }),
  ] as const;
const doors = () =>
  [
    [api, mainRoutes(api.services)],
    [backoffice, backofficeRoutes(backoffice.services)],
  ] as const;
const outcome = ({ status, body }: Answer) => `${status} ${body?.code}`;

/** Returns headers that contain the token in every header that may contain a session. */
const places = (token: string, origin: string): Record<string, string>[] => [
  { authorization: `Bearer ${token}` },
  { cookie: `__Host-access_token=${token}; __Host-jwt_access_token=${token}`, origin },
];

test('rejects every one-time token as a session in every operation of both services', async () => {
  const tokens = await Promise.all(PURPOSES.map(issue));
  const isGuarded = ({ access }: Route) => !['anonymous', 'apikey', 'signature'].includes(access as string);
  const accepted: string[] = [];
  let asked = 0;
  for (const [app, routes] of doors()) {
    const attempts = routes
      .filter(isGuarded)
      .flatMap((r) =>
        tokens.flatMap(([purpose, token]) =>
          places(token, app.url).map((headers) => ({ r, purpose, headers })),
        ),
      );
    await inParallel(inTurn(attempts), async ({ r, purpose, headers }) => {
      asked++;
      const { path, body } = sampleRequest(r);
      const answer = await app.call(r.method, path, { headers, ...(body === undefined ? {} : { body }) });
      const due = purpose === 'MFA' ? '401 AUTH_MFA_REQUIRED' : '401 UNAUTHORIZED';
      if (outcome(answer) !== due || answer.headers.getSetCookie().length > 0)
        accepted.push(
          `${purpose} (${Object.keys(headers)[0]}): ${r.method} ${path} answers ${outcome(answer)}`,
        );
    });
  }
  expect(accepted).toEqual([]);
  expect(asked).toBeGreaterThan(100);
});

/** Matches field names of tokens, such as `token` and `setupUsernameToken`. */
const TOKEN_NAME = /^(token|[a-z]\w*Token)$/;
const TOKEN_FIELD = /(?<=[?&])(token|[a-z]\w*Token)=[^&]*/;
/** The operations that accept each token. */
const HOME: Readonly<Record<string, readonly Purpose[]>> = {
  'POST /auth/verify-2fa': ['MFA'],
  'POST /user/passkeys/second-factor/options': ['MFA'],
  'POST /user/passkeys/second-factor': ['MFA'],
  'POST /auth/setup-username': ['SETUP_USERNAME'],
  'GET /user/verify-email': ['VERIFY_EMAIL'],
  'PATCH /user/confirm-password-reset': ['RESET_PASSWORD'],
  'POST /user/email/confirm': ['EMAIL_CHANGE_OLD', 'EMAIL_CHANGE_NEW'],
};

test('rejects every one-time token when it is used for another purpose, as a refresh token or as an API key', async () => {
  const factor = await turnOnMfa(api, boss);
  const tokens = await Promise.all(PURPOSES.map(issue));
  const routes = mainRoutes(api.services).filter((r) => {
    // Routes with signatures are skipped, because partner requests may contain a player's session token.
    if (r.access === 'signature') return false;
    const { path, body } = sampleRequest(r);
    return TOKEN_FIELD.test(path) || Object.keys(body ?? {}).some((field) => TOKEN_NAME.test(field));
  });
  expect(routes.map(({ method, path }) => `${method} ${path}`).filter((name) => !HOME[name])).toEqual([]);
  expect(routes.length).toBeGreaterThan(0);
  const accepted: string[] = [];
  const check = (what: string, answer: Answer) => {
    const isRefused = answer.status >= 400 || answer.body?.result === false;
    if (!isRefused || answer.status >= 500 || answer.headers.getSetCookie().some((c) => /_token=./.test(c)))
      accepted.push(`${what} answers ${answer.status} ${answer.text}`);
  };
  for (const [purpose, token] of tokens) {
    const mfaCode = await factor.code();
    for (const r of routes.filter(({ method, path }) => !HOME[`${method} ${path}`]!.includes(purpose))) {
      const { path, body } = sampleRequest(r);
      const filled = Object.entries(body ?? {}).map(([field, value]) => [
        field,
        TOKEN_NAME.test(field) ? token : field === 'mfaCode' ? mfaCode : value,
      ]);
      const url = path.replace(TOKEN_FIELD, `$1=${token}`);
      const headers = r.captcha ? await captcha.solved() : {};
      check(
        `${purpose}: ${r.method} ${r.path}`,
        await api.call(r.method, url, { body: body && Object.fromEntries(filled), headers }),
      );
    }
    check(
      `${purpose}: refresh`,
      await api.call('POST', '/auth/refresh', { headers: { 'refresh-token': token } }),
    );
    for (const [app, all] of doors())
      for (const r of all.filter(({ access }) => access === 'apikey'))
        check(
          `${purpose}: key`,
          await app.call(r.method, sampleRequest(r).path, { headers: { 'x-api-key': token } }),
        );
  }
  expect(accepted).toEqual([]);
  const [[, mine]] = tokens as [(typeof tokens)[0]];
  const own = await api.call('POST', '/auth/verify-2fa', {
    body: { token: mine, mfaCode: await factor.code() },
  });
  expect(own.status).toBe(200);
});
