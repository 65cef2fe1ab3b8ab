import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../src/platform/database/db.ts';
import { startJobs } from '../src/platform/jobs/jobs.ts';
import { createOutbound } from '../src/platform/net/outbound.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { span as spanned } from '../src/platform/observability/trace.ts';
import { startTraces } from '../src/platform/observability/trace-export.ts';
import { withoutValues } from '../src/platform/observability/trace-sql.ts';
import { addJob, startQueue } from '../src/platform/queue/queue.ts';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { createTestDatabase, type TestDatabase } from './kit/database.ts';
import { startProcess } from './kit/processes/process.ts';

type Value = { stringValue?: string; intValue?: number; boolValue?: boolean };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Value }[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number };
};
type Sent = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };

/** Starts a collector that receives traces over real HTTP. */
async function startCollector() {
  const bodies: string[] = [];
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(JSON.stringify(request.headers), Buffer.concat(chunks).toString());
    const sent = JSON.parse(bodies.at(-1)!) as Sent;
    spans.push(...sent.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const find = async (what: (span: Span) => boolean): Promise<Span> => {
    for (;;) {
      const found = spans.find(what);
      if (found) return found;
      await sleep(50);
    }
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans,
    find,
    called: (name: string) => find((span) => span.name === name),
    close: () => new Promise((done) => server.close(done)),
  };
}

const attributeOf = (span: Span, key: string) => {
  const value = span.attributes.find((attribute) => attribute.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};
const childrenOf = (span: Span) => collector.spans.filter((s) => s.parentSpanId === span.spanId);

const PASSWORD = 'Sesame-open-7731!';
let collector: Awaited<ReturnType<typeof startCollector>>;
let traces: ReturnType<typeof startTraces>;
let database: TestDatabase;
let app: TestApp;
let player: Player;

beforeAll(async () => {
  collector = await startCollector();
  database = await createTestDatabase();
  traces = startTraces('test', {
    APP_ENV: 'test',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one%20two',
    OTEL_TRACES_SAMPLER_ARG: 1,
  });
  app = await startApp({ database, env: { LOG_LEVEL: 'debug' } });
  player = await app.newPlayer({ usdt: 100 });
});
afterAll(async () => {
  await app?.stop();
  await traces?.close();
  await database?.drop();
  await collector?.close();
});

test('records a request as a span named after its route, with its SQL as child spans, and logs the trace id', async () => {
  const headers = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const answer = await player.call('GET', '/bets?take=7', { headers });
  const span = await collector.find(
    (s) =>
      attributeOf(s, 'croupier.request_id') === answer.headers.get('x-request-id') || s.name === 'GET /bets',
  );
  expect(span).toMatchObject({ name: 'GET /bets', kind: 2 });
  expect(span.traceId).not.toBe('a'.repeat(32));
  expect(attributeOf(span, 'http.route')).toBe('/bets');
  expect(Number(attributeOf(span, 'http.response.status_code'))).toBe(200);
  const sql = await collector.find((s) => s.parentSpanId === span.spanId && s.name === 'sql select');
  expect(sql).toMatchObject({ traceId: span.traceId, kind: 3 });
  expect(attributeOf(sql, 'db.query.text')).toMatch(/from "?bets"?/);
  expect(
    app.lines.some(
      (line) => line.includes(`"traceId":"${span.traceId}"`) && line.includes('"route":"/bets"'),
    ),
  ).toBe(true);
});

test('records a rejected request with its status but without its content', async () => {
  const body = { email: 'somebody@example.com', password: PASSWORD };
  const answer = await app.call('POST', '/auth/sign-in', { body, headers: { 'x-captcha-token': 'x' } });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  const span = await collector.called('POST /auth/sign-in');
  expect(Number(attributeOf(span, 'http.response.status_code'))).toBe(answer.status);
});

test('records a bet within its request, and links the span of its batch to every bet', async () => {
  expect((await betOnDice(player)).status).toBe(201);
  const request = await collector.called('POST /casino/games/house/dice/bet');
  const settle = await collector.find((s) => s.name === 'settle' && s.traceId === request.traceId);
  expect(settle.parentSpanId).toBe(request.spanId);
  const batch = await collector.find(
    (s) => s.name === 'settle batch' && s.links?.some(({ spanId }) => spanId === settle.spanId) === true,
  );
  expect(batch.parentSpanId ?? '').toBe('');
  expect(Number(attributeOf(batch, 'croupier.bets'))).toBe(1);
  await collector.find((s) => s.parentSpanId === batch.spanId && s.name === 'sql batch');
  const summaries = childrenOf(batch).map((s) => attributeOf(s, 'db.query.summary'));
  expect(summaries.join(' ')).toMatch(/^begin players\.lock .* commit$/);
});

test("continues the requester's trace in a queued job, and begins a new one for a repeated job", async () => {
  const seen: unknown[] = [];
  const run = async (payload: unknown) => {
    seen.push(payload);
    await app.db.selectFrom('games').select('id').limit(1).execute();
    if (seen.length === 1) throw new Error(`the mail to ${PASSWORD} failed`);
  };
  const tasks = { 'test.task': run };
  const queue = startQueue({ connectionString: database.url, tasks, concurrency: 1, log: silentLog });
  const every: Parameters<typeof startJobs>[0] = [
    { name: 'test.often', everyMs: 30_000, run: () => run({}).catch(() => undefined) },
  ];
  await spanned('test.asks', {}, () => transaction(app.db, (tx) => addJob(tx, 'test.task', { to: 'x' })));
  const asks = await collector.called('test.asks');
  const failed = await collector.find((s) => s.name === 'task test.task' && s.status.code === 2);
  const done = await collector.find((s) => s.name === 'task test.task' && s.status.code !== 2);
  for (const task of [failed, done]) expect([task.traceId, task.kind]).toEqual([asks.traceId, 5]);
  expect(seen).toEqual([{ to: 'x' }, { to: 'x' }]);
  await queue.close();
  const jobs = startJobs(every, { connectionString: database.url, log: silentLog });
  const job = await collector.called('job test.often');
  await collector.find((s) => s.parentSpanId === job.spanId && s.name === 'sql select');
  expect(job.parentSpanId ?? '').toBe('');
  await jobs.close();
});

test('records a request to a partner without its path and sends no trace headers', async () => {
  const partner = await startCollector();
  const outbound = createOutbound({ name: 'somebody', baseUrl: partner.url, log: silentLog });
  await outbound.ask({ method: 'POST', path: `/pay/${PASSWORD}`, body: '{"resourceSpans":[]}' });
  const span = await collector.called('POST somebody');
  expect(span.kind).toBe(3);
  expect(partner.bodies.join()).not.toContain('traceparent');
  await partner.close();
});

test('sends no secrets or personal data to the collector', async () => {
  await traces.close();
  const all = collector.bodies.join('\n');
  expect(collector.bodies[0]).toContain('"x-tenant":"one two"');
  expect(all).toContain('croupier-test');
  const secrets = [PASSWORD, player.token, player.username, 'somebody@example.com', app.config.SEED_SECRET];
  for (const secret of secrets) expect(all).not.toContain(secret);
  expect(all).not.toContain('take=7');
  const texts = collector.spans.flatMap((s) => attributeOf(s, 'db.query.text') ?? []).map(String);
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) expect(text).not.toMatch(/'|= \d/);
});

test('replaces all values in SQL text, whatever their form', () => {
  expect(
    withoutValues(`select "a1" from t2\n where x = 'it''s' and y = 42 and z = $3 and w in (1.5, 'b')`),
  ).toBe('select "a1" from t2 where x = ? and y = ? and z = $3 and w in (?, ?)');
  expect(withoutValues(`select '${'x'.repeat(2000)}'`)).toBe('select ?');
});

test('loads the OpenTelemetry libraries only when a collector is configured', async () => {
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/^@opentelemetry.[a-z-]+$/.test(name)) console.log('loaded ' + name);
      return next(name, context);
    } });`;
  const env = {
    APP_ENV: 'test',
    ALLOW_UNSAFE_DATABASE: 'true',
    DATABASE_URL: database.url,
    DATA_DIR: '/tmp',
    JWT_SECRET: app.config.JWT_SECRET,
    SEED_SECRET: app.config.SEED_SECRET,
    DATA_SECRET: app.config.DATA_SECRET,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  };
  const [off, on] = await Promise.all([
    startProcess(env),
    startProcess({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
  ]);
  expect(on.output()).toContain('loaded @opentelemetry/sdk-trace');
  expect(off.url).toBeDefined();
  // Without tracing, only the OpenTelemetry interfaces are loaded, because the metrics library imports them.
  expect(off.output().match(/^loaded .*/gm) ?? []).toEqual(['loaded @opentelemetry/api']);
  await fetch(`${on.url}/version`);
  expect(await Promise.all([on.end(), off.end()])).toEqual([0, 0]);
  // Unsent spans are sent when the process stops.
  expect(collector.spans.some((s) => s.name === 'GET /version')).toBe(true);
});
