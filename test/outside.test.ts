import nodemailer from 'nodemailer';
import { expect, test } from 'vitest';
import { fixture } from './kit/fixture.ts';
import { startOutside } from './kit/http/outside.ts';

const outside = fixture(startOutside);

const send = (to: string, subject: string) =>
  nodemailer
    .createTransport(outside.env.SMTP_URL)
    .sendMail({ from: 'a@croupier.example', to, subject, text: '' });

test('finds an email by subject, pattern or predicate as soon as it arrives', async () => {
  const to = 'waiting@player.example';
  const waiting = outside.waitForMail(to, 'Second');
  await send(to, 'First');
  await send(to, 'Second');
  expect((await waiting).subject).toBe('Second');
  expect((await outside.waitForMail(to)).subject).toBe('Second');
  expect((await outside.waitForMail(to, /^F/)).subject).toBe('First');
  expect((await outside.waitForMail(to, (mail) => mail.subject === 'First')).to).toEqual([to]);
  expect((await outside.inbox(to)).map(({ subject }) => subject)).toEqual(['Second', 'First']);
});

test('makes external services fail as configured', async () => {
  await outside.behave('inbox', 'reject');
  await expect(send('b@player.example', 'Lost')).rejects.toMatchObject({ responseCode: 550 });
  await outside.behave('inbox', 'ok');
  await expect(outside.behave('oidc', 'odd')).rejects.toThrow(/mode must be one of/);
});

test('passes the address of the API to the site', async () => {
  outside.setApi('http://127.0.0.1:4242');
  expect(await (await fetch(outside.env.SITE_URL!)).text()).toContain('http://127.0.0.1:4242');
});
