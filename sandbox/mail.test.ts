import nodemailer from 'nodemailer';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Mail } from './inbox-page.ts';
import { type Sandbox, startSandbox } from './server.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
});
afterEach(() => behave('ok'));
afterAll(() => sandbox.close());

const LINK = 'http://127.0.0.1:3900/site/verify-email#token=a.b_c';
const MAIL = {
  from: 'Croupier <no-reply@croupier.example>',
  subject: 'Überprüfe <deine> Adresse ✓',
  text: `Grüße!\n${LINK}.\n`,
  html: `<p>Grüße!</p><a href="${LINK}" target="_blank">Weiter</a><script>alert(1)</script>`,
  headers: { 'X-Reason': 'verification' },
};

test('receives emails over SMTP and returns them as JSON, newest first', async () => {
  await send({ ...MAIL, to: 'first@player.example' });
  await send({ ...MAIL, to: 'second@player.example', subject: 'older' });
  await send({ ...MAIL, to: ['Second@player.example', 'third@player.example'] });
  const [mail, older, ...others] = await inbox('second@player.example');
  expect(others).toEqual([]);
  expect(older!.subject).toBe('older');
  expect(mail).toMatchObject({
    to: ['Second@player.example', 'third@player.example'],
    from: 'no-reply@croupier.example',
    subject: MAIL.subject,
    text: expect.stringContaining(MAIL.text.trim()),
    html: expect.stringContaining('<p>Grüße!</p>'),
    headers: { 'x-reason': 'verification', from: 'Croupier <no-reply@croupier.example>' },
  });
  expect(Math.abs(Date.now() - Date.parse(mail!.at))).toBeLessThan(60_000);
  expect((await inbox()).map(({ id }) => Number(id))).toEqual([3, 2, 1]);
  expect(await inbox('nobody@player.example')).toEqual([]);
});

test('shows emails in the inbox with working links and without scripts', async () => {
  await send({ ...MAIL, to: 'page@player.example' });
  const [{ id }] = (await inbox('page@player.example')) as [Mail];
  const list = await (await fetch(`${sandbox.url}/inbox`)).text();
  expect(list).toContain(`<a href="/inbox/${id}">Überprüfe &#60;deine&#62; Adresse ✓</a>`);
  const shown = await (await fetch(`${sandbox.url}/inbox/${id}`)).text();
  expect(shown).toContain(`<pre id="text">Grüße!\n<a href="${LINK}">${LINK}</a>.`);
  expect(shown).toContain(
    '<iframe id="html" sandbox="allow-same-origin allow-top-navigation" srcdoc="&#60;base target=&#34;_top',
  );
  expect(shown).not.toMatch(/<script|_blank/);
  expect((await fetch(`${sandbox.url}/inbox/999999`)).status).toBe(404);
});

test('accepts emails with and without a password, and discards them when configured to', async () => {
  await send({ ...MAIL, to: 'auth@player.example' }, { auth: { user: 'croupier', pass: 'anything' } });
  expect(await inbox('auth@player.example')).toHaveLength(1);
  expect((await fetch(`${sandbox.url}/inbox/clear`, { method: 'POST' })).url).toBe(`${sandbox.url}/inbox`);
  expect(await inbox()).toEqual([]);
});

test('responds with temporary errors, permanent errors or delays when configured to', async () => {
  const mail = { ...MAIL, to: 'late@player.example' };
  await behave('down');
  await expect(send(mail)).rejects.toMatchObject({ responseCode: 451 });
  await behave('reject');
  await expect(send(mail)).rejects.toMatchObject({ responseCode: 550 });
  await behave('slow');
  await expect(send(mail, { socketTimeout: 200 })).rejects.toThrow(/timeout/i);
  expect(await inbox('late@player.example')).toEqual([]);
});

test('keeps only the last 500 emails', async () => {
  const pool = nodemailer.createTransport({ ...connection(), pool: true, maxMessages: 1000 });
  for (let n = 0; n < 510; n += 1)
    await pool.sendMail({ from: 'a@b.example', to: 'many@player.example', subject: `${n}`, text: '' });
  pool.close();
  const mails = await inbox();
  expect(mails).toHaveLength(500);
  expect([mails[0]!.subject, mails[499]!.subject]).toEqual(['509', '10']);
});

test('prints the setting to change when a port is already in use', async () => {
  const host = '127.0.0.1';
  const taken = /is in use: stop the program that listens on it, or set SANDBOX_/;
  await expect(startSandbox({ port: 0, host, smtpPort: sandbox.smtpPort })).rejects.toThrow(
    new RegExp(`${sandbox.smtpPort} ${taken.source}SMTP_PORT`),
  );
  await expect(startSandbox({ port: sandbox.port, host })).rejects.toThrow(
    new RegExp(`${sandbox.port} ${taken.source}PORT`),
  );
});

const connection = () => ({ host: '127.0.0.1', port: sandbox.smtpPort });

async function send(mail: object, options: object = {}): Promise<void> {
  await nodemailer.createTransport({ ...connection(), ...options }).sendMail(mail);
}

async function inbox(to?: string): Promise<Mail[]> {
  const query = to ? `?${new URLSearchParams({ to })}` : '';
  return (await (await fetch(`${sandbox.url}/inbox.json${query}`)).json()) as Mail[];
}

async function behave(mode: string): Promise<void> {
  const answer = await fetch(`${sandbox.url}/inbox/behaviour`, {
    method: 'POST',
    body: JSON.stringify({ mode }),
  });
  expect(answer.status).toBe(200);
}
