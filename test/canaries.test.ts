import { expect, test } from 'vitest';
import { z } from 'zod';
import { route } from '../src/http/route.ts';
import { createMailer } from '../src/platform/net/smtp.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { startApp } from './kit/app.ts';
import { startOutside } from './kit/http/outside.ts';
import { startElsewhere } from './kit/processes/environments.ts';

let planted = '';
const TELLING = route({
  method: 'GET',
  path: '/test/telling',
  tag: 'Test',
  access: 'anonymous',
  summary: 'For the test',
  response: z.object({ text: z.string() }),
  handler: () => ({ text: planted }),
});

const failure = (stopped: Promise<unknown>): Promise<string> =>
  stopped.then(
    () => '',
    ({ message }: Error) => message,
  );
const PLACES = /^secrets were seen: /;

test('fails a test file when a secret appears in a response, a log line or an email, without repeating the secret', async () => {
  const outside = await startOutside();
  const app = await startApp({ env: outside.env, extraRoutes: [TELLING] });
  const { JWT_SECRET, SEED_SECRET, DATA_SECRET } = app.config;
  const messages: string[] = [];

  const elsewhere = await startElsewhere(app, 'test', { env: outside.env });
  elsewhere.services.log.warn({}, `it is ${SEED_SECRET}.`);
  messages.push(await failure(elsewhere.stop()));
  expect(messages.at(-1)).toMatch(/SEED_SECRET in line/);

  for (planted of [`it is ${JWT_SECRET}.`, '$argon2id$v=19$m=19456', 'otpauth://totp/a?secret=b'])
    expect((await app.call('GET', '/test/telling?')).body).toEqual({ text: planted });
  app.services.log.warn({}, `it is ${DATA_SECRET}.`);
  messages.push(await failure(app.stop()));
  for (const found of [
    'JWT_SECRET in answer GET /test/telling',
    'hash of a password in answer GET /test/telling',
    'address of a second factor in answer GET /test/telling',
    'DATA_SECRET in line of a log',
  ])
    expect(messages.at(-1)).toContain(found);
  expect(messages.at(-1)).not.toContain('SEED_SECRET');

  const mailer = createMailer(app.config, silentLog);
  const html = `<p>it is ${JWT_SECRET}.</p>`;
  await mailer.send({ to: 'somebody@mail.example', subject: 'Hello', text: 'Hello', html });
  await mailer.close();
  messages.push(await failure(outside.close()));
  expect(messages.at(-1)).toContain('JWT_SECRET in mail "Hello"');

  for (const message of messages) {
    expect(message).toMatch(PLACES);
    for (const secret of [JWT_SECRET, SEED_SECRET, DATA_SECRET]) expect(message).not.toContain(secret);
  }
});

test('allows second factors only in responses to their owner, and tokens only in responses', async () => {
  const app = await startApp();
  const player = await app.newPlayer();
  expect((await player.call('GET', '/user/generate-2fa')).text).toContain('otpauth://');
  expect(await failure(app.stop())).toBe('');
});
