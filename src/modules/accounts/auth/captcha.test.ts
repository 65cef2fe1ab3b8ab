import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startCaptcha } from '../../../../test/kit/accounts/captcha.ts';
import { newcomer } from '../../../../test/kit/accounts/sign-in.ts';
import { type Answer, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import type { Config } from '../../../platform/config/config.ts';
import { createCaptcha } from './service.ts';

const captcha = fixture(startCaptcha);
const app = fixture(() => startApp({ env: captcha.env }));
afterEach(() => captcha.behave('ok'));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;
const tryWith = (headers: Record<string, string>, path = '/auth/sign-in') =>
  app.call('POST', path, { body: { email: newcomer().email, password: 'whatever it is' }, headers });
const REFUSED = '400 AUTH_INVALID_CAPTCHA';

test.each(['/auth/sign-in', '/auth/sign-up'])(
  'rejects missing, invented and reused captcha tokens, and the fixed local token, on %s',
  async (path) => {
    expect(codeOf(await tryWith({}, path))).toBe('400 AUTH_RECAPTCHA_TOKEN_MISSING');
    expect(codeOf(await tryWith({ 'x-captcha-token': '' }, path))).toBe('400 AUTH_RECAPTCHA_TOKEN_MISSING');
    for (const token of ['invented', 'local-captcha', 'x'.repeat(5000), `${await captcha.solve()}x`])
      expect(codeOf(await tryWith({ 'x-captcha-token': token }, path))).toBe(REFUSED);
    const once = await captcha.solved();
    expect(codeOf(await tryWith(once, path))).toMatch(/401 AUTH_INVALID_CREDENTIALS|400 VALIDATION_FAILED/);
    expect(codeOf(await tryWith(once, path))).toBe(REFUSED);
  },
);

test('accepts only one of 50 concurrent requests with the same token', async () => {
  const once = await captcha.solved();
  const codes = (await Promise.all(Array.from({ length: 50 }, () => tryWith(once)))).map(codeOf);
  expect(codes.filter((code) => code !== REFUSED)).toEqual(['401 AUTH_INVALID_CREDENTIALS']);
});

test.each(['down', 'garbage', 'slow'] as const)(
  'rejects all tokens while the verifier is %s',
  async (mode) => {
    const solved = await captcha.solved();
    await captcha.behave(mode);
    expect(codeOf(await tryWith(solved))).toBe(REFUSED);
    await captcha.behave('ok');
    expect(codeOf(await tryWith(await captcha.solved()))).toBe('401 AUTH_INVALID_CREDENTIALS');
  },
);

test('rejects tokens on malformed verifier responses, and accepts the fixed token only when APP_ENV is local', async () => {
  const answers = ['{"success":"true"}', '{"success":1}', '[true]', 'true', '{}', '{"success":false}', ''];
  const verifier = createServer(({ url }, response) => {
    const kind = url!.slice(1);
    if (kind === 'moved') response.writeHead(302, { location: '/good' });
    else if (kind === 'broken') response.writeHead(500);
    const isGood = ['moved', 'broken', 'good'].includes(kind);
    response.end(isGood ? '{"success":true}' : answers[Number(kind)]);
  }).listen(0, '127.0.0.1');
  await once(verifier, 'listening');
  const base = `http://127.0.0.1:${(verifier.address() as AddressInfo).port}`;
  const verify = (kind: string, APP_ENV: Config['APP_ENV'] = 'test', token = 'a-token') =>
    createCaptcha({ ...app.config, APP_ENV, CAPTCHA_VERIFY_URL: `${base}/${kind}` })(token, '127.0.0.1');
  await expect(verify('good')).resolves.toBeUndefined();
  const invalid = { code: 'AUTH_INVALID_CAPTCHA' };
  for (const kind of ['moved', 'broken', ...answers.keys()])
    await expect(verify(String(kind)), `${kind}`).rejects.toMatchObject(invalid);
  for (const environment of ['test', 'staging', 'production'] as const)
    await expect(verify('5', environment, 'local-captcha')).rejects.toMatchObject(invalid);
  await expect(verify('5', 'local', 'local-captcha')).resolves.toBeUndefined();
  verifier.close();
});
