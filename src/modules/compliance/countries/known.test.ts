/** Tests every country rule with every signal that links a player to a country. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { KYC_SECRET, PERSON } from '../../../../test/kit/accounts/kyc.ts';
import { DICE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newGame } from '../../../../test/kit/games/catalogue.ts';
import { notify } from '../../../../test/kit/money/webhooks.ts';
import { cancel, waiting } from '../../../../test/kit/money/withdrawals.ts';

/** In American Samoa, each day begins 24 hours later than in Tonga. */
const STRICT = 'AS';
const STRICT_ADDRESS = '202.70.112.1';
const TONGA = 'TO';

const LAB = {
  slug: 'lab',
  name: 'Lab',
  dialect: 'generic',
  // No server listens at this address, so a launch that passes every rule fails at the provider.
  apiUrl: 'http://127.0.0.1:9',
  operatorId: 'casino',
  secrets: ['a secret of the lab'],
  launchOrigins: ['http://127.0.0.1:9'],
  blockedCountries: [],
  currencies: [{ ours: 'USDT', code: 'USDT', decimals: 8 }],
};
const app = fixture(() =>
  startApp({
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      GAME_PROVIDERS: JSON.stringify([LAB]),
      KYC_PROVIDER: 'sandbox',
      KYC_API_URL: 'http://127.0.0.1:9',
    },
  }),
);
const boss = fixture(() => app.as('superadmin'));

type Headers = Record<string, string>;
type Signal = { name: string; make?: (player: Player) => Promise<unknown>; headers?: Headers };
const SIGNALS: readonly Signal[] = [
  {
    name: 'account',
    make: ({ id }) =>
      app.db.updateTable('users').set({ country_code: STRICT }).where('id', '=', id).execute(),
  },
  {
    name: 'registration',
    make: ({ id }) =>
      app.db
        .updateTable('registration_info')
        .set({ country_code: STRICT })
        .where('user_id', '=', id)
        .execute(),
  },
  {
    name: 'stated identity',
    make: (player) => player.call('POST', '/kyc/basic', { body: { ...PERSON, country: STRICT } }),
  },
  {
    name: 'identity document',
    make: async (player) => {
      await player.call('POST', '/kyc/basic', { body: PERSON });
      await showDocument(player, 'ASM');
    },
  },
  { name: 'address', headers: { 'x-forwarded-for': STRICT_ADDRESS } },
  { name: 'unreadable address', headers: { 'x-forwarded-for': 'no address at all' } },
];

/** Reports an approved identity document of a country, as the identity provider does. */
async function showDocument({ id }: Player, documentCountry: string): Promise<void> {
  const applicantId = randomUUID();
  const applicant = { provider: 'sandbox', user_id: id, applicant_id: applicantId };
  await app.db.insertInto('kyc_applicants').values(applicant).execute();
  const webhook = {
    eventId: randomUUID(),
    applicantId,
    userId: id,
    tier: 'IDENTITY',
    status: 'APPROVED',
    occurredAt: new Date().toISOString(),
    documentCountry,
  };
  const answer = await notify(app, '/webhooks/kyc/sandbox', webhook, { secret: KYC_SECRET });
  expect(codeOf(answer)).toBe('200');
}

const configure = async (code: string, body: object): Promise<void> =>
  expect(codeOf(await boss.call('PATCH', `/admin/config/${code}`, { body }))).toBe('200');
const block = async (isBlocked: boolean): Promise<void> => {
  const answer = await boss.call('PATCH', `/admin/country/${STRICT}`, { body: { isBlocked } });
  expect(answer.status).toBe(200);
};

const HOUSE = '/casino/games/house';
const bet = (player: Player, headers: Headers) =>
  player.call('POST', `${HOUSE}/dice/bet`, { body: DICE, headers });
const launch = (player: Player, headers: Headers, body: object = { currencyId: 'USDT' }) =>
  player.call('POST', '/casino/games/strict-slot/launch', { body, headers });

type Rule = {
  name: string;
  set: (isOn: boolean) => Promise<void>;
  /** Creates the player, in a special state if the rule requires it. */
  player?: () => Promise<{ player: Player; id: string }>;
  ask: (player: Player, headers: Headers, id: string) => Promise<string>;
  refused: string;
  allowed: string;
};

const RULES: readonly Rule[] = [
  {
    name: 'time between bets',
    set: (isOn) => configure('COMMON', { minBetIntervalMsByCountry: isOn ? { [STRICT]: 60_000 } : {} }),
    ask: async (player, headers) => {
      expect(codeOf(await bet(player, headers))).toBe('201');
      return codeOf(await bet(player, headers));
    },
    refused: '429 BET_TOO_SOON',
    allowed: '201',
  },
  {
    name: 'series',
    set: (isOn) => configure('COMMON', { seriesByCountry: isOn ? { [STRICT]: false } : {} }),
    ask: async (player, headers) =>
      codeOf(await player.call('POST', `${HOUSE}/dice/series`, { body: { ...DICE, count: 2 }, headers })),
    refused: '403 SERIES_CLOSED',
    allowed: '201',
  },
  {
    name: 'cancelling a withdrawal',
    set: (isOn) => configure('WITHDRAWALS', { cancelByCountry: isOn ? { [STRICT]: false } : {} }),
    player: () => waiting(app),
    ask: async (player, headers, id) => codeOf(await cancel(player, id, headers)),
    refused: '403 WITHDRAWAL_CANCEL_CLOSED',
    allowed: '201',
  },
  {
    name: 'tips',
    set: (isOn) => configure('COMMON', { tips: { byCountry: isOn ? { [STRICT]: false } : {} } }),
    ask: async (player, headers) =>
      String((await player.call('GET', '/user-tips/limits', { headers })).body.enabled),
    refused: 'false',
    allowed: 'true',
  },
  {
    name: 'games',
    // The provider's country list blocks the country from the start.
    set: async () => undefined,
    ask: async (player, headers) => {
      const page = await player.call('GET', '/casino/games/strict-slot', { headers });
      const { body } = await player.call('GET', '/casino/games?name=strict-slot', { headers });
      const launches = [await launch(player, headers), await launch(player, headers, { demo: true })];
      return [codeOf(page), body.total, ...launches.map(codeOf)].join();
    },
    refused: '404 GAME_NOT_FOUND,0,403 AUTH_GEO_BLOCKED,403 AUTH_GEO_BLOCKED',
    allowed: '200,1,502 PROVIDER_UNAVAILABLE,502 PROVIDER_UNAVAILABLE',
  },
  {
    name: 'blocked country',
    set: block,
    ask: async (player, headers) => {
      const tips = await player.call('GET', '/user-tips/limits', { headers });
      const address = await player.call('GET', '/payments/deposit/address?currencyId=USDT&networkId=tron', {
        headers,
      });
      return [codeOf(await bet(player, headers)), tips.body.blockers[0], codeOf(address)].join();
    },
    refused: '403 AUTH_GEO_BLOCKED,AUTH_GEO_BLOCKED,403 AUTH_GEO_BLOCKED',
    // No payment provider responds in this test, so an allowed request fails with 503.
    allowed: '201,EMAIL_NOT_VERIFIED,503 SERVICE_UNAVAILABLE',
  },
];

beforeAll(async () => {
  const provider = await app.db
    .selectFrom('game_providers')
    .select('id')
    .where('slug', '=', 'lab')
    .executeTakeFirstOrThrow();
  await newGame(app, {
    provider_id: provider.id,
    slug: 'strict-slot',
    facts: JSON.stringify({ hasDemo: true }),
    blocked_countries: [STRICT],
  });
});

describe.each(RULES)('$name', ({ set, player: newPlayer, ask, refused, allowed }) => {
  const made = async () => (newPlayer ? newPlayer() : { player: await app.newPlayer({ usdt: 100 }), id: '' });

  test('applies the rules of a country to a player linked to it by any signal, and to no other player', async () => {
    const seen: Record<string, string> = {};
    const players = [];
    for (const signal of SIGNALS) {
      const one = await made();
      await signal.make?.(one.player);
      players.push({ ...one, signal });
    }
    await set(true);
    try {
      for (const { player, id, signal } of players)
        seen[signal.name] = await ask(player, signal.headers ?? {}, id);
      const other = await made();
      seen.none = await ask(other.player, {}, other.id);
    } finally {
      await set(false);
    }
    expect(seen).toEqual({
      ...Object.fromEntries(SIGNALS.map(({ name }) => [name, refused])),
      none: allowed,
    });
  });
});

test('counts a birthday only after it has begun in every country where the player may live', async () => {
  // Twenty is a multiple of four, so either both years have a 29 February or neither has one.
  await configure('COMMON', { minimumAge: 20 });
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Tongatapu' }).format(new Date());
  const birthDate = `${Number(today.slice(0, 4)) - 20}${today.slice(4)}`;
  const state = async (signal: Signal, country: string) => {
    const player = await app.newPlayer();
    await signal.make?.(player);
    const body = { ...PERSON, country, birthDate };
    return codeOf(await player.call('POST', '/kyc/basic', { body, headers: signal.headers ?? {} }));
  };
  const [account, registration, , , address] = SIGNALS;
  const document: Signal = { name: 'document', make: (player) => showDocument(player, 'ASM') };
  expect(await state({ name: 'none' }, TONGA)).toBe('201');
  expect(await state({ name: 'stated identity' }, STRICT)).toBe('400 KYC_UNDERAGE');
  for (const signal of [account!, document]) expect(await state(signal, TONGA)).toBe('400 KYC_UNDERAGE');
  const adult = await app.newPlayer();
  const underage = () => app.services.kyc.underageAmong(app.db, [adult.id]);
  await adult.call('POST', '/kyc/basic', { body: { ...PERSON, country: TONGA, birthDate } });
  expect([...(await underage())]).toEqual([]);
  await showDocument(adult, 'ASM');
  expect([...(await underage())]).toEqual([adult.id]);
  // The countries of the registration and of the address have no effect on when the birthday begins.
  for (const signal of [registration!, address!]) expect(await state(signal, TONGA), signal.name).toBe('201');
});

test('stores all countries of the player at a game launch, so that blocking one of them later affects the bets of that launch', async () => {
  const player = await app.newPlayer({ usdt: 1 });
  await app.db.updateTable('users').set({ country_code: 'FR' }).where('id', '=', player.id).execute();
  await launch(player, { 'x-forwarded-for': '81.2.69.142' });
  const sessions = await app.db
    .selectFrom('provider_sessions')
    .select(['country', 'countries'])
    .where('user_id', '=', player.id)
    .execute();
  expect(sessions).toEqual([{ country: 'GB', countries: 'FR GB' }]);
});
