import { readFileSync } from 'node:fs';
import asyncApiSpecs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { type Client, connect, type Frame, Refusal } from '../client/client.ts';
import { events } from '../src/app/asyncapi.ts';
import { betOnDice, type Player, startApp } from './kit/app.ts';
import { tell } from './kit/engagement/feed.ts';
import { fixture } from './kit/fixture.ts';
import { newRealPlayer } from './kit/games/bet-rows.ts';
import { assertConforms } from './kit/http/conforms.ts';
import { startFaultProxy } from './kit/processes/fault-proxy.ts';

const clients: Client[] = [];
const api = fixture(startApp);
const node = fixture(() => startApp({ part: 'realtime', database: api.database }));
const network = fixture(() =>
  startFaultProxy({ target: { host: '127.0.0.1', port: Number(new URL(node.url).port) } }),
);
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  network.mode('pass');
});

/** Opens a client that records everything that it receives. */
function open(player: Player, options: Partial<Parameters<typeof connect>[0]> = {}) {
  const socket = { reconnectionDelay: 50, reconnectionDelayMax: 100 };
  const client = connect({
    url: `http://127.0.0.1:${network.port}`,
    token: () => player.socketToken,
    socket,
    ...options,
  });
  clients.push(client);
  const heard: Frame[] = [];
  for (const event of Object.keys(events) as Frame['event'][])
    client.on(event, (_data, frame) => {
      assertConforms(frame);
      heard.push(frame);
    });
  const of = <N extends Frame['event']>(event: N) =>
    heard.filter((frame): frame is Frame<N> => frame.event === event);
  return { client, heard, of };
}

const offline = async ({ client }: ReturnType<typeof open>) => {
  network.mode('reset');
  await expect.poll(client.isConnected).toBe(false);
};
const isReady = (at: ReturnType<typeof open>, times = 1) =>
  expect.poll(() => at.of('ready')).toHaveLength(times);
const betsOf = (at: ReturnType<typeof open>) => at.of('bet.settled').map(({ data }) => data.betId);
const bet = async (player: Player): Promise<string> => (await betOnDice(player)).body.betId;

async function balanceIsThatOfHttp(player: Player, { client }: ReturnType<typeof open>) {
  const [{ currencyId, amount, version }] = (await player.call('GET', '/accounting/balances')).body;
  await expect.poll(() => client.balances.get(currencyId)).toMatchObject({ amount, version });
}

describe('a client', () => {
  test('resumes from the last event when its page is reloaded', async () => {
    const player = await newRealPlayer(api, { usdt: 100 });
    let kept: number | undefined;
    const onSeq = (seq: number | undefined) => {
      kept = seq;
    };
    const before = open(player, { onSeq });
    await isReady(before);
    const seen = await bet(player);
    await expect.poll(() => betsOf(before)).toEqual([seen]);
    before.client.close();
    expect(kept).toBe(before.client.lastSeq());
    const missed = [await bet(player), await bet(player)];
    const after = open(player, { lastSeq: kept, onSeq });
    await isReady(after);
    expect(betsOf(after)).toEqual(missed);
    expect(after.of('resync')).toEqual([]);
    await balanceIsThatOfHttp(player, after);
    // The client is not closed first, because a page can be closed at any moment.
    const last = await bet(player);
    await expect.poll(() => betsOf(after)).toEqual([...missed, last]);
    await expect.poll(() => kept).toBe(after.client.lastSeq());
  });

  test('receives changes that other clients made, with the same balance as HTTP returns', async () => {
    const player = await newRealPlayer(api, { usdt: 100 });
    const at = open(player);
    await isReady(at);
    const id = await bet(player);
    await expect.poll(() => betsOf(at)).toEqual([id]);
    await balanceIsThatOfHttp(player, at);
    await expect
      .poll(() => at.of('live-bets.new').flatMap(({ data }) => data.bets.map((b) => b.id)))
      .toContain(id);
  });

  test('receives missed events once and in order after a short outage, then the current balance', async () => {
    const player = await newRealPlayer(api, { usdt: 100 });
    const at = open(player);
    await isReady(at);
    const ids = [await bet(player)];
    await expect.poll(() => betsOf(at)).toEqual(ids);
    for (let i = 0; i < 3; i++) {
      await offline(at);
      ids.push(await bet(player));
      await tell(api, player.id, i);
      ids.push(await bet(player));
      network.mode('pass');
      await expect.poll(() => betsOf(at).length).toBeGreaterThanOrEqual(ids.length);
    }
    await isReady(at, 4);
    expect(betsOf(at)).toEqual(ids);
    const told = at.heard.filter(({ event }) => event === 'bet.settled' || event === 'deposit.status');
    expect(told.map(({ seq }) => seq)).toEqual(told.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(told.map(({ event }) => event.slice(0, 3)).join(' ')).toBe(
      'bet bet dep bet bet dep bet bet dep bet',
    );
    expect(at.of('resync')).toEqual([]);
    await balanceIsThatOfHttp(player, at);
  });

  test('reloads the current state after six minutes offline and then continues', async () => {
    const player = await newRealPlayer(api, { usdt: 100 });
    const at = open(player);
    let anew = 0;
    at.client.onResync(() => anew++);
    await isReady(at);
    await bet(player);
    await expect.poll(() => betsOf(at)).toHaveLength(1);
    const elsewhere = open(player, { url: node.url });
    await isReady(elsewhere);
    await offline(at);
    const missed = await bet(player);
    await expect.poll(() => betsOf(elsewhere)).toEqual([missed]);
    await sql`update bets set settled_at = settled_at - interval '6 minutes' where user_id = ${player.id}`.execute(
      api.db,
    );
    network.mode('pass');
    await isReady(at, 2);
    expect([anew, betsOf(at).length]).toEqual([1, 1]);
    const last = await bet(player);
    await expect.poll(() => betsOf(at).at(-1)).toBe(last);
    expect(betsOf(at)).toHaveLength(2);
    await balanceIsThatOfHttp(player, at);
    // After another interruption, the client resumes from the position of the resync.
    await offline(at);
    network.mode('pass');
    await isReady(at, 3);
    expect(anew).toBe(1);
  });

  test('requests a token for every connection and retries after a rejection', async () => {
    const player = await newRealPlayer(api);
    let asked = 0;
    const at = open(player, { token: async () => (asked++ === 0 ? 'nonsense' : player.socketToken) });
    await isReady(at);
    expect(asked).toBe(2);
    await offline(at);
    network.mode('pass');
    await isReady(at, 2);
    expect(asked).toBeGreaterThan(2);
  });

  test('enters and leaves rooms, even after an interruption, and reports why it may not enter a room', async () => {
    const player = await newRealPlayer(api);
    const at = open(player, { rooms: ['game:speed-roulette'] });
    await isReady(at);
    expect(at.of('ready')[0]!.data.rooms).toContain('game:speed-roulette');
    await at.client.unsubscribe('game:speed-roulette');
    await expect(at.client.subscribe('admin')).rejects.toThrow(Refusal);
    await offline(at);
    network.mode('pass');
    await isReady(at, 2);
    expect(at.of('ready')[1]!.data.rooms).toEqual([`user:${player.id}`, 'public']);
  });

  test('enters a room requested during the connection attempt, unless the client left it again', async () => {
    const player = await newRealPlayer(api);
    const room = 'game:speed-roulette';
    const connecting = async (rooms: readonly [] | readonly [typeof room]) => {
      let answer: ((token: string) => void) | undefined;
      const token = () =>
        new Promise<string>((resolve) => {
          answer = resolve;
        });
      const at = open(player, { rooms, token });
      await expect.poll(() => answer).toBeDefined();
      answer!(player.socketToken);
      // The handshake is sent, and no response can have arrived yet.
      for (let i = 0; i < 5; i++) await Promise.resolve();
      expect(at.client.isConnected()).toBe(false);
      return at;
    };
    const entering = await connecting([]);
    await entering.client.subscribe(room);
    const leaving = await connecting([room]);
    await leaving.client.unsubscribe(room);
    for (const at of [entering, leaving]) {
      await isReady(at);
      await at.client.subscribe('public');
    }
    node.sockets!.emit({ event: 'admin.alert', room, data: { kind: 'RETURN_ALERT', id: 'dice' } });
    await expect.poll(() => entering.of('admin.alert')).toHaveLength(1);
    expect(leaving.of('admin.alert')).toEqual([]);
  });

  test('requests a token again after a failure', async () => {
    const player = await newRealPlayer(api);
    let asked = 0;
    const at = open(player, {
      token: () => {
        if (asked++ === 0) throw new Error('signed out');
        return player.socketToken;
      },
    });
    await isReady(at);
    expect(asked).toBe(2);
  });

  test('keeps the newest balance when older ones arrive late', async () => {
    const { client } = open(await newRealPlayer(api));
    const balance = (version: number) => ({
      currencyId: 'USDT',
      amount: String(version),
      vault: '0',
      version,
    });
    expect([5, 4, 5, 6].map((version) => client.keepBalance(balance(version)))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(client.balances.get('USDT')!.amount).toBe('6');
  });
});

describe('the AsyncAPI document', () => {
  const committed = readFileSync('docs/asyncapi.json', 'utf8');

  test('generates a valid AsyncAPI 3.0 document that contains every event', async () => {
    const document = JSON.parse(committed);
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const isValid = ajv.validate(asyncApiSpecs.schemasWithoutId['3.0.0'] as object, document);
    expect([isValid, ajv.errors]).toEqual([true, null]);
    expect(document.asyncapi).toBe('3.0.0');
    const references = [...committed.matchAll(/"\$ref": ?"#\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((path) => targetOf(document, path) === undefined)).toEqual([]);
    const names = Object.values(document.components.messages as Record<string, { name: string }>).map(
      ({ name }) => name,
    );
    expect(Object.keys(events).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('serves the AsyncAPI document from the main API and from realtime, and as a page without external resources', async () => {
    for (const { call } of [api, node]) {
      expect((await call('GET', '/asyncapi.json')).body).toEqual(JSON.parse(committed));
      const { status, text, headers } = await call('GET', '/docs/events');
      expect(status).toBe(200);
      for (const name of Object.keys(events)) expect(text).toContain(`id="${name}"`);
      expect(text).not.toMatch(/<script|<link|src=|url\(|@import/);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'none'; style-src 'sha256-/,
      );
    }
  });
});

/** Resolves a JSON pointer without its leading `#/`. */
const targetOf = (document: object, path: string): unknown =>
  path
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
