import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import { permissionsFor } from '../src/http/access.ts';
import { openApi } from '../src/http/docs/openapi.ts';
import type { Route } from '../src/http/route.ts';
import { disable, forgetTries, outcome, proved } from './kit/accounts/second-factor.ts';
import { turnOnMfa, wrongCode } from './kit/accounts/totp.ts';
import { type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import { signInAgain } from './kit/http/requests.ts';
import { sampleRequest } from './kit/http/samples.ts';
import { decide, statusOf, waiting } from './kit/money/withdrawals.ts';

type Doors = { api: TestApp; backoffice: TestApp };

let strict: Doors;
let boss: Player;
let factor: Awaited<ReturnType<typeof turnOnMfa>>;
const routesOf = (door: keyof Doors) =>
  door === 'api' ? mainRoutes(lax.services) : backofficeRoutes(lax.services);

/** A service on which staff need no second factor. */
const lax = fixture(startApp);
beforeAll(async () => {
  const { database } = lax;
  const env = { STAFF_MFA_REQUIRED: 'true' };
  strict = {
    api: await startApp({ database, env }),
    backoffice: await startApp({ part: 'backoffice', database, env }),
  };
  boss = await strict.api.as('superadmin');
  factor = await turnOnMfa(strict.api, boss);
});
afterAll(async () => {
  await strict.backoffice.stop();
  await strict.api.stop();
});

const LATE = 901;
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Routes that require these permissions are always sensitive. */
const DANGEROUS: readonly string[] = [
  'staff.write',
  'apikey.write',
  'bet.rollback',
  'user.resetMfa',
  'tip.pay',
];
/** Sensitive routes whose permissions also allow harmless operations. */
const DANGEROUS_ROUTES = [
  'POST /admin/payments/withdraw/retry',
  'POST /withdraw/retry',
  ...['/admin/payments', ''].flatMap((at) => [
    `POST ${at}/deposit/{id}/review`,
    `POST ${at}/deposit/{id}/review/approve`,
  ]),
  'POST /admin/casino/games/house/settings',
  'DELETE /admin/user-limits/user-exclusion',
  'DELETE /user-limits/user-exclusion',
  'DELETE /admin/withdrawals-block/{userId}',
];
/** Superadmin operations that only read, regardless of their method, or that do not affect other users. */
const HARMLESS = ['POST /user/all', 'POST /accounting/transactions', 'POST /admin/user/stats/migrate'];
const CONDITIONAL = [
  'PATCH /admin/user/{id}',
  'PATCH /user/{id}',
  'POST /admin/payments/withdraw/approve',
  'POST /withdraw/approve',
];

/**
 * For each operation, a body that starts, pays or lifts something, and a body that stops something. The second body needs no second factor.
 */
const BY_BODY: Readonly<Record<string, { asks: object; stops: object }>> = {
  'POST /admin/promo/{id}/status': {
    asks: { status: 'ACTIVE', reason: 'x' },
    stops: { status: 'PAUSED', reason: 'x' },
  },
  'PATCH /admin/kyc/{userId}': {
    asks: { tier: 'BASIC', action: 'APPROVE', reason: 'x' },
    stops: { tier: 'BASIC', action: 'REJECT', reason: 'x', rejectType: 'FINAL' },
  },
  'POST /admin/vip-application/{id}/decision': {
    asks: { approve: true, reason: 'x', vipLevel: 1 },
    stops: { approve: false, reason: 'x' },
  },
  'POST /admin/casino/games/{slug}': { asks: { category: 'SLOTS' }, stops: { enabled: false } },
  'POST /admin/casino/games/bulk': {
    asks: { slugs: ['x'], category: 'SLOTS' },
    stops: { slugs: ['x'], enabled: false },
  },
};

/** Returns an operation's name in the form that the main API uses. The backoffice omits the beginning of its path. */
const inMainApi = (r: Route): string => nameOf(r).replace(/ \/(?:admin\/)?/, ' /admin/');

function isDangerous(r: Route): boolean {
  if (r.createsValue && r.createsValue !== 'returns') return true;
  if (r.method === 'GET' || HARMLESS.includes(nameOf(r))) return false;
  if (DANGEROUS_ROUTES.includes(nameOf(r)) || r.access === 'superadmin') return true;
  return permissionsFor(r.access).some((permission) => DANGEROUS.includes(permission));
}

describe.each(['api', 'backoffice'] as const)('dangerous routes of %s', (door) => {
  test('declares a step-up on every dangerous route, and documents the header and the errors', () => {
    const routes = routesOf(door);
    expect(routes.filter(isDangerous).length).toBeGreaterThan(8);
    const { paths, info } = openApi({ title: 'x', description: 'x', tags: {} }, routes);
    expect(info.description).toContain('x-mfa-code');
    for (const r of routes) {
      const byBody = BY_BODY[inMainApi(r)] && r.stepUp;
      if (typeof r.stepUp === 'object') expect(byBody, nameOf(r)).toBeDefined();
      const due = byBody ?? (CONDITIONAL.includes(nameOf(r)) ? 'conditional' : isDangerous(r) || undefined);
      expect(r.stepUp, nameOf(r)).toBe(due);
      const { parameters, responses } = paths[r.path]![r.method.toLowerCase()] as any;
      const headers = parameters.filter((p: any) => p.in === 'header').map((p: any) => p.name);
      expect(headers.includes('x-mfa-code'), nameOf(r)).toBe(due !== undefined);
      if (!due) continue;
      expect(responses['403'].description).toContain('MFA_REQUIRED');
      expect(responses['400'].description).toContain('MFA_INVALID');
    }
  });

  test('rejects a session whose second factor was verified 15 minutes ago, whatever it sends', async () => {
    const late = await signInAgain(strict.api, boss);
    await proved(strict.api, boss, LATE);
    const headers = { authorization: `Bearer ${late.token}`, 'content-type': 'application/json' };
    for (const r of routesOf(door).filter(({ stepUp }) => stepUp === true)) {
      const { path, body } = sampleRequest(r);
      for (const sent of [JSON.stringify(body ?? {}), '{"__proto__"']) {
        const answer = await rawRequest(strict[door].url, r.method, path, { headers, body: sent });
        expect([answer.status, answer.body.code], nameOf(r)).toEqual([403, 'MFA_REQUIRED']);
        expect(answer.body.details).toEqual({ header: 'x-mfa-code' });
      }
    }
  });
});

test('requires the second factor only to start, pay or lift something, not to stop something', async () => {
  const late = await signInAgain(strict.api, boss);
  await proved(strict.api, boss, LATE);
  const routes = routesOf('api').filter(({ stepUp }) => typeof stepUp === 'object');
  expect(new Set(routes.map(nameOf))).toEqual(new Set(Object.keys(BY_BODY)));
  for (const r of routes) {
    const { asks, stops } = BY_BODY[nameOf(r)]!;
    const call = (body: object) =>
      strict.api.call(r.method, sampleRequest(r).path, { token: late.token, body });
    expect(outcome(await call(asks)), nameOf(r)).toBe('403 MFA_REQUIRED');
    expect((await call(stops)).body.code, nameOf(r)).not.toBe('MFA_REQUIRED');
  }
});

/** Opens another session for `who` that verified the second factor `seconds` ago. Returns the user with calls in that session. */
async function sessionOf(who: Player, seconds: number) {
  const { token } = await signInAgain(strict.api, who);
  const own = { ...who, call: ((m, p, o = {}) => strict.api.call(m, p, { token, ...o })) as Player['call'] };
  await proved(strict.api, who, seconds);
  return own;
}
const setRoles = (who: Player, id: number, mfaCode?: string, roles = ['SUPPORT']) =>
  who.call('PUT', `/admin/user/${id}/roles`, {
    body: { roles },
    headers: mfaCode === undefined ? {} : { 'x-mfa-code': mfaCode },
  });
const rolesOf = async (id: number) =>
  (await lax.db.selectFrom('users').select('roles').where('id', '=', id).executeTakeFirstOrThrow()).roles;

describe('the header x-mfa-code', () => {
  test('verifies the second factor for the same request, and for the session for 15 minutes', async () => {
    const own = await sessionOf(boss, LATE);
    const target = await lax.newPlayer();
    expect(outcome(await setRoles(own, target.id))).toBe('403 MFA_REQUIRED');
    const mfaCode = await factor.code();
    expect(outcome(await setRoles(own, target.id, mfaCode))).toBe('200');
    expect(await rolesOf(target.id)).toEqual(['SUPPORT']);
    expect(outcome(await setRoles(own, target.id, undefined, []))).toBe('200');
    expect(outcome(await setRoles(own, target.id, mfaCode))).toBe('400 MFA_INVALID');
    expect(outcome(await setRoles(await sessionOf(boss, LATE), target.id, mfaCode))).toBe('400 MFA_INVALID');
    expect(await rolesOf(target.id)).toEqual([]);
  });

  test('verifies nothing for another session', async () => {
    const [own, other] = [await sessionOf(boss, LATE), await sessionOf(boss, LATE)];
    const target = await lax.newPlayer();
    expect(outcome(await setRoles(own, target.id, await factor.code()))).toBe('200');
    expect(outcome(await setRoles(other, target.id))).toBe('403 MFA_REQUIRED');
  });

  test("rejects a code that is wrong, empty, a recovery code, another user's code or sent twice", async () => {
    const own = await sessionOf(boss, LATE);
    const target = await lax.newPlayer();
    const stranger = await turnOnMfa(lax, await lax.newPlayer());
    const right = await factor.code();
    const codes = [wrongCode(factor.secret), '', factor.recoveryCodes[0]!, `${right}, ${right}`];
    for (const mfaCode of [...codes, await stranger.code(), 'é'])
      expect(outcome(await setRoles(own, target.id, mfaCode)), mfaCode).toBe('400 MFA_INVALID');
    expect(outcome(await setRoles(own, target.id))).toBe('403 MFA_REQUIRED');
    expect(await rolesOf(target.id)).toEqual([]);
    await forgetTries(lax, boss);
  });

  test('allows ten wrong codes as for other codes, and does not count valid codes', async () => {
    const clerk = await strict.api.as({ permissions: ['staff.write', 'user.read'] });
    const own = await turnOnMfa(strict.api, clerk);
    const target = await lax.newPlayer();
    await proved(lax, clerk, LATE);
    const grant = (mfaCode: string) =>
      strict.api.call('PUT', `/admin/user/${target.id}/permissions`, {
        token: clerk.token,
        body: { permissions: ['user.read'] },
        headers: { 'x-mfa-code': mfaCode },
      });
    expect(outcome(await grant(await own.code()))).not.toContain('MFA');
    const guesses = await Promise.all(Array.from({ length: 30 }, () => grant(wrongCode(own.secret))));
    const outcomes = guesses.map(outcome);
    expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(10);
    expect(outcomes.filter((o) => o === '429 RATE_LIMITED')).toHaveLength(20);
    expect(outcome(await grant(await own.code()))).toBe('429 RATE_LIMITED');
    expect(outcome(await disable(clerk, { mfaCode: await own.code() }))).toBe('429 RATE_LIMITED');
  });

  test('does not check the code of callers who lack the permission', async () => {
    const clerk = await strict.api.as({ permissions: ['user.read'] });
    const own = await turnOnMfa(strict.api, clerk);
    const mfaCode = await own.code();
    expect(outcome(await setRoles(clerk, 1, mfaCode))).toBe('403 FORBIDDEN');
    expect(outcome(await disable(clerk, { mfaCode }))).toBe('201');
  });

  test('accepts a code in only one of two concurrent requests', async () => {
    const target = await lax.newPlayer();
    const sessions = [await sessionOf(boss, LATE), await sessionOf(boss, LATE)];
    const mfaCode = await factor.code();
    const answers = await Promise.all(sessions.map((own) => setRoles(own, target.id, mfaCode)));
    expect(answers.map(outcome).sort()).toEqual(['200', '400 MFA_INVALID']);
  });

  test('keeps the code out of the audit log, which records the rejection', async () => {
    const own = await sessionOf(boss, LATE);
    const target = await lax.newPlayer();
    const mfaCode = await factor.code();
    await setRoles(own, target.id);
    await setRoles(own, target.id, mfaCode);
    const path = `/admin/user/${target.id}/roles`;
    const rows = await lax.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('path', '=', path)
      .orderBy('id')
      .execute();
    expect(rows.map((row) => row.status_code)).toEqual([403, 200]);
    for (const { request_body, before, after } of rows)
      expect(JSON.stringify([request_body, before, after])).not.toContain(mfaCode);
  });

  test('requires no code when staff need no second factor', async () => {
    const free = await lax.as('superadmin');
    const target = await lax.newPlayer();
    expect(outcome(await setRoles(free, target.id))).toBe('200');
  });
});

describe('conditional step-up', () => {
  const APPROVER = { permissions: ['withdraw.read', 'withdraw.approve'] };
  const approver = async () => {
    const who = await strict.api.as(APPROVER);
    return { who, factor: await turnOnMfa(strict.api, who) };
  };

  test('requires a step-up for both approvals at or above the four-eyes threshold, but not below it', async () => {
    const body = { fourEyesThresholdUsd: '50' };
    expect(
      (await (await lax.as('superadmin')).call('PATCH', '/admin/config/WITHDRAWALS', { body })).status,
    ).toBe(200);
    const [first, second] = [await approver(), await approver()];
    for (const { who } of [first, second]) await proved(lax, who, LATE);
    const small = await waiting(lax, { amount: '10' });
    expect(outcome(await decide(first.who, 'approve', small.id))).toBe('201');
    expect(await statusOf(lax, small.id)).toBe('APPROVED');

    const large = await waiting(lax, { amount: '60' });
    const approve = (who: Player, mfaCode?: string) =>
      who.call('POST', '/admin/payments/withdraw/approve', {
        body: { id: large.id },
        headers: mfaCode ? { 'x-mfa-code': mfaCode } : {},
      });
    for (const { who, factor: own } of [first, second]) {
      expect(outcome(await approve(who))).toBe('403 MFA_REQUIRED');
      expect(outcome(await approve(who, wrongCode(own.secret)))).toBe('400 MFA_INVALID');
      expect(await statusOf(lax, large.id)).toBe('WAITING_FOR_APPROVAL');
      expect(outcome(await approve(who, await own.code()))).toBe('201');
    }
    expect(await statusOf(lax, large.id)).toBe('APPROVED');
  });

  test('does not use up a code when the approval is rejected for another reason', async () => {
    const { who, factor: own } = await approver();
    await proved(lax, who, LATE);
    const made = await waiting(lax, { amount: '60' });
    const mfaCode = await own.code();
    const approve = () =>
      who.call('POST', '/admin/payments/withdraw/approve', {
        body: { id: made.id },
        headers: { 'x-mfa-code': mfaCode },
      });
    const block = { reasonPublic: 'wait' };
    const chief = await lax.as('superadmin');
    const path = `/admin/withdrawals-block/${made.player.id}`;
    expect(outcome(await chief.call('POST', path, { body: block }))).toBe('201');
    expect(outcome(await approve())).toBe('403 WITHDRAWAL_BLOCKED');
    expect(outcome(await chief.call('DELETE', path))).toBe('200');
    expect(outcome(await approve())).toBe('201');
  });

  test('requires a step-up for making a user staff or a test account, but not for other edits', async () => {
    const own = await sessionOf(boss, LATE);
    const target = await lax.newPlayer();
    const edit = (body: object, mfaCode?: string) =>
      own.call('PATCH', `/admin/user/${target.id}`, {
        body,
        headers: mfaCode ? { 'x-mfa-code': mfaCode } : {},
      });
    expect(outcome(await edit({ isStreamer: true }))).toBe('200');
    expect(outcome(await edit({ isStaff: true }))).toBe('403 MFA_REQUIRED');
    expect(outcome(await edit({ isTest: true }))).toBe('403 MFA_REQUIRED');
    expect(outcome(await edit({ isStaff: true }, await factor.code()))).toBe('200');
  });
});
