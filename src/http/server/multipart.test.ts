import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startApp } from '../../../test/kit/app.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { form, type Part } from '../../../test/kit/http/images.ts';
import { rawBytes } from '../../../test/kit/http/raw-http.ts';
import { type Route, route } from '../route.ts';

const LIMIT = 50_000;
const Seen = z.object({ bytes: z.number().nullable(), body: z.unknown() });
const common = {
  method: 'POST',
  tag: 'Test',
  access: 'auth',
  gate: 'none',
  summary: 'Upload',
  status: 201,
} as const;
const seen = (file: { bytes: Buffer } | undefined, body: unknown) => ({
  bytes: file === undefined ? null : file.bytes.length,
  body: body ?? null,
});
const extraRoutes: Route[] = [
  route({
    ...common,
    path: '/test/file',
    multipart: 'image',
    response: Seen,
    handler: ({ file, body }) => seen(file, body),
  }),
  route({
    ...common,
    path: '/test/both',
    multipart: 'image',
    body: z.strictObject({ text: z.string().optional() }),
    response: Seen,
    handler: ({ file, body }) => seen(file, body),
  }),
  route({
    ...common,
    path: '/test/json',
    body: z.strictObject({}),
    response: Seen,
    handler: ({ body }) => seen(undefined, body),
  }),
];

const app = fixture(() =>
  startApp({
    extraRoutes,
    env: { UPLOAD_LIMIT_BYTES: String(LIMIT), REQUEST_TIMEOUT_MS: '2000', HEADERS_TIMEOUT_MS: '1000' },
  }),
);
const player = fixture(() => app.newPlayer());

const file = (bytes: Buffer | string, more: Partial<Part> = {}): Part => ({
  bytes,
  filename: 'a.png',
  ...more,
});
const send = (parts: readonly Part[], path = '/test/file', options = {}) =>
  player.call('POST', path, form(parts, options));
const shown = ({ status, body }: { status: number; body: any }) =>
  `${status} ${body.code ?? ''}${body.details?.fields ? ` ${body.details.fields[0].path}: ${body.details.fields[0].message}` : ''}`;
const MALFORMED = '400 VALIDATION_FAILED : The body is not complete multipart/form-data.';

describe('a route that accepts a file', () => {
  test('passes the bytes of a single file to the handler, whatever its declared name and type', async () => {
    for (const filename of [
      'a.png',
      '',
      '../../etc/passwd',
      '..\\x',
      'a\0b',
      '/abs',
      'x'.repeat(300),
      'é🎲',
      'a.svg',
      'a;b=c',
    ])
      for (const bytes of ['', 'x', '\r\n--frontie\r\n', Buffer.alloc(LIMIT, 0x0d)])
        expect(await send([file(bytes, { filename, type: 'text/html' })])).toMatchObject({
          status: 201,
          body: { bytes: bytes.length },
        });
  });

  test('accepts a request without a file', async () => {
    expect((await send([])).body).toEqual({ bytes: null, body: null });
    expect((await player.call('POST', '/test/file')).body).toEqual({ bytes: null, body: null });
  });

  test('rejects a second file, a form field and a file with another field name', async () => {
    for (const [parts, message] of [
      [[file('x'), file('y')], 'image: may be sent once'],
      [[file('x'), file('y', { name: 'other' })], 'other: is not the file field image'],
      [[file('x', { name: 'Image' })], 'Image: is not the file field image'],
      [[file('x', { name: '' })], null],
      [[{ bytes: 'x' }], 'image: is not the file field image'],
      [[file('x'), { name: 'isStaff', bytes: 'true' }], 'isStaff: is not the file field image'],
      [[{ name: 'isStaff', bytes: 'true' }, file('x')], 'isStaff: is not the file field image'],
      [[file('x', { name: '__proto__' })], null],
      [[{ name: 'constructor', bytes: 'x' }], null],
      [Array.from({ length: 50 }, () => file('x')), 'image: may be sent once'],
    ] as const) {
      const line = shown(await send(parts));
      if (message === null) expect(line).toMatch(/^400 VALIDATION_FAILED/);
      else expect(line).toBe(`400 VALIDATION_FAILED ${message}`);
    }
    expect(({} as Record<string, unknown>).bytes).toBeUndefined();
  });

  test('returns 413 for a file above the limit, and for a body with too much data around a small file', async () => {
    expect(await send([file(Buffer.alloc(LIMIT + 1))])).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE', details: { maxBytes: LIMIT } },
    });
    expect((await send([file(Buffer.alloc(20 * LIMIT))])).status).toBe(413);
    const { raw } = form([file('x')]);
    for (const body of [
      Buffer.concat([Buffer.alloc(2 * LIMIT, 0x61), Buffer.from('\r\n'), raw]),
      Buffer.concat([raw, Buffer.alloc(2 * LIMIT)]),
    ])
      expect((await chunked(body)).status).toBe(413);
    expect((await chunked(form([file(Buffer.alloc(LIMIT + 1))]).raw)).status).toBe(413);
    expect((await chunked(form([file(Buffer.alloc(LIMIT))]).raw)).status).toBe(201);
  });

  test('returns 400 for a truncated or malformed multipart body', async () => {
    const { headers, raw } = form([file('hello')]);
    for (const end of ['', '--frontier', '--front'])
      expect(shown(await send([file('x')], '/test/file', { end }))).toBe(MALFORMED);
    for (const bytes of [
      raw.subarray(0, 30),
      raw.subarray(0, 120),
      raw.subarray(0, -20),
      Buffer.from('{}'),
      Buffer.from('--frontier'),
    ])
      expect(shown(await player.call('POST', '/test/file', { headers, raw: bytes }))).toBe(MALFORMED);
    for (const type of [
      'multipart/form-data; boundary',
      'multipart/form-data; x=y',
      'multipart/form-data;',
      'multipart/form-data; boundary=""',
    ])
      expect(
        shown(await player.call('POST', '/test/file', { headers: { 'content-type': type }, raw })),
        type,
      ).toBe(MALFORMED);
  });

  test('returns 415 for JSON unless the route also accepts a JSON body, and for every other content type', async () => {
    const { raw } = form([file('x')]);
    expect((await player.call('POST', '/test/file', { body: {} })).status).toBe(415);
    for (const type of [
      'multipart/mixed; boundary=frontier',
      'multipart/form-data',
      'image/png',
      'text/plain',
      'application/x-www-form-urlencoded',
    ])
      for (const path of ['/test/file', '/test/both'])
        expect(
          (await player.call('POST', path, { headers: { 'content-type': type }, raw })).status,
          type,
        ).toBe(415);
  });

  test('accepts either JSON or a file, but not both', async () => {
    expect((await player.call('POST', '/test/both', { body: { text: 'x' } })).body).toEqual({
      bytes: null,
      body: { text: 'x' },
    });
    expect((await send([file('xyz')], '/test/both')).body).toEqual({ bytes: 3, body: {} });
    expect(shown(await send([file('xyz'), { name: 'text', bytes: 'x' }], '/test/both'))).toBe(
      '400 VALIDATION_FAILED text: is not the file field image',
    );
    expect((await player.call('POST', '/test/both', { body: { image: 'x' } })).status).toBe(400);
  });

  test('authenticates the caller before reading the body', async () => {
    const { headers, raw } = form([file('x')]);
    expect((await app.call('POST', '/test/file', { headers, raw })).status).toBe(401);
    expect((await player.call('POST', '/test/file?x=1', form([file('x')]))).status).toBe(400);
  });
});

test('returns 415 for a file when the route accepts none', async () => {
  expect((await send([file('x')], '/test/json')).status).toBe(415);
});

test('documents the file upload next to the JSON body', async () => {
  const { body } = await app.call('GET', '/openapi.json');
  const contentOf = (path: string) => body.paths[path].post.requestBody.content;
  expect(contentOf('/test/file')).toEqual({
    'multipart/form-data': {
      schema: { type: 'object', properties: { image: { type: 'string', format: 'binary' } } },
    },
  });
  expect(Object.keys(contentOf('/test/both'))).toEqual(['application/json', 'multipart/form-data']);
  expect(Object.keys(contentOf('/test/json'))).toEqual(['application/json']);
  expect(body.paths['/test/file'].post.responses).toHaveProperty('413');
});

test('releases its resources when a client stops sending or disconnects halfway', async () => {
  const { raw } = form([file(Buffer.alloc(40_000))]);
  const stopped = await rawBytes(app.url, [head(`content-length: ${raw.length}`), raw.subarray(0, 20_000)]);
  expect(stopped.status).toBe(408);
  for (let i = 0; i < 20; i++) {
    const { port } = new URL(app.url);
    await new Promise<void>((resolve) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      socket.write(head(`content-length: ${raw.length}`));
      socket.write(raw.subarray(0, 30_000), () => setTimeout(() => socket.destroy(), 5));
      socket.on('close', () => resolve());
    });
  }
  // These uploads would exceed the memory limit if the bytes of the twenty disconnected clients were still counted.
  const all = await Promise.all(Array.from({ length: 15 }, () => send([file(Buffer.alloc(LIMIT))])));
  expect(all.map(({ status }) => status)).toEqual(Array(15).fill(201));
  expect(app.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('returns 503 above the limit on concurrent uploads, and accepts uploads again afterwards', async () => {
  const { raw } = form([file(Buffer.alloc(46_000))]);
  const halves = Array.from({ length: 20 }, () =>
    rawBytes(app.url, [head(`content-length: ${raw.length}`), raw.subarray(0, 45_000)]),
  );
  const refused = (await Promise.all(halves)).filter(({ status }) => status !== 408);
  expect(refused.length).toBeGreaterThan(1);
  for (const { status, body, headers } of refused)
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '2']);
  expect((await send([file('x')])).status).toBe(201);
});

const head = (length: string) =>
  [
    'POST /test/file HTTP/1.1',
    `host: ${new URL(app.url).host}`,
    'connection: close',
    `authorization: Bearer ${player.token}`,
    'content-type: multipart/form-data; boundary=frontier',
    length,
    '',
    '',
  ].join('\r\n');

const chunked = (body: Buffer) =>
  rawBytes(app.url, [
    head('transfer-encoding: chunked'),
    `${body.length.toString(16)}\r\n`,
    body,
    '\r\n0\r\n\r\n',
  ]);
