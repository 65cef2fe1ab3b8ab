import { createHash, createPublicKey, createVerify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { signatureOf } from '../endpoint.ts';
import { type Sandbox, startSandbox } from '../server.ts';
import { signRsa } from './hub88.ts';
import { OPERATOR_PRIVATE_KEY, OPERATOR_PUBLIC_KEY, SUPPLIER_PRIVATE_KEY } from './keys.ts';
import { hashOf } from './pragmatic.ts';
import { signSoftswiss } from './softswiss.ts';
import { FUNDS, startWallet } from './wallet-double.ts';

const VECTORS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test/kit/games/providers-vectors.json'), 'utf8'),
);
const SUPPLIER_PUBLIC_KEY = createPublicKey(SUPPLIER_PRIVATE_KEY).export({
  type: 'spki',
  format: 'pem',
}) as string;

type Fault = Parameters<typeof startWallet>[1];
let sandbox: Sandbox;
let wallet: Awaited<ReturnType<typeof startWallet>>;

async function start(faults?: Fault): Promise<void> {
  wallet = await startWallet(SUPPLIER_PUBLIC_KEY, faults);
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: wallet.url });
}
afterEach(async () => {
  await sandbox.close();
  wallet.close();
});

const LOBBY = 'http://127.0.0.1:3900/site/';
const GAME = 'seven-orchards';

async function ask(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: any; headers: Headers }> {
  const answer = await fetch(sandbox.url + path, init);
  const said = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: /^[[{]/.test(said) ? JSON.parse(said) : said,
  };
}
const post = (path: string, body: object | string, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers });

/** The platform's requests in each dialect, as in providers.md. */
const DIALECTS = {
  generic: {
    slug: 'sandbox',
    sign: (text: string) => ({ 'x-signature': signatureOf(text, 'sandbox-games-secret') }),
    async launch(game: string, isDemo = false) {
      const player = { playerId: '42', sessionToken: 's-1', currency: 'USDT' };
      const body = JSON.stringify({
        gameCode: game,
        demo: isDemo,
        ...(!isDemo && player),
        language: 'en',
        lobbyUrl: LOBBY,
      });
      return (await post('/games/generic/launch', body, this.sign(body))).body.url as string;
    },
    async list() {
      return (
        await ask('/games/generic/games', { headers: this.sign('/games/generic/games') })
      ).body.games.map((game: { code: string }) => game.code);
    },
    async report(from: Date, to: Date) {
      const path = `/games/generic/transactions?from=${from.toISOString()}&to=${to.toISOString()}`;
      const { body } = await ask(path, { headers: this.sign(path) });
      return body.transactions.map((one: any) => [one.transactionId, one.type, one.state]);
    },
  },
  hub88: {
    slug: 'sandbox-hub88',
    sign: (text: string) => ({ 'x-hub88-signature': signRsa(text, OPERATOR_PRIVATE_KEY) }),
    async launch(game: string, isDemo = false) {
      const player = { user: '42', token: 's-1', currency: 'USDT' };
      const body = JSON.stringify({
        game_code: game,
        lobby_url: LOBBY,
        ...(isDemo ? { currency: 'XXX' } : player),
      });
      return (await post('/games/hub88/operator/generic/v2/game/url', body, this.sign(body))).body
        .url as string;
    },
    async list() {
      const body = '{"operator_id":1}';
      return (await post('/games/hub88/operator/generic/v2/game/list', body, this.sign(body))).body.map(
        (game: { game_code: string }) => game.game_code,
      );
    },
    async report(from: Date, to: Date) {
      const body = JSON.stringify({ operator_id: 1, start_time: from, end_time: to });
      const answer = await post('/games/hub88/operator/generic/v2/transactions/list', body, this.sign(body));
      return answer.body.map((one: any) => [one.transaction_uuid, one.transaction_type, one.status]);
    },
  },
  softswiss: {
    slug: 'sandbox-softswiss',
    sign: (text: string) => ({ 'x-request-sign': signSoftswiss(text, 'sandbox-softswiss-token') }),
    async launch(game: string, isDemo = false) {
      const about = { casino_id: 'sandbox', game, locale: 'en', urls: { return_url: LOBBY } };
      const player = { currency: 'USDT', user: { id: '42' }, session_id: 's-1' };
      const body = JSON.stringify(isDemo ? about : { ...about, ...player });
      const path = `/games/softswiss/${isDemo ? 'demo' : 'sessions'}`;
      return (await post(path, body, this.sign(body))).body.launch_options.game_url as string;
    },
    async list() {
      const path = '/games/softswiss/games?casino_id=sandbox';
      return (await ask(path, { headers: this.sign(path) })).body.games.map(
        (game: { identifier: string }) => game.identifier,
      );
    },
    async report(from: Date, to: Date) {
      const path = `/games/softswiss/transactions?from=${from.toISOString()}&to=${to.toISOString()}`;
      const { body } = await ask(path, { headers: this.sign(path) });
      return body.transactions.map((one: any) => [
        one.action_id,
        one.action.toUpperCase(),
        one.rolled_back ? 'UNDONE' : 'DONE',
      ]);
    },
  },
  pragmatic: {
    slug: 'sandbox-pragmatic',
    form(fields: Record<string, string>) {
      const all = { secureLogin: 'sandbox', ...fields };
      return new URLSearchParams({ ...all, hash: hashOf(all, 'sandbox-pragmatic-secret') }).toString();
    },
    async launch(game: string, isDemo = false) {
      const player = { token: 's-1', externalPlayerId: '42', currency: 'USDT' };
      const about = { symbol: game, language: 'en', lobbyUrl: LOBBY, playMode: isDemo ? 'DEMO' : 'REAL' };
      return (await post('/games/pragmatic/game/url/', this.form({ ...about, ...(!isDemo && player) }))).body
        .gameURL as string;
    },
    async list() {
      return (await post('/games/pragmatic/getCasinoGames/', this.form({}))).body.gameList.map(
        (game: { gameID: string }) => game.gameID,
      );
    },
    async report(from: Date) {
      const query = `login=sandbox&password=sandbox-pragmatic-secret&timepoint=${from.getTime()}`;
      const { body } = await ask(`/games/pragmatic/DataFeeds/transactions/?${query}`);
      const types: Record<string, string> = { B: 'BET', W: 'WIN', R: 'ROLLBACK' };
      return body
        .trim()
        .split('\n')
        .slice(2)
        .map((row: string) => row.split(','))
        .map((row: string[]) => [row[4], types[row[5]!], row[8]]);
    },
  },
} as const;
const NAMES = Object.keys(DIALECTS) as (keyof typeof DIALECTS)[];

const sessionOf = (url: string) => new URL(url).searchParams.get('session')!;
const launched = async (name: keyof typeof DIALECTS, isDemo = false) =>
  sessionOf(await DIALECTS[name].launch(GAME, isDemo));
const script = async (session: string, text: string): Promise<string> => {
  const { body } = await post('/games/script', { session, script: text });
  return body.map(({ code, balance }: any) => `${code} =${balance}`).join(', ');
};
const netOf = async (name: string): Promise<string> =>
  (await ask('/games/books')).body.books[name].net['42']?.USDT ?? '0';
const inCoins = (text: string): bigint => {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text)!;
  return BigInt(`${sign}${whole}${fraction.padEnd(18, '0')}`);
};

describe('signatures', () => {
  test('computes the known example signatures of every dialect byte for byte', async () => {
    await start();
    const { generic, hub88, softswiss, pragmatic } = VECTORS;
    const [g, h, s, p] = [generic, hub88, softswiss, pragmatic].map(({ vectors }) => vectors[0]);
    expect(signatureOf(g.body, generic.secret, 1764000000)).toBe(g.value);
    expect(signRsa(h.body, SUPPLIER_PRIVATE_KEY)).toBe(h.signature);
    expect(SUPPLIER_PUBLIC_KEY).toBe(hub88.publicKey);
    expect(signSoftswiss(s.body, softswiss.authToken)).toBe(s.signature);
    expect(hashOf(p.params, pragmatic.secret)).toBe(p.hash);
    expect(
      createHash('md5')
        .update(p.base + pragmatic.secret)
        .digest('hex'),
    ).toBe(p.hash);
    const signed = createVerify('sha256').update('text');
    expect(signed.verify(OPERATOR_PUBLIC_KEY, signRsa('text', OPERATOR_PRIVATE_KEY), 'base64')).toBe(true);
  });

  test('rejects calls to the aggregator without a valid signature', async () => {
    await start();
    const wrong = { 'x-signature': 't=1,v1=00', 'x-hub88-signature': 'AAAA', 'x-request-sign': 'aa' };
    const old = signatureOf('{}', 'sandbox-games-secret', Math.floor(Date.now() / 1000) - 301);
    expect((await post('/games/generic/launch', {}, wrong)).status).toBe(401);
    expect((await post('/games/generic/launch', '{}', { 'x-signature': old })).status).toBe(401);
    expect((await ask('/games/generic/games', { headers: wrong })).status).toBe(401);
    expect((await post('/games/hub88/operator/generic/v2/game/list', {}, wrong)).status).toBe(401);
    expect((await post('/games/softswiss/sessions', {}, wrong)).status).toBe(403);
    expect((await post('/games/pragmatic/game/url/', 'hash=1&secureLogin=sandbox')).body.error).toBe('5');
    expect((await ask('/games/sportsbook/transactions')).status).toBe(401);
  });
});

describe.each(NAMES)('%s', (name) => {
  const dialect = DIALECTS[name];

  test('lists the demo slot and the configured number of games, each with a unique code', async () => {
    await start();
    const usual = await dialect.list();
    expect([usual.length, usual[0]]).toEqual([41, GAME]);
    expect(new Set(usual).size).toBe(41);
    await post('/games/behaviour', { games: 20_000, shortList: { next: 1 } });
    expect(await dialect.list()).toHaveLength(10_001);
    const all = await dialect.list();
    expect([all.length, new Set(all).size]).toEqual([20_001, 20_001]);
    expect(all.slice(0, 41)).toEqual(usual);
    expect(new URL(await dialect.launch(all.at(-1)!)).pathname).toBe('/games/play');
  });

  test('sends scripted bets, wins and rollbacks with the units, signatures and end-of-round marker of each dialect', async () => {
    await start();
    const session = await launched(name);
    const last = name === 'pragmatic' ? 'w1 25, end' : 'w1 25!';
    const said = await script(
      session,
      `auth, balance, b1 10, b1 10, b1 11, ${last}, b2 5 @2, x>b2, b3 2000 @3`,
    );
    const words = said.split(', ').map((one) => one.replace(/^\S+ /, ''));
    const after = name === 'pragmatic' ? ['=1015', '=1015'] : ['=1015'];
    expect(words).toEqual(['=1000', '=1000', '=990', '=990', '=990', ...after, '=1010', '=1015', '=1015']);
    expect(await netOf(name)).toBe('15');
    const { transactions, rounds } = (await ask('/games/books')).body.books[name];
    expect(transactions.map(({ type, state }: any) => `${type} ${state}`)).toEqual([
      'BET DONE',
      'WIN DONE',
      'BET UNDONE',
      'ROLLBACK DONE',
      'BET REFUSED',
    ]);
    expect(rounds.map(({ isClosed }: any) => isClosed)).toEqual([true, false, false]);
    const reported = await dialect.report(new Date(Date.now() - 60_000), new Date(Date.now() + 1000));
    expect(reported.map(([, type, state]: string[]) => `${type} ${state}`)).toEqual([
      'BET DONE',
      'WIN DONE',
      'BET UNDONE',
      'ROLLBACK DONE',
    ]);
    expect((await script(session, '~b4 1 @4')).replace(/ =.*/, '')).toBe(
      { generic: 'SIGNATURE_INVALID', hub88: 'RS_ERROR_INVALID_SIGNATURE', softswiss: '403', pragmatic: '5' }[
        name
      ],
    );
  });

  test('plays each slot spin as one bet and one win, closes the round with the last win, and agrees with the wallet on the balance', async () => {
    await start();
    const session = await launched(name);
    const { body } = await post('/games/rounds', { session, stake: '1', count: 30 });
    expect(body.map(({ status }: any) => status)).toEqual(Array(30).fill('PLAYED'));
    const { transactions } = (await ask('/games/books')).body.books[name];
    const spins = body.reduce((sum: number, { round }: any) => sum + round.spins.length, 0);
    expect(transactions.filter(({ type }: any) => type === 'BET')).toHaveLength(30);
    expect(transactions.filter(({ type }: any) => type === 'WIN')).toHaveLength(spins);
    expect(inCoins(await netOf(name))).toBe(wallet.balanceOf(dialect.slug) - FUNDS);
    expect(inCoins(body.at(-1).balance)).toBe(wallet.balanceOf(dialect.slug));
    expect((await script(session, 'b9 1')).includes('=')).toBe(true);
  });

  test('finishes with the same balances as the wallet, despite lost, repeated and reordered messages', {
    timeout: 240_000,
  }, async () => {
    let calls = 0;
    const faults = ['none', 'before', 'none', 'after', 'none', 'error', 'none'] as const;
    await start(() => faults[calls++ % faults.length]!);
    const session = await launched(name);
    const chances = Object.fromEntries(
      [
        'lost',
        'rollbackAfterLost',
        'duplicates',
        'duplicatesAtOnce',
        'outOfOrder',
        'wrongSignature',
        'oldId',
        'slow',
        'oneMessage',
        'takenBack',
        'noClose',
      ].map((fault) => [fault, 0.2]),
    );
    await post('/games/behaviour', { ...chances, slowMs: 1, seed: 5 });
    const { body } = await post('/games/rounds', { session, stake: '1', count: 16 });
    await post('/games/settle', {});
    const books = (await ask('/games/books')).body;
    expect({ pending: books.pending, oddities: books.oddities }).toEqual({ pending: 0, oddities: [] });
    expect(new Set(body.map(({ status }: any) => status)).size).toBeGreaterThan(1);
    expect(inCoins(await netOf(name))).toBe(wallet.balanceOf(dialect.slug) - FUNDS);
  });
});

test('rolls back a bet that gets no response, after three attempts or immediately, depending on the dialect', async () => {
  await start();
  for (const [name, bets] of [
    ['generic', 3],
    ['hub88', 3],
    ['softswiss', 1],
    ['pragmatic', 1],
  ] as const) {
    const session = await launched(name);
    await post('/games/behaviour', { lost: { next: bets } });
    wallet.messages.length = 0;
    const { body } = await post('/games/rounds', { session, stake: '1' });
    expect([name, body[0].status, wallet.messages.length]).toEqual([name, 'CANCELLED', bets + 1]);
    expect(wallet.balanceOf(DIALECTS[name].slug)).toBe(FUNDS);
  }
});

test('sends a bet and its wins in one message, and rolls the wins back together with the bet', async () => {
  await start();
  const played = async (name: 'generic' | 'hub88' | 'softswiss' | 'pragmatic') => {
    const session = await launched(name);
    wallet.messages.length = 0;
    await post('/games/behaviour', { oneMessage: 1, takenBack: 1 });
    const { body } = await post('/games/rounds', { session, stake: '1' });
    expect(body[0].status).toBe('PLAYED');
    const { transactions, rounds } = (await ask('/games/books')).body.books[name];
    expect(rounds.at(-1).isClosed).toBe(true);
    const undone = transactions.filter(({ state }: any) => state === 'UNDONE').length;
    const others = transactions.filter(({ type }: any) => type !== 'ROLLBACK').length;
    return { first: wallet.messages[0]!.body, spins: body[0].round.spins.length, undone, others };
  };
  const generic = await played('generic');
  expect(JSON.parse(generic.first)).toMatchObject({ action: 'BET_WIN', amount: '1' });
  expect([generic.undone, generic.others]).toEqual([0, 1 + generic.spins]);
  const softswiss = await played('softswiss');
  const { actions, finished } = JSON.parse(softswiss.first);
  expect(actions.map(({ action }: any) => action)).toEqual([
    'bet',
    'bet',
    ...Array(softswiss.spins).fill('win'),
  ]);
  expect([finished, softswiss.undone, softswiss.others]).toEqual([true, actions.length, actions.length]);
  const hub88 = await played('hub88');
  expect([hub88.undone, hub88.others]).toEqual([1 + hub88.spins, 1 + hub88.spins]);
  expect((await played('pragmatic')).undone).toBe(0);
  for (const name of ['hub88', 'softswiss'] as const)
    expect(wallet.balanceOf(DIALECTS[name].slug)).toBe(FUNDS);
});

test('sends late wins, leaves rounds open or fails launches when configured to, and rejects unknown settings', async () => {
  await start();
  const session = await launched('generic');
  await post('/games/behaviour', { lateWin: { next: 1 }, lateWinHours: 0.3 / 3600 });
  await post('/games/rounds', { session, stake: '1' });
  const openRounds = async () =>
    (await ask('/games/books')).body.books.generic.rounds.filter(({ isClosed }: any) => !isClosed).length;
  expect((await ask('/games/books')).body.pending).toBeGreaterThan(0);
  await expect.poll(async () => (await ask('/games/books')).body.pending).toBe(0);
  await expect.poll(openRounds).toBe(0);
  await post('/games/behaviour', { noClose: { next: 1 } });
  await post('/games/rounds', { session, stake: '1' });
  expect(await openRounds()).toBe(1);
  await post('/games/behaviour', { launchError: { next: 1 } });
  const body = JSON.stringify({ gameCode: GAME, demo: true, lobbyUrl: LOBBY });
  const open = () => post('/games/generic/launch', body, DIALECTS.generic.sign(body));
  expect([(await open()).status, (await open()).status]).toEqual([503, 200]);
  for (const wrong of [
    { lose: 1 },
    { lost: 2 },
    { lost: { next: -1 } },
    { games: 20_001 },
    { seed: 0.5 },
    'text',
  ])
    expect((await post('/games/behaviour', wrong)).status).toBe(400);
});

test('lets a test change or remove a recorded transaction, and rejects unknown transactions and states', async () => {
  await start();
  const session = await launched('generic');
  await script(session, 'b1 10, w1 5!');
  const [bet, win] = (await ask('/games/books')).body.books.generic.transactions;
  const change = (fields: object) => post('/games/books', { book: 'generic', ...fields });
  expect((await change({ id: bet.id, type: 'BET', amount: '11' })).status).toBe(200);
  expect((await change({ id: win.id, type: 'WIN', remove: true })).status).toBe(200);
  expect((await change({ id: 'none', type: 'BET' })).status).toBe(404);
  expect((await change({ id: bet.id, type: 'BET', state: 'GONE' })).status).toBe(400);
  const { transactions } = (await ask('/games/books')).body.books.generic;
  expect(transactions.map(({ type, amount }: any) => [type, amount])).toEqual([['BET', '11']]);
});

describe('the game in the browser', () => {
  test("sets a content security policy that allows only the game's own resources", async () => {
    await start();
    const { pathname, search } = new URL(await DIALECTS.generic.launch(GAME));
    const { status, headers, body } = await ask(pathname + search);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('frame-ancestors');
    const parts = [...body.matchAll(/(?:src|href)="(\/games\/play\/[^"]+)"/g)].map(([, path]) => path);
    expect(parts).toEqual(['/games/play/slot.css', '/games/play/slot.js']);
    for (const [path, type] of [
      ['/games/play/slot.css', 'text/css; charset=utf-8'],
      ['/games/play/slot.js', 'text/javascript; charset=utf-8'],
      ['/games/images/generic-00001.svg', 'image/svg+xml; charset=utf-8'],
    ])
      expect((await ask(path!)).headers.get('content-type')).toBe(type);
    expect(body).not.toMatch(/<script>|<style|style="|onclick=/);
    expect(body).toContain('aria-live="polite"');
    expect((await ask('/games/play?session=unknown')).status).toBe(404);
  });

  test('plays a spin once even if the browser repeats the request or the response is lost', async () => {
    await start();
    const session = await launched('generic');
    const opened = (await ask(`/games/play/session?session=${session}`)).body;
    expect(opened).toMatchObject({ isDemo: false, currency: 'USDT', balance: '1000', lobbyUrl: LOBBY });
    expect(opened.stakes).toContain('1');
    await post('/games/behaviour', { lost: { next: 2 } });
    const ask2 = () => post('/games/spin', { session, stake: '1', spinId: 'spin-0001' });
    const [first, second] = await Promise.all([ask2(), ask2()]);
    expect(first.body).toEqual(second.body);
    expect(first.body).toMatchObject({ status: 'PLAYED', stake: '1' });
    expect(inCoins(first.body.balance)).toBe(wallet.balanceOf('sandbox'));
    expect(inCoins(first.body.won)).toBe(wallet.balanceOf('sandbox') - FUNDS + inCoins('1'));
    for (const [wrong, status] of [
      [{ session, stake: '0.000000011', spinId: 'spin-0002' }, 400],
      [{ session, stake: '-1', spinId: 'spin-0002' }, 400],
      [{ session, stake: '1', spinId: '' }, 400],
      [{ session: 'none', stake: '1', spinId: 'spin-0002' }, 404],
    ] as const)
      expect((await post('/games/spin', wrong)).status).toBe(status);
    const poor = await post('/games/spin', { session, stake: '2000', spinId: 'spin-0003' });
    expect(poor.body).toMatchObject({ status: 'REFUSED', code: 'INSUFFICIENT_FUNDS', round: null });
  });

  test('plays a demo game with play money and never calls the wallet', async () => {
    await start();
    const session = await launched('pragmatic', true);
    expect((await ask(`/games/play/session?session=${session}`)).body).toMatchObject({
      isDemo: true,
      balance: '1000',
    });
    const { body } = await post('/games/spin', { session, stake: '10', spinId: 'demo-0001' });
    expect(inCoins(body.balance)).toBe(inCoins('990') + inCoins(body.won));
    expect(wallet.messages).toEqual([]);
    expect((await post('/games/script', { session, script: 'b1 1' })).status).toBe(400);
  });
});

test("shows scripts, rounds, behaviour and errors on the aggregator's page", async () => {
  await start();
  const session = await launched('generic');
  const press = (fields: Record<string, string>) => post('/games', new URLSearchParams(fields).toString());
  expect((await ask('/games')).body).toContain('generic: player 42, USDT, Seven Orchards');
  const played = await press({ do: 'script', session, script: 'b1 10, w1 25!' });
  expect(played.body).toContain('b1 10: OK =990\nw1 25!: OK =1015');
  expect((await press({ do: 'script', session, script: 'c1 <b>' })).body).toContain(
    'c1 &#60;b&#62; is not a step',
  );
  expect((await press({ do: 'rounds', session, stake: '1', count: '2' })).body).toContain('&#34;PLAYED&#34;');
  expect((await press({ do: 'behaviour', behaviour: '{"lost":0.5}' })).body).toContain('&#34;lost&#34;: 0.5');
  const index = (await ask('/')).body;
  expect(index).toContain('<h2>Games</h2>');
});
