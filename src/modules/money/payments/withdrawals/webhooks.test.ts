import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { notify } from '../../../../../test/kit/money/webhooks.ts';
import {
  legsOf,
  moneyOf,
  PAYOUT_HOOK,
  said,
  startPayer,
  statusOf,
  waiting,
} from '../../../../../test/kit/money/withdrawals.ts';
import { signatureOf } from '../../../base/webhooks/signature.ts';

let app: typeof payer.app;
const payer = fixture(startPayer);
beforeAll(async () => {
  ({ app } = payer);
});
beforeEach(() => payer.sandbox.behave({ autoSettle: false }));

describe('payout webhooks', () => {
  const SECRET = 'sandbox-payment-webhook-secret';
  const now = () => Math.floor(Date.now() / 1000);
  test('rejects webhooks that are unsigned, forged, old, from the future or modified with 401, and moves no money', async () => {
    const { id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    const text = JSON.stringify(said(id, 'COMPLETED'));
    const post = (raw: string, headers: Record<string, string> = {}) =>
      app.call('POST', PAYOUT_HOOK, { raw, headers: { 'content-type': 'application/json', ...headers } });
    const good = signatureOf(text, SECRET, now());
    const tries = [
      () => post(text),
      () => post(text, { 'x-signature': '' }),
      () => payer.tell(text, { secret: 'sandbox-kyc-webhook-secret' }),
      () => payer.tell(text, { at: now() - 301 }),
      () => payer.tell(text, { at: now() + 302 }),
      () => post(`${text} `, { 'x-signature': good }),
      () => post(JSON.stringify(JSON.parse(text), null, 1), { 'x-signature': good }),
      () => post(text, { 'x-signature': good.slice(0, -1) }),
      () => post(text, { 'x-signature': `${good},${good}` }),
      () => post('{', { 'x-signature': good }),
    ];
    for (const send of tries) expect(codeOf(await send())).toBe('401 SIGNATURE_INVALID');
    expect(await statusOf(app, id)).toBe('PROCESSING');
    expect(
      codeOf(await notify(app, PAYOUT_HOOK.replace('sandbox', 'nobody'), text, { secret: SECRET })),
    ).toBe('404 PROVIDER_NOT_FOUND');
    expect((await post(text, { 'x-signature': good })).body).toEqual({ success: true });
    expect((await post(text, { 'x-signature': good })).status).toBe(200);
    expect(await statusOf(app, id)).toBe('COMPLETED');
    expect(await legsOf(app, id)).toEqual(['hold:1', 'sent:1']);
  });

  test('stores a signed but unreadable report for review by staff, with one alert, and moves no money', async () => {
    const { id } = await waiting(app);
    for (const body of ['{', '[]', { reference: id }]) {
      for (let i = 0; i < 2; i++) expect((await payer.tell(body)).status).toBe(200);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const rows = await app.db.selectFrom('deposits').selectAll().where('report', '=', text).execute();
      expect(rows).toMatchObject([
        { status: 'UNDER_REVIEW', review_reason: 'PAYOUT_REPORT_UNREADABLE', user_id: null, amount: 0n },
      ]);
      const alerts = await app.db
        .selectFrom('events')
        .select('data')
        .where('name', '=', 'admin.alert')
        .execute();
      expect(alerts.filter(({ data }) => (data as { id: string }).id === rows[0]!.id)).toHaveLength(1);
    }
    const clerk = await app.as({ permissions: ['deposit.read'] });
    const list = await clerk.call('GET', '/admin/payments/deposit/review?take=100');
    const listed = list.body.data.filter((d: any) => d.reasons[0] === 'PAYOUT_REPORT_UNREADABLE');
    expect(listed.map((d: any) => [d.report, d.actions])).toContainEqual(['{', ['WRITE_OFF']]);
    expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
  });

  test('ignores a report about a withdrawal that is unknown or was not sent', async () => {
    const { id } = await waiting(app);
    for (const reference of ['w-1', id, `${id}.2`, '00000000-0000-7000-8000-000000000000'])
      expect((await payer.tell(said(reference, 'COMPLETED'))).status).toBe(200);
    expect(await statusOf(app, id)).toBe('WAITING_FOR_APPROVAL');
  });

  test('books a payout only once when 20 webhooks arrive concurrently', async () => {
    const { player, id } = await payer.approved();
    await app.services.withdrawals.sending.send(id);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        payer.tell(said(id, (['SENT', 'COMPLETED', 'PROCESSING'] as const)[i % 3]!)),
      ),
    );
    expect(await statusOf(app, id)).toBe('COMPLETED');
    expect(await legsOf(app, id)).toEqual(['hold:1', 'sent:1']);
    expect(await moneyOf(app, player)).toEqual({ cash: 90, hold: 0 });
  });
});
