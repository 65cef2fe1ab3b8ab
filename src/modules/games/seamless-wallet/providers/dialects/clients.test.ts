import { createHash, createHmac, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  DIALECTS,
  type Dialect,
  gameProviders,
  vectors,
} from '../../../../../../test/kit/games/game-providers.ts';
import { units } from '../../../../../platform/money.ts';
import { NotSent, Unanswered } from '../../../../../platform/net/outbound.ts';
import type { LaunchRequest } from '../provider.ts';

type Request = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
let asked: Request[] = [];
let reply: (request: Request) => { status?: number; body: string; location?: string };
const supplier = createServer(async (incoming, outgoing) => {
  const { method = '', url = '', headers } = incoming;
  const request = { method, url, headers, body: await textOf(incoming) };
  asked.push(request);
  const { status = 200, body, location } = reply(request);
  outgoing.writeHead(status, location ? { location } : {}).end(body);
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => supplier.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(supplier.address() as AddressInfo).port}`;
});
afterEach(() => {
  asked = [];
});
afterAll(() => void supplier.close());

const NOW = 1_764_000_000_000;
const providerOf = (dialect: Dialect) => gameProviders({ url, now: NOW }).get(dialect);
const answers = (body: unknown, status = 200) => {
  reply = () => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body) });
};
const REAL: LaunchRequest = {
  gameCode: 'seven-orchards',
  player: { userId: 42, username: 'kim', token: 'tok', currencyId: 'USD', country: 'DE' },
  language: 'en',
  device: 'MOBILE',
  ip: '203.0.113.9',
  lobbyUrl: 'https://play.example/lobby',
};
const { player: _player, ...DEMO } = REAL;
const launchAnswer = (dialect: Dialect, address: string) =>
  ({
    generic: { url: address },
    hub88: { url: address },
    softswiss: { launch_options: { game_url: address } },
    pragmatic: { error: '0', description: 'OK', gameURL: address },
  })[dialect];

/** Returns true if a request has the signature that its provider requires. */
function isSigned(dialect: Dialect, { method, url: path, headers, body }: Request): boolean {
  const mac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex');
  const signed = method === 'GET' ? path : body;
  if (dialect === 'generic') {
    const t = NOW / 1000;
    return headers['x-signature'] === `t=${t},v1=${mac(`${t}.${signed}`, vectors.generic.secret)}`;
  }
  if (dialect === 'softswiss') return headers['x-request-sign'] === mac(signed, vectors.softswiss.authToken);
  if (dialect === 'hub88') {
    const signature = Buffer.from(String(headers['x-hub88-signature']), 'base64');
    return verify('RSA-SHA256', Buffer.from(body), vectors.hub88.publicKey, signature);
  }
  const fields = [...new URLSearchParams(body)].filter(([name]) => name !== 'hash');
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  const base = fields.map(([name, value]) => `${name}=${value}`).join('&') + vectors.pragmatic.secret;
  return new URLSearchParams(body).get('hash') === createHash('md5').update(base).digest('hex');
}
const fieldsOf = ({ headers, body }: Request): unknown =>
  headers['content-type'] === 'application/json'
    ? JSON.parse(body)
    : Object.fromEntries(new URLSearchParams(body));

const LAUNCHES = {
  generic: {
    path: '/api/generic/launch',
    real: {
      gameCode: 'seven-orchards',
      demo: false,
      playerId: '42',
      sessionToken: 'tok',
      currency: 'US$',
      country: 'DE',
      device: 'MOBILE',
    },
    demoPath: '/api/generic/launch',
    demo: { gameCode: 'seven-orchards', demo: true },
    absent: 'playerId',
  },
  hub88: {
    path: '/api/hub88/operator/generic/v2/game/url',
    real: {
      operator_id: 'casino',
      user: '42',
      token: 'tok',
      game_code: 'seven-orchards',
      platform: 'GPL_MOBILE',
      currency: 'US$',
      country: 'DE',
      lang: 'en',
    },
    demoPath: '/api/hub88/operator/generic/v2/game/url',
    demo: { currency: 'XXX' },
    absent: 'user',
  },
  softswiss: {
    path: '/api/softswiss/sessions',
    real: {
      casino_id: 'casino',
      game: 'seven-orchards',
      session_id: 'tok',
      currency: 'US$',
      client_type: 'mobile',
      user: { id: '42', username: 'kim', country: 'DE' },
    },
    demoPath: '/api/softswiss/demo',
    demo: { casino_id: 'casino', game: 'seven-orchards' },
    absent: 'user',
  },
  pragmatic: {
    path: '/api/pragmatic/game/url/',
    real: {
      secureLogin: 'casino',
      symbol: 'seven-orchards',
      externalPlayerId: '42',
      token: 'tok',
      currency: 'US$',
      platform: 'MOBILE',
      playMode: 'REAL',
    },
    demoPath: '/api/pragmatic/game/url/',
    demo: { playMode: 'DEMO' },
    absent: 'token',
  },
} as const;

describe.each(DIALECTS)('launches at %s', (dialect) => {
  const expected = LAUNCHES[dialect];
  test('signs the launch request and sends it once, for a player and as a demo', async () => {
    answers(launchAnswer(dialect, `${url}/games/play?x=1`));
    expect(await providerOf(dialect).launch(REAL)).toEqual({ url: `${url}/games/play?x=1` });
    expect(await providerOf(dialect).launch(DEMO)).toEqual({ url: `${url}/games/play?x=1` });
    expect(asked.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      `POST ${expected.path}`,
      `POST ${expected.demoPath}`,
    ]);
    for (const request of asked) expect(isSigned(dialect, request)).toBe(true);
    expect(fieldsOf(asked[0]!)).toMatchObject(expected.real);
    expect(fieldsOf(asked[1]!)).toMatchObject(expected.demo);
    expect(fieldsOf(asked[1]!)).not.toHaveProperty(expected.absent);
  });

  test("rejects a launch address outside the provider's origins", async () => {
    for (const address of [
      'https://evil.example/play',
      `${url}.evil.example/`,
      'javascript:alert(1)',
      '/play',
      '',
    ]) {
      answers(launchAnswer(dialect, address));
      await expect(providerOf(dialect).launch(REAL), address).rejects.toThrow(Unanswered);
    }
  });

  test('rejects unreadable responses, redirects and errors', async () => {
    for (const body of ['', '{}', '[]', 'null', '<html>']) {
      answers(body);
      await expect(providerOf(dialect).launch(REAL), body).rejects.toThrow(Unanswered);
    }
    for (const [status, kind] of [
      [401, NotSent],
      [403, NotSent],
      [429, NotSent],
      [404, Unanswered],
      [500, Unanswered],
    ] as const) {
      answers('{}', status);
      await expect(providerOf(dialect).launch(REAL), String(status)).rejects.toThrow(kind);
    }
    reply = () => ({ status: 302, body: '', location: `${url}/elsewhere` });
    await expect(providerOf(dialect).launch(REAL)).rejects.toThrow(Unanswered);
    expect(asked.some(({ url: path }) => path === '/elsewhere')).toBe(false);
    await expect(
      providerOf(dialect).launch({ ...REAL, player: { ...REAL.player!, currencyId: 'DOGE' } }),
    ).rejects.toThrow(NotSent);
  });
});

const GAME = {
  code: 'g',
  name: 'Game',
  type: 'SLOTS',
  categories: ['CRASH'],
  images: ['https://cdn.example/g.png'],
  blockedCountries: ['US'],
  rtp: 96.5,
  volatility: 'HIGH',
  maxWinMultiplier: 5000,
  hasDemo: true,
  hasFreeSpins: false,
};

test("converts game lists to the platform's format", async () => {
  answers({ total: 1, games: [{ ...GAME, currencies: ['US$', 'ZZZ'], description: null }] });
  expect(await providerOf('generic').list()).toEqual([{ ...GAME, currencies: ['USD'], description: null }]);
  expect(asked[0]).toMatchObject({ method: 'GET', url: '/api/generic/games' });
  expect(isSigned('generic', asked[0]!)).toBe(true);
  answers({ total: 2, games: [{ ...GAME }] });
  await expect(providerOf('generic').list()).rejects.toThrow(Unanswered);

  const common = { name: 'Game', url_thumb: 'https://cdn.example/g.png', blocked_countries: ['US'] };
  const hub88 = {
    ...common,
    game_code: 'g',
    category: 'Crash Games',
    rtp: 96.5,
    volatility: 5,
    max_win_multiplier: 5000,
  };
  answers([
    { ...hub88, enabled: true, demo_game_support: true, freebet_support: false },
    { ...hub88, game_code: 'off', enabled: false },
  ]);
  expect(await providerOf('hub88').list()).toEqual([{ ...GAME, currencies: null, description: null }]);

  const softswiss = { identifier: 'g', title: 'Game', provider: 'x', category: 'crash', payout: 96.5 };
  const more = { volatility_rating: 'high', multiplier: 5000, has_freespins: false, has_demo: true };
  const lists = {
    currencies: ['US$'],
    restricted_countries: ['US'],
    images: GAME.images,
    description: 'fun',
  };
  answers({ games: [{ ...softswiss, ...more, ...lists }] });
  expect(await providerOf('softswiss').list()).toEqual([
    { ...GAME, currencies: ['USD'], description: 'fun' },
  ]);
  expect(isSigned('softswiss', asked.at(-1)!)).toBe(true);

  const pragmatic = {
    gameID: 'g',
    gameName: 'Game',
    gameTypeID: 'cr',
    typeDescription: 'Crash Games',
    rtp: '96.50',
  };
  const rest = { volatility: 'HIGH', maxWin: 5000, demoGameAvailable: true, frbAvailable: false };
  const its = { currencies: null, blockedCountries: ['US'], images: GAME.images };
  answers({ error: '0', description: 'OK', gameList: [{ ...pragmatic, ...rest, ...its }] });
  expect(await providerOf('pragmatic').list()).toEqual([{ ...GAME, currencies: null, description: null }]);
  expect(isSigned('pragmatic', asked.at(-1)!)).toBe(true);
  answers({ error: '5', description: 'Invalid hash' });
  await expect(providerOf('pragmatic').list()).rejects.toThrow(Unanswered);
});

test('requests the Hub88 game list at most once a minute', async () => {
  answers([]);
  const hub88 = providerOf('hub88');
  await Promise.all([hub88.list(), hub88.list()]);
  await hub88.list();
  expect(asked).toHaveLength(1);
  const broken = providerOf('hub88');
  answers('{}', 500);
  await expect(broken.list()).rejects.toThrow(Unanswered);
  await expect(broken.list()).rejects.toThrow(NotSent);
  expect(asked).toHaveLength(2);
});

describe('provider reports', () => {
  const from = new Date(NOW);
  const to = new Date(NOW + 3_600_000);
  const at = new Date(NOW + 60_000);
  const WIN = {
    transactionId: 't',
    type: 'WIN',
    playerId: '42',
    currencyId: 'USD',
    amount: units('2.5'),
    round: 'r',
    gameCode: 'g',
    at,
    state: 'DONE',
    isRoundClosed: true,
    reference: null,
    isFree: false,
  };

  test('reads reports of the generic dialect, Hub88 and SOFTSWISS', async () => {
    const common = { currency: 'US$', at: at.toISOString() };
    answers({
      transactions: [
        {
          ...common,
          transactionId: 't',
          type: 'WIN',
          playerId: '42',
          amount: '2.50',
          roundId: 'r',
          gameCode: 'g',
          state: 'DONE',
          roundClosed: true,
          referenceTransactionId: null,
        },
      ],
    });
    expect(await providerOf('generic').report(from, to)).toEqual([WIN]);
    expect(asked[0]!.url).toBe(
      `/api/generic/transactions?${new URLSearchParams({ from: from.toISOString(), to: to.toISOString() })}`,
    );
    expect(isSigned('generic', asked[0]!)).toBe(true);

    answers([
      {
        transaction_uuid: 't',
        transaction_type: 'WIN',
        user: '42',
        currency: 'US$',
        amount: 250_000,
        round: 'r',
        round_closed: true,
        game_code: 'g',
        reference_transaction_uuid: null,
        status: 'DONE',
        is_free: false,
        created_at: at.toISOString(),
      },
    ]);
    expect(await providerOf('hub88').report(from, to)).toEqual([WIN]);
    expect(fieldsOf(asked.at(-1)!)).toMatchObject({
      start_time: from.toISOString(),
      end_time: to.toISOString(),
    });

    const win = {
      action_id: 't',
      action: 'win',
      user_id: '42',
      currency: 'US$',
      amount: 250,
      game: 'g',
      game_id: 'r',
      finished: true,
      original_action_id: null,
      rolled_back: false,
      processed_at: at.toISOString(),
    };
    answers({ transactions: [win, { ...win, action: 'freespins', rolled_back: true }] });
    expect(await providerOf('softswiss').report(from, to)).toEqual([
      WIN,
      { ...WIN, type: 'FREE_SPIN_WIN', state: 'UNDONE' },
    ]);
    expect(isSigned('softswiss', asked.at(-1)!)).toBe(true);
  });

  test('reads Pragmatic Play reports page by page', async () => {
    const heads =
      'extPlayerID,gameID,roundID,timestamp,referenceID,type,amount,currency,status,roundStatus,originalReferenceID';
    const t = at.getTime();
    const pages: Record<string, string> = {
      [NOW]: `timepoint=${t}\n${heads}\n42,g,r,${t},t,W,2.50,US$,DONE,CLOSED,\n42,g,r,${NOW - 1},early,W,1.00,US$,DONE,,`,
      [t]: `timepoint=${t + 1}\n${heads}\n42,g,r,${t},t,W,2.50,US$,DONE,CLOSED,\n42,g,r,${t},b,R,2.50,US$,DONE,,b\n42,,,${t},a,A,-4.00,US$,DONE,,`,
      [t + 1]: `timepoint=${t + 1}\n${heads}\n`,
    };
    reply = (request) => ({ body: pages[new URLSearchParams(request.url.split('?')[1]).get('timepoint')!]! });
    const open = { isRoundClosed: null, isFree: null };
    expect(await providerOf('pragmatic').report(from, to)).toEqual([
      { ...WIN, isFree: null },
      { ...WIN, ...open, transactionId: 'refund:b', type: 'ROLLBACK', reference: 'b' },
      {
        ...WIN,
        ...open,
        transactionId: 'a',
        type: 'ADJUSTMENT',
        amount: -units('4'),
        round: null,
        gameCode: null,
      },
    ]);
    expect(asked).toHaveLength(3);
    answers('nonsense');
    await expect(providerOf('pragmatic').report(from, to)).rejects.toThrow(Unanswered);
  });
});
