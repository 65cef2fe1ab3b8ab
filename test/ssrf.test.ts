import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from './kit/fixture.ts';
import type { Operation } from './kit/http/openapi.ts';
import {
  examplePath,
  fullBody,
  inParallel,
  positionsOf,
  replaced,
  startCaller,
} from './kit/http/requests.ts';

let listener: Server;
const connections: string[] = [];
const caller = fixture(startCaller);
beforeAll(async () => {
  listener = createServer((socket) => {
    connections.push(`${socket.remoteAddress}`);
    socket.destroy();
  });
  // The listener accepts connections on every address of this machine, including IPv6 if available.
  listener.listen(0);
  await once(listener, 'listening');
});
afterAll(async () => {
  listener.close();
});

/** Addresses of the listener and other internal ones, in every spelling that a URL parser accepts. */
function targets(): string[] {
  const { port } = listener.address() as AddressInfo;
  const hosts = [
    '127.0.0.1',
    '[::1]',
    'localhost',
    '2130706433',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '127.1',
    '0',
    '[::ffff:127.0.0.1]',
    '127.0.0.1.',
    'localhost.',
    '①②⑦.⓪.⓪.①',
    'user@127.0.0.1',
    'cdn.example@127.0.0.1',
  ];
  return [
    ...hosts.flatMap((host) => [`http://${host}:${port}/a.png`, `https://${host}:${port}/a.png`]),
    ...['gopher', 'ftp', 'dict', 'ws'].map((scheme) => `${scheme}://127.0.0.1:${port}/_x`),
    `//127.0.0.1:${port}/a.png`,
    `\\\\127.0.0.1:${port}\\a.png`,
    `https:/127.0.0.1:${port}/`,
    ` http://127.0.0.1:${port}/`,
    `http://cdn.example#@127.0.0.1:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/latest/',
    'https://2852039166/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,iVBORw0KGgo=',
  ];
}

const URL_LIKE = /avatar|link|url|image|referrer|redirect|return|callback|website|domain|endpoint|host/i;
const inBody = (operation: Operation) =>
  (operation.body ? positionsOf(operation.body) : []).filter(
    ({ path, schema }) => schema.type === 'string' && URL_LIKE.test(String(path.at(-1))),
  );
const inQuery = ({ parameters }: Operation) =>
  parameters.filter((p) => p.in !== 'path' && p.schema.type === 'string' && URL_LIKE.test(p.name));

test('never sends a request to a URL from an input field', async () => {
  const cases = caller.operations.flatMap((operation) => [
    ...inBody(operation).flatMap(({ path }) => targets().map((url) => ({ operation, path, url }))),
    ...inQuery(operation).flatMap(({ name }) => targets().map((url) => ({ operation, name, url }))),
  ]);
  const fields = new Set(cases.map((c) => `${c.operation.name} ${'path' in c ? c.path : c.name}`));
  for (const field of [
    'PATCH /user/me avatar',
    'PATCH /user/me platformTradeLink',
    'POST /auth/sign-up referrer',
  ])
    expect([...fields]).toContain(field);
  const failures = await inParallel(cases, async (c) => {
    const { operation, url } = c;
    const path = examplePath(operation);
    const search =
      'name' in c ? `${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [c.name]: url })}` : '';
    const body =
      operation.body && ('path' in c ? replaced(fullBody(operation), c.path, url) : fullBody(operation));
    const { status } = await caller.send(operation, { url: path + search, body });
    return status >= 500 ? [`${operation.name} ${url}: ${status}`] : [];
  });
  expect(failures.flat()).toEqual([]);
  expect(connections).toEqual([]);
}, 240_000);

test('never fetches an avatar or a trade link, and accepts only public https trade links', async () => {
  for (const url of [...targets(), 'https://cdn.example/a.png'])
    for (const field of ['avatar', 'platformTradeLink']) {
      const { status, body } = await caller.player.call('PATCH', '/user/me', { body: { [field]: url } });
      const isPublic = field === 'platformTradeLink' && url.startsWith('https://cdn.example/');
      expect(isPublic ? status : `${status} ${body.code}`, `${field} ${url}`).toEqual(
        isPublic ? 200 : `400 ${field === 'avatar' ? 'AVATAR_NOT_UPLOADED' : 'VALIDATION_FAILED'}`,
      );
    }
  expect(connections).toEqual([]);
});
