import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReceivedMail, startSmtpServer } from '../../../test/kit/http/smtp.ts';
import { loadConfig } from '../config/config.ts';
import { silentLog } from '../observability/log.ts';
import { createMailer, type Mailer } from './smtp.ts';

const received: ReceivedMail[] = [];
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let mailer: Mailer;

beforeAll(async () => {
  server = await startSmtpServer({
    receive: (mail) => {
      received.push(mail);
      return null;
    },
  });
  mailer = mailerOf(server.port);
});
afterAll(async () => {
  await mailer.close();
  await server.close();
});

const mailerOf = (port: number, scheme = 'smtp') =>
  createMailer(loadConfig({ APP_ENV: 'test', SMTP_URL: `${scheme}://127.0.0.1:${port}` }), silentLog);
const MAIL = { to: 'p@player.example', subject: 'Hello', text: 'text', html: '<p>html</p>' };

test('keeps a subject with line breaks within its header', async () => {
  for (const newline of ['\r\n', '\n', '\r', '\u2028'])
    await mailer.send({ ...MAIL, subject: `Hello${newline}Bcc: other@player.example` });
  expect(received).toHaveLength(4);
  for (const { head, recipients } of received.splice(0)) {
    expect(recipients).toEqual(['p@player.example']);
    expect(head).toMatch(/^Subject: Hello Bcc: other@player\.example$/m);
    expect(head).not.toMatch(/^Bcc/im);
  }
});

test('writes a message id that contains line breaks on one line', async () => {
  await mailer.send({ ...MAIL, messageId: 'one@mail.example\r\nBcc: other@player.example' });
  const [{ head, recipients }] = received.splice(0) as [(typeof received)[number]];
  expect(recipients).toEqual(['p@player.example']);
  expect(head).not.toMatch(/^Bcc/im);
});

test.each([
  'a@player.example,b@player.example',
  'a@player.example b@player.example',
  'A <a@player.example>',
  'a@player.example\r\nBcc: b@player.example',
  'a@b@player.example',
  'nobody',
  `${'a'.repeat(250)}@player.example`,
])('rejects %s as an address', async (to) => {
  await expect(mailer.send({ ...MAIL, to })).rejects.toMatchObject({ isPermanent: true });
  expect(received).toEqual([]);
});

test.each([
  ['X-Note', 'one\r\nBcc: other@player.example'],
  ['X-Note\r\nBcc', 'other@player.example'],
  ['X Note', 'one'],
])('rejects the header %j: %j', async (name, value) => {
  await expect(mailer.send({ ...MAIL, headers: { [name]: value } })).rejects.toMatchObject({
    isPermanent: true,
  });
  expect(received).toEqual([]);
});

test('reports an unreachable server as retryable', async () => {
  const nowhere = mailerOf(1);
  const error = await nowhere.send(MAIL).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ isPermanent: false });
  expect(String(error)).toContain('the mail server did not take a mail: ESOCKET');
  await nowhere.close();
});
