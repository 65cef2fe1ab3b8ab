/**
 * Some countries do not allow players to cancel a withdrawal and play on with the money. The rule applies if any country linked to the
 * player has it.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { PERSON } from '../../../../../test/kit/accounts/kyc.ts';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { cancel, decide, moneyOf, statusOf, waiting } from '../../../../../test/kit/money/withdrawals.ts';

const app = fixture(() => startApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } }));
const boss = fixture(() => app.as('superadmin'));

const from = (ip: string) => ({ 'x-forwarded-for': ip });
const BRITISH = '81.2.69.142';
const configure = (cancelByCountry: unknown) =>
  boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: { cancelByCountry } });
const livesIn = ({ id }: Player, code: string | null) =>
  app.db.updateTable('users').set({ country_code: code }).where('id', '=', id).execute();

describe('rejects a cancellation in Great Britain', () => {
  test.each<[string, (player: Player) => Promise<unknown>, Record<string, string>]>([
    ['by the country of the account', (player) => livesIn(player, 'GB'), {}],
    ['by the current IP address', (player) => livesIn(player, 'DE'), from(BRITISH)],
    [
      'by the IP address at sign-up',
      ({ id }) =>
        app.db
          .updateTable('registration_info')
          .set({ country_code: 'GB' })
          .where('user_id', '=', id)
          .execute(),
      {},
    ],
    [
      'by the stated identity',
      (player) => player.call('POST', '/kyc/basic', { body: { ...PERSON, country: 'GB' } }),
      {},
    ],
  ])('%s', async (_, lives, headers) => {
    const { player, id } = await waiting(app);
    await lives(player);
    const key = { 'idempotency-key': randomUUID() };
    for (const repeated of [{}, key, key]) {
      const answer = await cancel(player, id, { ...headers, ...repeated });
      expect([codeOf(answer), answer.body.details]).toEqual([
        '403 WITHDRAWAL_CANCEL_CLOSED',
        { country: 'GB' },
      ]);
    }
    expect([await statusOf(app, id), await moneyOf(app, player)]).toEqual([
      'WAITING_FOR_APPROVAL',
      { cash: 90, hold: 10 },
    ]);
    // Staff may still approve or reject the withdrawal.
    expect((await decide(boss, 'reject', id)).body.status).toBe('REJECTED');
    expect(await moneyOf(app, player)).toEqual({ cash: 100, hold: 0 });
  });

  test('cancels a withdrawal in other countries and when the country is unknown', async () => {
    for (const country of ['DE', null]) {
      const { player, id } = await waiting(app);
      await livesIn(player, country);
      expect((await cancel(player, id)).body.status).toBe('CANCELLED');
    }
  });

  test("returns 404 for another player's withdrawal", async () => {
    const [{ id }, other] = [await waiting(app), await app.newPlayer()];
    await livesIn(other, 'GB');
    expect(codeOf(await cancel(other, id))).toBe('404 WITHDRAWAL_NOT_FOUND');
  });
});

test('applies a changed country setting immediately and shows it publicly', async () => {
  expect((await app.call('GET', '/config/WITHDRAWALS')).body.cancelByCountry).toEqual({ GB: false });
  const german = await waiting(app);
  await livesIn(german.player, 'DE');
  const british = await waiting(app);
  await livesIn(british.player, 'GB');
  expect((await configure({ DE: false, FR: true })).status).toBe(200);
  expect((await app.call('GET', '/config/WITHDRAWALS')).body.cancelByCountry).toEqual({
    DE: false,
    FR: true,
  });
  expect(codeOf(await cancel(german.player, german.id))).toBe('403 WITHDRAWAL_CANCEL_CLOSED');
  expect((await cancel(british.player, british.id)).body.status).toBe('CANCELLED');
  for (const bad of [{ gb: false }, { GB: 'no' }, { GBR: false }, [], null, 'GB', { constructor: false }])
    expect(codeOf(await configure(bad)), JSON.stringify(bad)).toBe('400 VALIDATION_FAILED');
  expect((await configure({ GB: false })).status).toBe(200);
});
