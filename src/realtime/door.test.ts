import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { loadConfig } from '../platform/config/config.ts';
import { createDoor } from './door.ts';

const SITE = 'https://site.example';
const config = loadConfig({ APP_ENV: 'test', SITE_ORIGINS: SITE, REALTIME_SOCKETS_PER_ADDRESS: '2' });
const request = (headers: Record<string, string> = {}) =>
  ({ headers, socket: { remoteAddress: '192.0.2.7' } }) as unknown as IncomingMessage;

test('admits sockets from one address up to a limit, and admits another one once one has closed', () => {
  const door = createDoor({ config, handshakes: () => 0 });
  expect(door.refusal(request({ origin: SITE }))).toBeUndefined();
  const [leave] = [door.enter(request()), door.enter(request())];
  expect(door.refusal(request())).toMatchObject({ code: 'TOO_MANY_SOCKETS', status: 429 });
  leave();
  expect(door.refusal(request())).toBeUndefined();
});

test('checks for a shutdown first, then the origin, then the rate', () => {
  const door = createDoor({ config, handshakes: () => 9 });
  const foreign = request({ origin: 'https://evil.example' });
  expect(door.refusal(request())).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 9 } });
  expect(door.refusal(foreign)).toMatchObject({ code: 'ORIGIN_FORBIDDEN', status: 403 });
  door.close();
  expect(door.refusal(foreign)).toMatchObject({ code: 'SHUTTING_DOWN', status: 503 });
});
