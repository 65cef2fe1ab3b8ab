import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import { type Route, takesBytes } from '../src/http/route.ts';
import { FORBIDDEN_KEYS } from '../src/http/server/body.ts';
import { assertEmpty, bodyReader, textReader } from '../src/http/server/validation.ts';
import type { AppError } from '../src/platform/errors.ts';
import { startCaptcha } from './kit/accounts/captcha.ts';
import { addPasskey, authenticatorFor } from './kit/accounts/passkeys.ts';
import { type Answer, betOnDice, type CallOptions, type Player, startApp, type TestApp } from './kit/app.ts';
import { CASH, HALF, newPromo, PROMO_STAFF } from './kit/engagement/promo.ts';
import { APPLICATION } from './kit/engagement/vip.ts';
import { fixture } from './kit/fixture.ts';
import { keysOf } from './kit/games/partner.ts';
import { dialectOf, takesMoreFields } from './kit/games/supplier-calls.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { form, picture } from './kit/http/images.ts';
import { HOUSE_SETTINGS, MISREAD, shareOf, TAKES_MORE } from './kit/http/requests.ts';
import { sampleRequest } from './kit/http/samples.ts';
import { proofOf } from './kit/money/webhooks.ts';

// The test sends requests for each field, so its duration grows with the number of operations.
vi.setConfig({ testTimeout: 360_000, hookTimeout: 180_000 });

const captcha = fixture(startCaptcha);
const api = fixture(() => startApp({ env: captcha.env }));
const backoffice = fixture(() => startApp({ part: 'backoffice', database: api.database }));

let file: ReturnType<typeof form>;
beforeAll(async () => {
  file = form([{ bytes: await picture(20, 20).png().toBuffer(), filename: 'me.png' }]);
});

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const doors = () => [
  { app: api, routes: mainRoutes(api.services) },
  { app: backoffice, routes: backofficeRoutes(backoffice.services) },
];

describe('objects of other players', () => {
  /** `make` creates an object and returns its id. `body` replaces the sample body if the sample is unsuitable. */
  type Owned = { make: (owner: Player) => Promise<string>; isPublic?: boolean; body?: object };
  const aBet = async (owner: Player) => (await betOnDice(owner)).body.betId as string;
  /** For each path, the function that creates the object to which the path refers. Public objects are also tested with missing ids. */
  const OWNED: Record<string, Owned> = {
    'DELETE /session/{id}': { make: (owner) => aSession(owner) },
    'PATCH /user/passkeys/{id}': { make: (owner) => aPasskey(owner) },
    // The body contains no code, because the second factor was just verified and a code in the body would still be checked.
    'DELETE /user/passkeys/{id}': { make: (owner) => aPasskey(owner), body: {} },
    'GET /bets/house-games/info/{betId}': { make: aBet },
    'GET /fairness/bets/{betId}': { make: aBet, isPublic: true },
    'GET /payments/skins/deposit/{id}': { make: (owner) => aSale(owner) },
    'POST /promo/{grantId}/forfeit': { make: (owner) => aGrant(owner) },
    'POST /vip-application/{id}/image': { make: async (owner) => (await anApplication(owner)).id },
    'GET /vip-application/image/{imageId}': {
      make: async (owner) => (await anImage(owner)).split('/').at(-1)!,
    },
  };
  const aPasskey = async (owner: Player) => (await addPasskey(owner, authenticatorFor(api))).passkey.id;
  const aSale = async ({ id, call }: Player) => {
    const atPlatform = { platform_id: String(id), platform_trade_link: 'https://platform.example/' };
    await api.db.updateTable('users').set(atPlatform).where('id', '=', id).execute();
    const { body } = await call('POST', '/payments/skins/deposit', {
      body: { currencyId: 'USDT', game: 'cs2' },
    });
    return body.depositId as string;
  };
  const anApplication = async (owner: Player): Promise<{ id: string }> => {
    const open = (await owner.call('GET', '/vip-application')).body[0];
    return open ?? (await owner.call('POST', '/vip-application', { body: APPLICATION })).body;
  };
  const anImage = async (owner: Player): Promise<string> => {
    const { id } = await anApplication(owner);
    const { body } = await owner.call('POST', `/vip-application/${id}/image`, file);
    return body.images[0];
  };
  const aGrant = async (owner: Player) => {
    const id = await newPromo(await api.as(PROMO_STAFF), HALF);
    return (await owner.call('POST', '/promo/redeem', { body: { promoId: id } })).body.id as string;
  };
  const aSession = async ({ username, call }: Player) => {
    await api.newPlayer({ username });
    const { body } = await call<{ id: string; current: boolean }[]>('GET', '/session');
    return body.find(({ current }) => !current)!.id;
  };
  /** Paths whose objects have no owner. */
  const NOBODYS = new Set([
    // This test plays no slots. The test search.test.ts of the bets module covers other players' bets.
    'GET /bets/slots/info/{betId}',
    'GET /casino/games/{slug}',
    'GET /public/casino/games/{slug}',
    'GET /covers/{slug}.svg',
    'POST /casino/games/favorite/{slug}',
    'DELETE /casino/games/favorite/{slug}',
    'GET /config/{code}',
    'GET /leaderboards/{leaderboardId}',
    'GET /challenge/{id}',
    'GET /exchange-rates/{currencyId}',
    'GET /user/{username}/stats',
    'POST /debug/auth/login/{username}',
    'POST /debug/deposit/{userId}',
    'POST /debug/deposit/emulate-success/{userId}',
    // Only the sportsbook calls these operations, and it may name any player. The sportsbook's own tests check that players cannot access
    // each other's data.
    'GET /sportsbook/external/players/{playerId}',
    'GET /sportsbook/external/wallet/{playerId}/balances',
    'POST /sportsbook/external/wallet/{playerId}/transactions',
    'GET /sportsbook/external/wallet/{playerId}/transactions/{transactionId}',
    // Only the CRM calls these operations.
    'GET /marketing/userdetails/{userId}',
    'GET /marketing/userblocks/{userId}',
    'GET /marketing/userconsents/{userId}',
    'POST /marketing/userconsents/{userId}',
    'POST /webhooks/payments/{provider}/deposit',
    'POST /webhooks/kyc/{provider}',
    'POST /webhooks/payments/{provider}/withdrawal',
    'POST /webhooks/skins/{provider}',
    'POST /casino/games/{slug}/launch',
  ]);

  const owned = () =>
    doors().flatMap(({ app, routes }) =>
      routes
        .filter(
          (r) =>
            r.path.includes('{') && ['auth', 'anonymous', 'apikey', 'signature'].includes(String(r.access)),
        )
        // The id in the path of a signed callback is the supplier's slug, not an object.
        .filter((r) => !NOBODYS.has(nameOf(r)) && !dialectOf(r))
        .map((r) => ({ app, r, ...OWNED[nameOf(r)] })),
    );

  test('declares an owner for every path that contains an id', () => {
    const open = owned().filter(({ make }) => !make);
    expect(open.map(({ r }) => `${nameOf(r)}: add it to OWNED or NOBODYS`)).toEqual([]);
  });

  const MISSING = '9223372036854775000';
  const strange = [
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x1',
    'abc',
    'null',
    'undefined',
    'NaN',
    '９',
    '%C2%A0',
    '%00',
    '%20',
  ];
  const malformed = [
    ...strange,
    '9223372036854775808',
    '1'.repeat(64),
    '1'.repeat(65),
    '1'.repeat(300),
    "1'%20or%20'1'='1",
    '1;drop%20table%20bets',
    '..%2f..%2fuser%2fme',
    '%F0%9F%92%A9',
    '01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d',
    '[object%20Object]',
    '__proto__',
  ];
  const shown = ({ status, text, body, headers }: Answer) => {
    const names = [...headers.keys()].filter((k) => !['date', 'x-request-id', 'content-length'].includes(k));
    return `${status} ${text.replace(body?.requestId, '')} ${names}`;
  };

  test('returns identical 404 responses and changes nothing for foreign, missing, malformed and unassigned ids', async () => {
    const [owner, stranger] = [await api.newPlayer({ usdt: 100 }), await api.newPlayer({ usdt: 100 })];
    for (const { app, r, make, isPublic, body } of owned()) {
      const id = await make!(owner);
      const at = (value: string, { token }: Player) =>
        app.call(r.method, r.path.replace(/\{\w+\}/, value), {
          token,
          ...(r.multipart ? file : { body: body ?? sampleRequest(r).body }),
        });
      const next = /^\d+$/.test(id) ? [1n, -1n].map((by) => String(BigInt(id) + by)) : [];
      const before = await fingerprint(api.db);
      const missing = await at(MISSING, stranger);
      expect(missing.status, nameOf(r)).toBe(404);
      for (const value of [...(isPublic ? [] : [id]), ...next, ...malformed])
        expect(shown(await at(value, stranger)), `${nameOf(r)} ${value}`).toBe(shown(missing));
      for (const value of [` ${id}`, `+${id}`, `0${id}`, `${id}.0`, `${id}%20`, `${id}n`])
        expect(shown(await at(value, owner)), `${nameOf(r)} ${value}`).toBe(shown(missing));
      expect(await fingerprint(api.db), nameOf(r)).toEqual(before);
      expect((await at(id, owner)).status, nameOf(r)).toBeLessThan(300);
      expect((await at(id, stranger)).status, nameOf(r)).toBe(isPublic ? 200 : 404);
    }
  });

  test('lists no objects of other players', async () => {
    const [owner, stranger] = [await api.newPlayer({ usdt: 100 }), await api.newPlayer()];
    const betId = await aBet(owner);
    const lists = mainRoutes(api.services).filter(
      (r) => r.method === 'GET' && r.access === 'auth' && !r.path.includes('{'),
    );
    const { body: revealed } = await owner.call('POST', '/fairness/seeds/rotate', { body: {} });
    const secrets = [betId, revealed.revealed.serverSeed, revealed.active.serverSeedHash, owner.username];
    for (const r of lists.filter((r) => !r.path.startsWith('/debug'))) {
      const answer = await stranger.call('GET', r.path);
      // The test searches for the id in quotes, because a four-digit id may be part of another user's hash.
      for (const secret of secrets) expect(answer.text, nameOf(r)).not.toContain(`"${secret}"`);
    }
    expect((await owner.call('GET', '/bets')).text).toContain(`"${betId}"`);
    expect((await owner.call('GET', '/fairness/seeds/history')).text).toContain(revealed.revealed.serverSeed);
  });
});

describe('mass assignment', () => {
  const NAMES =
    `isStaff is_staff isTest is_test isSuperAdmin superadmin role roles permissions balance balances cash
    vault bonus hold vipLevel vip_level kycLevel emailVerified email_verified id userId user_id createdAt updatedAt
    settledAt bannedAt banned_at banReason passwordHash password_hash mfaSecret mfaEnabled sessionId sid actorId isPrivate
    isYoutuber isStreamer selfExclusion idpEmail platformId lastLoginAt nonce serverSeed payout multiplier rtp usdRate status
    __proto__ constructor prototype toString hasOwnProperty valueOf`.split(/\s+/);
  const VALUES: Record<string, unknown> = {
    roles: ['SUPERADMIN'],
    permissions: ['user.read'],
    id: 1,
    userId: 1,
  };
  const givenTo = (name: string) => (Object.hasOwn(VALUES, name) ? VALUES[name] : true);
  const fieldsOf = (schema: z.ZodType | undefined) =>
    Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});

  /** Records with free-form fields. Only known fields are stored, and some are passed on unchanged. */
  const MAY_HOLD_ANYTHING = new Set([
    'userRisk',
    'payload',
    'data',
    'context',
    'amountBreakdown',
    'clientExtensionResults',
  ]);

  /** Returns copies of the body with an additional field, once at its top level and once in each nested record. */
  function* swollen(body: unknown, name: string): Generator<unknown> {
    if (Array.isArray(body)) {
      for (const [i, item] of body.entries())
        for (const more of swollen(item, name)) yield body.with(i, more);
    } else if (typeof body === 'object' && body !== null) {
      if (!Object.hasOwn(body, name)) yield { ...body, [name]: givenTo(name) };
      for (const [key, item] of Object.entries(body).filter(([key]) => !MAY_HOLD_ANYTHING.has(key)))
        for (const more of swollen(item, name)) yield { ...body, [key]: more };
    }
  }

  const refusalOf = ({ status, body }: Pick<Answer, 'status' | 'body'>, name: string) => {
    const fields: { path: string; message: string }[] = body?.details?.fields ?? [];
    const isNamed = fields.some(
      ({ path, message }) => path.split('.').at(-1) === name || message.includes(`key ${name}`),
    );
    return `${status} ${body?.code} ${isNamed ? 'by name' : fields.map((f) => f.path)}`;
  };

  /**
   * Bodies without records whose keys are names, such as the names of games. Unknown keys in such records are rejected with other errors.
   */
  const OF_NAMES: Readonly<Record<string, object>> = {
    'POST /admin/casino/games/house/settings': HOUSE_SETTINGS,
    'POST /admin/promo': CASH,
    'PUT /admin/promo/{id}/games': { gameSlugs: ['dice'] },
  };

  /** Returns how the route's schemas reject the query or body of a request. */
  const refusalBySchema = (r: Route, name: string, path: string, body: unknown) => {
    const query = Object.fromEntries(new URLSearchParams(path.split('?')[1]));
    try {
      if (r.method === 'GET') (r.query ? textReader(r.query) : assertEmpty)(query);
      else (r.body ? bodyReader(r.body) : assertEmpty)(body);
      return 'accepted';
    } catch (error) {
      const { status, ...rest } = error as AppError;
      return refusalOf({ status, body: rest }, name);
    }
  };
  /** Returns true if the route reads its body before its schema does, for example to verify a signature. */
  const hasOwnParser = (r: Route) =>
    r.multipart !== undefined || takesBytes(r) || r.access === 'signature' || r.access === 'apikey';
  const isRefusal = (seen: string) => MISREAD.some((code) => seen === `400 ${code} by name`);

  /** If a route's schema rejects all of the fields, only some of them are sent as requests. A full run sends all of them. */
  test('rejects 50 unknown fields on every route with 400, and leaves rows unchanged', async () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(50);
    const { token, call } = await api.as('superadmin');
    const keyFor = await keysOf(api, { call });
    const before = await fingerprint(api.db);
    const wrong: string[] = [];
    let tried = 0;
    const attempt = async (app: TestApp, r: Route, name: string, path: string, options: CallOptions) => {
      const headers: Record<string, string> = {
        ...(r.captcha ? await captcha.solved() : {}),
        ...(r.access === 'apikey' ? keyFor(r.path) : {}),
        ...(r.access === 'signature' ? proofOf(app, r.path, JSON.stringify(options.body)) : {}),
      };
      const seen = refusalOf(await app.call(r.method, path, { token, headers, ...options }), name);
      tried++;
      // The CRM may add fields to its contract, so unknown fields of the CRM are reported separately.
      const isLater = r.path.startsWith('/marketing/bonus/credit') && seen === '501 NOT_SUPPORTED by name';
      if (!isLater && !isRefusal(seen)) wrong.push(`${nameOf(r)} with ${name}: ${seen}`);
    };
    let place = 0;
    // Unknown fields in supplier callbacks and forms are ignored, which routes.test.ts of provider wallets tests.
    for (const { app, routes } of doors())
      for (const r of routes.filter((r) => !r.form && !TAKES_MORE.has(nameOf(r)) && !takesMoreFields(r))) {
        const { path: example, body: sample } = sampleRequest(r);
        const body = OF_NAMES[nameOf(r)] ?? sample;
        const path = r.access === 'signature' ? r.path.replace('{provider}', 'sandbox') : example;
        const query = (name: string) => `${path}${path.includes('?') ? '&' : '?'}${name}=true`;
        const others = NAMES.filter((name) => !fieldsOf(r.query).includes(name));
        const requests =
          r.method === 'GET'
            ? others.map((name) => ({ name, path: query(name), options: {} as CallOptions }))
            : NAMES.flatMap((name) =>
                [...swollen(body ?? {}, name)].map((more) => ({ name, path, options: { body: more } })),
              );
        // The parsers of bodies and queries reject the forbidden keys before any schema.
        const isBySchema = requests.every(
          ({ name, path, options }) =>
            FORBIDDEN_KEYS.has(name) || isRefusal(refusalBySchema(r, name, path, options.body)),
        );
        const names = isBySchema && !hasOwnParser(r) ? shareOf(NAMES, place++) : NAMES;
        const sent = requests.filter(({ name }) => names.includes(name));
        await Promise.all(sent.map(({ name, path, options }) => attempt(app, r, name, path, options)));
      }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(1000);
    expect(await fingerprint(api.db)).toEqual(before);
    expect(({} as Record<string, unknown>).isStaff).toBeUndefined();
  });
});
