import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Answer, cashOf } from '../../../../test/kit/app.ts';
import { rawRequest } from '../../../../test/kit/http/raw-http.ts';
import { SKINS_PATH, type Skins, startSkins } from '../../../../test/kit/money/skins.ts';
import { notify } from '../../../../test/kit/money/webhooks.ts';
import { signatureOf } from '../../base/webhooks/signature.ts';

const [OLD, NEW] = ['the-secret-of-before-0', 'the-secret-of-now-00000'];
const TOLERANCE = 300;

let skins: Skins;
beforeAll(async () => {
  const env = { SKINS_WEBHOOK_SECRETS: `${NEW},${OLD}`, WEBHOOK_TOLERANCE_SECONDS: String(TOLERANCE) };
  skins = await startSkins(env);
});
afterAll(() => skins.stop());

const now = () => Math.floor(Date.now() / 1000);
const webhookOf = (transactionId: string) =>
  JSON.stringify({ transactionId, status: 'SUCCESS', usdAmount: '10', occurredAt: new Date().toISOString() });
const stored = async () => {
  const rows = skins.app.db.selectFrom('webhook_events').select('id').where('kind', '=', 'skins');
  return (await rows.execute()).length;
};

test('rejects an invalid signature with 401, stores nothing and moves no money', async () => {
  const { player, transactionId } = await skins.opened();
  const raw = webhookOf(transactionId);
  const t = now();
  const good = signatureOf(raw, NEW, t);
  const send = (header: string | undefined, body = raw): Promise<Answer> =>
    skins.app.call('POST', SKINS_PATH, {
      raw: body,
      headers: {
        'content-type': 'application/json',
        ...(header === undefined ? {} : { 'x-signature': header }),
      },
    });
  const tries: Record<string, [string | undefined, string?]> = {
    'no header': [undefined],
    empty: [''],
    'another key': [signatureOf(raw, 'sandbox-skins-webhook-secret', t)],
    "the payment provider's key": [signatureOf(raw, 'sandbox-payment-webhook-secret', t)],
    'an empty key': [signatureOf(raw, '', t)],
    truncated: [good.slice(0, -1)],
    'too long': [`${good}0`],
    'in upper case': [good.toUpperCase()],
    'another time': [good.replace(`t=${t}`, `t=${t - 1}`)],
    'of the body alone': [`t=${t},v1=${createHmac('sha256', NEW).update(raw).digest('hex')}`],
    'of another body': [signatureOf(`${raw} `, NEW, t)],
    'an extra space': [good, `${raw} `],
    'the body in another order': [
      good,
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(raw)).reverse())),
    ],
    'the body in other words': [good, raw.replace('"10"', '"1000"')],
    'too old by a second': [signatureOf(raw, NEW, t - TOLERANCE - 2)],
    'too new by a second': [signatureOf(raw, NEW, t + TOLERANCE + 2)],
    'two signatures': [`${good},${good.slice(good.indexOf('v1='))}`],
    'no JSON, signed by nobody': [undefined, '{'],
    'an empty body': [good, ''],
  };
  const before = await stored();
  for (const [name, [header, body]] of Object.entries(tries)) {
    const answer = await send(header, body);
    expect([name, codeOf(answer)]).toEqual([name, '401 SIGNATURE_INVALID']);
  }
  expect([await stored(), await cashOf(player)]).toEqual([before, '0']);
  expect((await send(good)).status).toBe(200);
  expect(await cashOf(player)).toBe('10');
});

test('rejects two signature headers, even if one is valid', async () => {
  const { player, transactionId } = await skins.opened();
  const raw = webhookOf(transactionId);
  const good = signatureOf(raw, NEW, now());
  for (const second of [good, 'x']) {
    const answer = await rawRequest(skins.app.url, 'POST', SKINS_PATH, {
      headers: { 'content-type': 'application/json', 'x-signature': good, 'X-Signature': second },
      body: raw,
    });
    expect(answer.status).toBe(401);
  }
  expect(await cashOf(player)).toBe('0');
});

test('ignores a repeated webhook, with the old signature or a new one', async () => {
  const { player, transactionId } = await skins.opened();
  const raw = webhookOf(transactionId);
  const at = now();
  for (const secret of [NEW, NEW, OLD])
    expect((await notify(skins.app, SKINS_PATH, raw, { secret, at })).status).toBe(200);
  expect((await notify(skins.second, SKINS_PATH, raw, { secret: NEW, at: at - 200 })).status).toBe(200);
  expect(await cashOf(player)).toBe('10');
});

test('checks the signature before the body, and stores a signed body even if it is not a webhook', async () => {
  for (const raw of ['{', '[]', 'null', '{"transactionId":"x"}', '{"__proto__":{}}', '']) {
    expect(codeOf(await notify(skins.app, SKINS_PATH, raw, { secret: OLD }))).toBe('200');
    const answer = await notify(skins.app, SKINS_PATH, raw, { secret: 'somebody' });
    expect(codeOf(answer)).toBe('401 SIGNATURE_INVALID');
  }
});
