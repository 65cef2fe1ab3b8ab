import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  betOnDice,
  DICE,
  PATIENCE,
  type Player,
  startApp,
  type TestApp,
} from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { listPostings } from '../../../../test/kit/money/statement.ts';
import { transaction } from '../../../platform/database/db.ts';
import { ONE } from '../../../platform/money.ts';
import type { Kind } from '../../money/ledger/kinds.ts';
import { post } from '../../money/ledger/post.ts';
import { idempotency } from './module.ts';
import { inputHash } from './service.ts';

/** Every POST that moves money, with a valid body and with other valid bodies. */
const OPERATIONS = {
  'to-vault': {
    path: '/accounting/to-vault',
    kind: 'vault.to',
    body: { currencyId: 'USDT', amount: '1.25' },
    others: [{ amount: '1.26' }, { currencyId: 'USDC' }],
    malformed: [{ amount: '1.0000001' }, { amount: 'one' }, { amount: '0' }, { note: '' }],
    tooMuch: { amount: '700' },
    shortage: 'INSUFFICIENT_BALANCE',
  },
  'from-vault': {
    path: '/accounting/from-vault',
    kind: 'vault.from',
    body: { currencyId: 'USDT', amount: '0.75' },
    others: [{ amount: '0.750001' }, { currencyId: 'USDC' }],
    malformed: [{ amount: '1.0000001' }, { amount: '-1' }, { amount: null }, { currencyId: 7 }],
    tooMuch: { amount: '700' },
    shortage: 'INSUFFICIENT_VAULT',
  },
  'dice bet': {
    path: '/casino/games/house/dice/bet',
    kind: 'bet.stake',
    body: { ...DICE, betAmount: '2.5' },
    others: [
      { betAmount: '2.51' },
      { currencyId: 'USDC' },
      { threshold: 51 },
      { above: false },
      { windowId: 'w' },
    ],
    malformed: [{ betAmount: '1.0000001' }, { betAmount: '0' }, { threshold: 100 }, { above: 1 }],
    tooMuch: { betAmount: '700' },
    shortage: 'INSUFFICIENT_BALANCE',
  },
} as const;
type Operation = (typeof OPERATIONS)[keyof typeof OPERATIONS];

const app = fixture(() => startApp({ env: PATIENCE }));
const second = fixture(() => startApp({ env: PATIENCE, database: app.database }));

/** Adds the same amount to the wallet and to the vault in two currencies. */
async function fund({ id: userId }: Player, amount: bigint): Promise<void> {
  const sides = (['cash', 'vault'] as const).flatMap((credit) =>
    ['USDT', 'USDC'].map((currencyId) => ({ credit, currencyId })),
  );
  const postings = sides.map((side) => ({
    userId,
    amount,
    kind: 'test.fund' as Kind,
    debit: 'treasury' as const,
    ...side,
  }));
  await transaction(app.services.db, (tx) => post(tx, [{ key: randomUUID(), kind: 'test.fund', postings }]));
}

async function newPlayer(): Promise<Player> {
  const player = await app.newPlayer();
  await fund(player, 500n * ONE);
  return player;
}

type Sending = { key: string; body?: object; raw?: string; through?: Pick<TestApp, 'call'> };
const send = (player: Player, { path, body: good }: Operation, { key, body, raw, through = app }: Sending) =>
  through.call('POST', path, {
    token: player.token,
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    ...(raw === undefined ? { body: { ...good, ...body } } : { raw }),
  });
const effects = async ({ id }: Player, { kind }: Operation): Promise<number> =>
  (await listPostings(app.services.db, { userId: id, account: 'cash', take: 1000 })).filter(
    (r) => r.kind === kind,
  ).length;
/** The response without the fields that differ on every request. */
const said = ({ status, body, text }: Answer) =>
  status < 400 ? text : JSON.stringify({ ...body, requestId: undefined });

test("tests every POST with an Idempotency-Key, in this file or in its module's tests", async () => {
  const { paths } = (await app.call('GET', '/openapi.json')).body;
  const moving = Object.entries<any>(paths).flatMap(([path, { post }]) =>
    post?.parameters.some((p: any) => p.name === 'Idempotency-Key') ? [path] : [],
  );
  const known = Object.values(OPERATIONS).map((o) => o.path as string);
  expect(moving).toEqual(expect.arrayContaining(known));
  const elsewhere =
    /^\/payments\/(withdraw|skins)|^\/admin\/payments\/(withdraw|deposit)\/|^\/admin\/bets\/|^\/admin\/casino\/findings\/|^\/admin\/vip-application\/|^\/admin\/leaderboards\/give-prize$|^\/(admin\/)?promo\/|^\/admin\/challenge\/|^\/(user-tips|admin\/admin-tips)|^\/(affiliate|rakeback)\/claim$|^\/marketing\/bonus\/credit|^\/admin\/chat\/admin-action$/;
  expect(
    moving.filter(
      (path) =>
        !known.includes(path) &&
        !elsewhere.test(path) &&
        !/^\/casino\/games\/house\/[^/]+\/[^/]+$/.test(path),
    ),
  ).toEqual([]);
});

test('computes hashes that do not depend on key order but distinguish values, types and operations', () => {
  const hash = (input: unknown, operation = 'a') => inputHash(operation, input).toString('hex');
  const input = { x: 1, y: { b: [1, { d: 1, c: 2 }], a: null } };
  expect(hash(input)).toBe(hash({ y: { a: null, b: [1, { c: 2, d: 1 }] }, z: undefined, x: 1 }));
  const different = [
    { ...input, x: '1' },
    { ...input, x: 2 },
    { x: 1, y: { ...input.y, a: undefined } },
    { x: 1, y: { ...input.y, b: [{ d: 1, c: 2 }, 1] } },
    [input],
    {},
  ];
  expect(new Set([hash(input), hash(input, 'b'), ...different.map((d) => hash(d))]).size).toBe(8);
});

describe.each(Object.entries(OPERATIONS))('%s', (_, operation) => {
  test('applies 200 concurrent requests with one key once, and returns identical responses from two processes', async () => {
    const player = await newPlayer();
    const key = randomUUID();
    // Bets of other players keep the server busy, so that requests with the same key are processed in the same batch.
    const others = await Promise.all(Array.from({ length: 4 }, () => newPlayer()));
    const busy = others.flatMap((other) => [betOnDice(other), betOnDice(other)]);
    const shuffled = JSON.stringify(Object.fromEntries(Object.entries(operation.body).toReversed()), null, 2);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        send(player, operation, { key, through: i % 2 ? app : second, ...(i % 3 ? {} : { raw: shuffled }) }),
      ),
    );
    expect([...answers, ...(await Promise.all(busy))].filter((a) => a.status !== 201)).toEqual([]);
    expect(new Set(answers.map((a) => a.text)).size).toBe(1);
    expect(await effects(player, operation)).toBe(1);
  });

  test('rejects a reused key with a different body with 409, and returns the stored response for reordered JSON', async () => {
    const player = await newPlayer();
    const key = randomUUID();
    const first = await send(player, operation, { key });
    for (const body of operation.others) {
      for (const through of [app, second]) {
        const reused = await send(player, operation, { key, body, through });
        expect([reused.status, reused.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
      }
      expect((await send(player, operation, { key: randomUUID(), body })).status).toBe(201);
    }
    for (const other of Object.values(OPERATIONS).filter((o) => o !== operation)) {
      const sameBody = [operation, other].every((o) => o.kind.startsWith('vault')) ? operation.body : {};
      const reused = await send(player, other, { key, body: sameBody });
      expect([reused.status, reused.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    const reversed = Object.entries(operation.body).toReversed();
    const raw = `\n{ ${reversed.map(([k, v]) => `"${k}"\t:\r ${JSON.stringify(v)}`).join(' ,\n')}\n}  `;
    expect((await send(player, operation, { key, raw, through: second })).text).toBe(first.text);
    expect(await effects(player, operation)).toBe(1 + operation.others.length);
  });

  test('scopes keys to a user, and accepts only keys of 8 to 64 printable characters', async () => {
    const [one, other] = [await newPlayer(), await newPlayer()];
    const key = randomUUID();
    expect((await send(one, operation, { key })).status).toBe(201);
    expect((await send(other, operation, { key, body: operation.others[0] })).status).toBe(201);
    for (const good of ['12345678', '~'.repeat(64), '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}']) {
      expect((await send(one, operation, { key: good })).status, good).toBe(201);
    }
    const count = await effects(one, operation);
    for (const bad of [
      '',
      '1234567',
      '1'.repeat(65),
      'with a space',
      'tab\ttab\ttab',
      'schlüssel',
      '\u00a0'.repeat(8),
    ]) {
      const { status, body } = await send(one, operation, { key: bad });
      expect([bad, status, body.details?.fields[0].path]).toEqual([bad, 400, 'Idempotency-Key']);
    }
    expect(await effects(one, operation)).toBe(count);
  });

  test('does not store the key of a malformed request, but stores a rejection and returns it for repeated requests', async () => {
    const player = await newPlayer();
    const key = randomUUID();
    for (const body of operation.malformed)
      expect((await send(player, operation, { key, body })).status).toBe(400);
    expect((await send(player, operation, { key })).status).toBe(201);
    const poor = { key: randomUUID(), body: operation.tooMuch };
    const refused = await send(player, operation, poor);
    const details = { currencyId: 'USDT', available: expect.any(String) };
    expect(refused).toMatchObject({ status: 400, body: { code: operation.shortage, details } });
    await fund(player, 500n * ONE);
    for (const through of [app, second])
      expect(said(await send(player, operation, { ...poor, through }))).toBe(said(refused));
    expect(await effects(player, operation)).toBe(1);
    expect((await send(player, operation, { ...poor, key: randomUUID() })).status).toBe(201);
  });
});

test('deletes all old keys in one run, regardless of their number', async () => {
  const player = await newPlayer();
  await sql`insert into idempotency_keys (user_id, key, input_hash, status, body, created_at)
    select ${player.id}, 'old key ' || n, '', 201, '{}', now() - interval '8 days' from generate_series(1, 25000) n`.execute(
    app.db,
  );
  const operation = OPERATIONS['to-vault'];
  await player.call('POST', operation.path, {
    body: operation.body,
    headers: { 'idempotency-key': randomUUID() },
  });
  const [job] = idempotency.jobs!({ db: app.db, config: { IDEMPOTENCY_KEEP_DAYS: 7 } });
  await job!.run();
  const left = await app.db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('user_id', '=', player.id)
    .execute();
  expect(left).toHaveLength(1);
});
