/** Provider reports and how staff handle them over HTTP, with a provider whose reports the test writes. */
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Player, startApp, type TestApp } from '../../../../../../test/kit/app.ts';
import { deleteDue } from '../../../../../platform/jobs/purge.ts';
import { createMetrics } from '../../../../../platform/observability/metrics.ts';
import { SESSION_EXPIRY } from '../../engine/sessions.ts';
import type { SupplierGame } from '../provider.ts';
import { checkOpenRounds, compareReports, expireRounds } from './compare.ts';
import { watchFindings } from './queries.ts';

const SECRET = 'a secret of the lab';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
type Reported = { transactionId: string; at: Date } & Record<string, unknown>;

let supplier: Server;
let books: Reported[] = [];
let asked: { from: number; to: number }[] = [];
let isDown = false;
let app: TestApp;
let staff: Player;
let providerId: number;

beforeAll(async () => {
  supplier = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://supplier');
    const [from, to] = [searchParams.get('from')!, searchParams.get('to')!].map((at) => Date.parse(at));
    asked.push({ from: from!, to: to! });
    const transactions = books.filter(({ at }) => at.getTime() >= from! && at.getTime() < to!);
    response
      .writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ transactions }));
  });
  await new Promise<void>((done) => supplier.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(supplier.address() as AddressInfo).port}`;
  const provider = {
    slug: 'lab',
    name: 'Lab',
    dialect: 'generic',
    apiUrl: `${origin}/api`,
    operatorId: 'casino',
    secrets: [SECRET],
    launchOrigins: [origin],
    currencies: [{ ours: 'USDT', code: 'USDT', decimals: 8 }],
  };
  app = await startApp({ env: { GAME_PROVIDERS: JSON.stringify([provider]) } });
  const { id } = await app.db
    .selectFrom('game_providers')
    .select('id')
    .where('slug', '=', 'lab')
    .executeTakeFirstOrThrow();
  providerId = id;
  const game = { slug: 'lab-slot', name: 'Slot', type: 'SLOTS', external_code: 'slot', provider_id: id };
  await app.db.insertInto('games').values(game).execute();
  await app.services.catalogue.state.reload();
  staff = await app.as({ permissions: ['casino.read', 'casino.write', 'casino.pay'] });
});
afterAll(async () => {
  await app.stop();
  supplier.close();
});
beforeEach(async () => {
  [books, asked, isDown] = [[], [], false];
  await app.db.deleteFrom('provider_reports').execute();
});

const ago = (ms: number) => new Date(Date.now() - ms);
let count = 0;
const newId = () => `t${++count}`;
const reported = (player: Player, more: Partial<Reported> = {}): Reported => ({
  transactionId: newId(),
  type: 'BET',
  playerId: String(player.id),
  currency: 'USDT',
  amount: '10',
  roundId: 'r1',
  gameCode: 'slot',
  at: ago(40 * MINUTE),
  state: 'DONE',
  roundClosed: null,
  referenceTransactionId: null,
  ...more,
});

/** Sends a call from the provider. */
async function send(player: Player, action: string, more: object) {
  const said = {
    action,
    playerId: String(player.id),
    currency: 'USDT',
    gameCode: 'slot',
    roundId: 'r1',
    ...more,
  };
  const body = JSON.stringify(said);
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', SECRET).update(`${t}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-signature': `t=${t},v1=${v1}` };
  const answer = await fetch(`${app.url}/webhooks/games/lab`, { method: 'POST', headers, body });
  return (await answer.json()) as Record<string, unknown>;
}

/** Returns a player with a launched game and a USDT wallet. */
async function newPlayer(usdt = 100) {
  const player = await app.newPlayer({ usdt });
  const { rows } = await sql<{ id: string }>`select id from sessions where user_id = ${player.id}`.execute(
    app.db,
  );
  const sessionToken = `token of ${player.id}`;
  await sql`insert into provider_sessions (token_hash, user_id, provider_id, game_id, currency_id, device, session_id, expires_at)
    select sha256(${sessionToken}::text::bytea), ${player.id}, ${providerId}, id, 'USDT', 'DESKTOP', ${rows[0]!.id}, now() + interval '8 hours'
    from games where slug = 'lab-slot'`.execute(app.db);
  return { ...player, sessionToken };
}

const cashOf = async (player: Player) => {
  const { rows } = await sql<{ cash: bigint }>`
    select cash from wallets where user_id = ${player.id} and currency_id = 'USDT'`.execute(app.db);
  return Number(rows[0]!.cash) / 1e8;
};
const findings = async (player: Player, query = '') => {
  const { body, status } = await staff.call(
    'GET',
    `/admin/casino/findings?userId=${player.id}&sortOrder=asc${query}`,
  );
  expect(status).toBe(200);
  return body.data as { id: string; kind: string; subject: string; status: string; facts: object }[];
};
const apply = (id: string, options: object = {}) =>
  staff.call('POST', `/admin/casino/findings/${id}/apply`, options);
const close = (id: string, reason = 'looked at') =>
  staff.call('POST', `/admin/casino/findings/${id}/close`, { body: { reason } });
const codeOf = async (answer: ReturnType<typeof apply>) => (await answer).body.code;
const compare = () => compareReports(app.services);
async function checkRounds() {
  await checkOpenRounds(app.services);
  await expireRounds(app.services);
}

test('finds a missing transaction and books it once, with the same result as a call by the provider', async () => {
  const player = await newPlayer();
  const [bet, win] = [
    reported(player, { roundClosed: true }),
    reported(player, { type: 'WIN', amount: '25', roundClosed: true }),
  ];
  books = [bet, win];
  await compare();
  await app.db.deleteFrom('provider_reports').execute();
  await compare();
  const found = await findings(player);
  expect(found.map(({ kind, subject, status }) => [kind, subject, status])).toEqual([
    ['MISSING_HERE', bet.transactionId, 'OPEN'],
    ['MISSING_HERE', win.transactionId, 'OPEN'],
  ]);
  const [first, second] = found.map(({ id }) => id) as [string, string];

  const early = await apply(second);
  expect([early.status, early.body.code, early.body.details]).toEqual([
    409,
    'FINDING_NOT_APPLICABLE',
    { status: 'TRANSACTION_NOT_FOUND' },
  ]);
  const headers = { 'idempotency-key': `finding-number-${first}` };
  const applied = await apply(first, { headers });
  expect(applied.status, applied.text).toBe(200);
  expect([applied.status, applied.body.status, applied.body.decidedBy.id]).toEqual([
    200,
    'APPLIED',
    staff.id,
  ]);
  expect((await apply(first, { headers })).body).toEqual(applied.body);
  expect(await codeOf(apply(first))).toBe('FINDING_DECIDED');
  expect(await cashOf(player)).toBe(90);

  const all = await Promise.all(Array.from({ length: 8 }, () => apply(second)));
  expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(409)]);
  expect(await cashOf(player)).toBe(115);
  const bets = await app.db
    .selectFrom('bets')
    .select(['status', 'amount', 'payout'])
    .where('user_id', '=', player.id)
    .execute();
  expect(bets).toEqual([{ status: 'SETTLED', amount: 1_000_000_000n, payout: 2_500_000_000n }]);

  const { transactionId, amount } = bet;
  const late = await send(player, 'BET', { transactionId, amount, sessionToken: player.sessionToken });
  expect(late).toMatchObject({ status: 'OK', alreadyProcessed: true });
  expect(await cashOf(player)).toBe(115);
  const audit = await app.db
    .selectFrom('admin_audit')
    .select('after')
    .where('path', '=', `/admin/casino/findings/${first}/apply`)
    .where('after', 'is not', null)
    .execute();
  expect(audit).toMatchObject([
    { after: { status: 'APPLIED', subject: transactionId, booked: { amount: '10' } } },
  ]);
});

test('finds and books a missing rollback', async () => {
  const player = await newPlayer();
  const bet = reported(player, { state: 'UNDONE' });
  const back = reported(player, { type: 'ROLLBACK', referenceTransactionId: bet.transactionId });
  await send(player, 'BET', {
    transactionId: bet.transactionId,
    amount: '10',
    sessionToken: player.sessionToken,
  });
  books = [bet, back];
  await compare();
  const [found, ...others] = await findings(player);
  expect([found?.kind, found?.subject, others]).toEqual(['MISSING_HERE', back.transactionId, []]);
  expect((await apply(found!.id)).status).toBe(200);
  expect(await cashOf(player)).toBe(100);
});

test('keeps a finding open when it cannot be booked, and still accepts the transaction from the provider', async () => {
  const player = await newPlayer(5);
  const bet = reported(player);
  books = [bet];
  await compare();
  const [found] = await findings(player);
  const refused = await apply(found!.id);
  expect([refused.status, refused.body.details]).toEqual([409, { status: 'INSUFFICIENT_FUNDS' }]);
  const [open, ...others] = await findings(player, '&status=OPEN');
  expect(others).toEqual([]);
  expect(await findings(player, `&id=${open!.id}`)).toEqual([open]);
  expect(await findings(player, '&id=1&status=APPLIED')).toEqual([]);
  const { transactionId } = bet;
  expect(
    await send(player, 'JACKPOT', { transactionId: newId(), amount: '50', roundId: undefined }),
  ).toMatchObject({ status: 'OK' });
  expect(
    await send(player, 'BET', { transactionId, amount: '10', sessionToken: player.sessionToken }),
  ).toMatchObject({ status: 'OK', balance: '45' });
  const meanwhile = await apply(found!.id);
  expect([meanwhile.status, meanwhile.body.details]).toEqual([409, { status: 'BOOKED_MEANWHILE' }]);
  expect(await cashOf(player)).toBe(45);
});

test('lets staff close a finding with a reason, but not one about themselves', async () => {
  const player = await newPlayer();
  const transactionId = newId();
  await send(player, 'BET', { transactionId, amount: '10', sessionToken: player.sessionToken });
  books = [
    reported(player, { transactionId, amount: '11' }),
    reported(player, { playerId: 'nobody' }),
    reported(staff, { roundId: 'own' }),
  ];
  await compare();
  const [amount] = await findings(player);
  expect(amount).toMatchObject({
    kind: 'AMOUNT',
    facts: { theirs: { amount: '11' }, ours: { amount: '10' } },
  });
  expect(await codeOf(apply(amount!.id))).toBe('FINDING_NOT_APPLICABLE');
  const closed = await close(amount!.id);
  expect(closed.body).toMatchObject({ status: 'CLOSED', reason: 'looked at', user: { id: player.id } });
  expect(await codeOf(close(amount!.id))).toBe('FINDING_DECIDED');

  const unknown = await staff.call(
    'GET',
    '/admin/casino/findings?status=OPEN&kind=MISSING_HERE&provider=lab',
  );
  const [ofNobody] = unknown.body.data.filter(({ user }: { user: unknown }) => user === null);
  expect(await codeOf(apply(ofNobody.id))).toBe('FINDING_NOT_APPLICABLE');
  expect((await close(ofNobody.id)).status).toBe(200);

  const [own] = await findings(staff);
  expect(await codeOf(apply(own!.id))).toBe('OWN_ACCOUNT');
  expect(await codeOf(close(own!.id))).toBe('OWN_ACCOUNT');
  expect(await codeOf(apply('999999999'))).toBe('FINDING_NOT_FOUND');
  expect(await codeOf(apply('x'))).toBe('FINDING_NOT_FOUND');
});

test('finds transactions missing from the report and rounds that have ended at the provider', async () => {
  const player = await newPlayer();
  const [bet, lost] = [newId(), newId()];
  const { sessionToken } = player;
  await send(player, 'BET', { transactionId: bet, amount: '10', sessionToken });
  await send(player, 'BET', { transactionId: lost, amount: '1', roundId: 'r2', sessionToken });
  await sql`update provider_transactions set created_at = now() - interval '40 minutes' where user_id = ${player.id}`.execute(
    app.db,
  );
  await sql`update provider_rounds set updated_at = now() - interval '40 minutes' where user_id = ${player.id}`.execute(
    app.db,
  );
  books = [reported(player, { transactionId: bet, roundClosed: true })];
  await compare();
  expect((await findings(player)).map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    `MISSING_THERE ${lost}`,
    `OPEN_HERE ${player.id}:r1`,
  ]);
  const watched = createMetrics('findings');
  watchFindings({ db: app.db, metrics: watched });
  const metrics = await watched.registry.metrics();
  expect(metrics).toMatch(/croupier_provider_findings_open\{provider="lab"[^}]*\} [1-9]/);
});

test('continues from the last watermark after a report was unavailable', async () => {
  isDown = true;
  await compare();
  const before = await app.db.selectFrom('provider_reports').select('watermark').executeTakeFirstOrThrow();
  isDown = false;
  asked = [];
  await compare();
  const after = await app.db.selectFrom('provider_reports').select('watermark').executeTakeFirstOrThrow();
  expect(asked[0]!.from).toBe(before.watermark.getTime() - 10 * MINUTE);
  expect(asked.at(-1)!.to).toBe(after.watermark.getTime());
  expect(Math.abs(after.watermark.getTime() - (Date.now() - 15 * MINUTE))).toBeLessThan(MINUTE);
  for (const [i, { from }] of asked.entries()) if (i > 0) expect(from).toBe(asked[i - 1]!.to - 10 * MINUTE);
  asked = [];
  await sql`update provider_reports set watermark = watermark - interval '1 hour'`.execute(app.db);
  await Promise.all([compare(), compare()]);
  expect(
    (
      await app.db.selectFrom('provider_reports').select('watermark').executeTakeFirstOrThrow()
    ).watermark.getTime(),
  ).toBeGreaterThanOrEqual(after.watermark.getTime());
});

/** Creates a round whose bet was placed this long ago. */
async function oldRound(hours: number) {
  const player = await newPlayer();
  const transactionId = newId();
  await send(player, 'BET', { transactionId, amount: '10', sessionToken: player.sessionToken });
  await sql`update provider_rounds set created_at = now() - interval '1 hour' * ${hours}, updated_at = now() - interval '1 hour' * ${hours}
    where user_id = ${player.id}`.execute(app.db);
  return { player, transactionId };
}

test('checks rounds that have been open for 25 hours once a day, with many rounds in one report', async () => {
  const [ended, open, young] = [await oldRound(25), await oldRound(25.2), await oldRound(23)];
  books = [
    reported(ended.player, { transactionId: ended.transactionId, roundClosed: true, at: ago(25 * HOUR) }),
    reported(open.player, { transactionId: open.transactionId, roundClosed: false, at: ago(25.2 * HOUR) }),
  ];
  await checkRounds();
  await checkRounds();
  expect(asked).toHaveLength(1);
  expect(await findings(ended.player)).toMatchObject([
    { kind: 'OPEN_HERE', subject: `${ended.player.id}:r1` },
  ]);
  expect([await findings(open.player), await findings(young.player)]).toEqual([[], []]);
  await sql`update provider_rounds set asked_at = asked_at - interval '25 hours'`.execute(app.db);
  await checkRounds();
  expect(asked).toHaveLength(2);
});

test('expires a round that has been open for more than 30 days', async () => {
  const { player } = await oldRound(24 * 30 + 1);
  const { player: other } = await oldRound(24 * 29);
  await checkRounds();
  expect(await findings(player)).toMatchObject([
    { kind: 'ROUND_EXPIRED', facts: { round: 'r1', staked: '10', paid: '0' } },
  ]);
  expect(await findings(other)).toEqual([]);
  const rows = await app.db.selectFrom('bets').select(['status']).where('user_id', '=', player.id).execute();
  expect(rows).toEqual([{ status: 'SETTLED' }]);
  expect(await send(player, 'WIN', { transactionId: newId(), amount: '7' })).toMatchObject({
    status: 'OK',
    balance: '97',
  });
});

test('deletes launches 30 days after their end', async () => {
  const [old, young] = [await newPlayer(), await newPlayer()];
  const end = (player: Player, days: number) =>
    sql`update provider_sessions set expires_at = now() - interval '1 day' * ${days} where user_id = ${player.id}`.execute(
      app.db,
    );
  await end(old, 31);
  await end(young, 29);
  await deleteDue(app.db, SESSION_EXPIRY);
  const left = await app.db
    .selectFrom('provider_sessions')
    .select('user_id')
    .where('user_id', 'in', [old.id, young.id])
    .execute();
  expect(left).toEqual([{ user_id: young.id }]);
});

test('accepts a much shorter game list after staff confirm it', async () => {
  const list = (n: number): SupplierGame[] =>
    Array.from({ length: n }, (_, i) => ({
      code: `listed-${i}`,
      name: `Listed ${i}`,
      type: 'SLOTS',
      categories: ['SLOTS'],
      images: [],
      currencies: null,
      blockedCountries: [],
      description: null,
      rtp: null,
      volatility: null,
      maxWinMultiplier: null,
      hasDemo: false,
      hasFreeSpins: false,
    }));
  const hydrate = (n: number) => app.services.hydration.hydrate('lab', list(n));
  await hydrate(10);
  expect(await hydrate(5)).toMatchObject({ short: true });
  const { body } = await staff.call('GET', '/admin/casino/findings?kind=SHORT_LIST&status=OPEN');
  const [finding] = body.data;
  expect(finding).toMatchObject({ kind: 'SHORT_LIST', facts: { codes: 5, before: 10 } });
  expect((await apply(finding.id)).body.status).toBe('APPLIED');
  expect(await hydrate(5)).toMatchObject({ short: false });
  expect(await codeOf(apply(finding.id))).toBe('FINDING_DECIDED');
});
