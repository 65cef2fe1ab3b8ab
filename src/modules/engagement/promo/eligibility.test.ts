import { beforeAll, expect, test } from 'vitest';
import { startKyc } from '../../../../test/kit/accounts/kyc.ts';
import { betOnDice, type Player } from '../../../../test/kit/app.ts';
import {
  deposit,
  newCodes,
  newPromo,
  PROMO_STAFF,
  redeem,
  refused,
} from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../test/kit/games/bets.ts';
import { anAddress } from '../../../../test/kit/processes/visitors.ts';

// Reconciliation is off, because the tests change the times of bets and deposits.
const kyc = fixture(() => startKyc({ env: { TRUSTED_PROXIES: '127.0.0.1' }, reconcileOnStop: false }));
let staff: Player;
beforeAll(async () => {
  staff = await kyc.app.as(PROMO_STAFF);
});

/** Creates a promotion with these conditions and a code. Returns a function that redeems the code for a player. */
async function codeFor(conditions: object, fields: object = {}) {
  const [code] = await newCodes(staff, await newPromo(staff, { conditions, ...fields }));
  return async (player: Player, headers: Record<string, string> = {}) =>
    refused(await redeem(player, { code }, headers));
}
const not = (rule: string) => `403 PROMO_NOT_ELIGIBLE ${rule}`;
const setUser = ({ id }: Player, values: object) =>
  kyc.app.db.updateTable('users').set(values).where('id', '=', id).execute();
const setOrigin = ({ id }: Player, values: object) =>
  kyc.app.db.updateTable('registration_info').set(values).where('user_id', '=', id).execute();

test('checks the largest deposit and the deposit totals, without reversed deposits', async () => {
  const { app } = kyc;
  const player = await app.newPlayer();
  const largest = await codeFor({ minDepositUsd: '20' });
  const ever = await codeFor({ depositSumUsd: '30' });
  const late = await codeFor({ depositSumUsd: '30', depositWindowDays: 7 });
  await deposit(app, player, '15');
  await deposit(app, player, '15');
  expect(await largest(player)).toBe(not('MIN_DEPOSIT'));
  const old = new Date(Date.now() - 8 * 86_400_000);
  const [first] = await app.db
    .selectFrom('payment_credits')
    .select('key')
    .where('user_id', '=', player.id)
    .orderBy('credited_at')
    .execute();
  await app.db
    .updateTable('payment_credits')
    .set({ credited_at: old })
    .where('key', '=', first!.key)
    .execute();
  expect(await late(player)).toBe(not('DEPOSIT_SUM'));
  const reverse = (entryId: bigint | null) =>
    app.db
      .updateTable('payment_credits')
      .set({ reversal_entry_id: entryId })
      .where('key', '=', first!.key)
      .execute();
  await reverse(1n);
  expect(await ever(player)).toBe(not('DEPOSIT_SUM'));
  await reverse(null);
  expect(await ever(player)).toBe('201');
  await deposit(app, player, '20');
  expect([await largest(player), await late(player)]).toEqual(['201', '201']);
});

test('checks the total turnover and the turnover within a number of days, including the last bet', async () => {
  const { app } = kyc;
  const player = await app.newPlayer({ usdt: 100 });
  const ever = await codeFor({ turnoverUsd: '15' });
  const late = await codeFor({ turnoverUsd: '10', turnoverWindowDays: 3 });
  expect(await late(player)).toBe(not('TURNOVER'));
  expect((await betOnDice(player, { betAmount: '8' })).status).toBe(201);
  const moveToWinter = async () => {
    await consumeAll(app);
    const { numUpdatedRows } = await app.db
      .updateTable('play_hours')
      .set({ hour: new Date('2026-01-01T00:00:00.000Z') })
      .where('user_id', '=', player.id)
      .executeTakeFirst();
    return numUpdatedRows;
  };
  await expect.poll(moveToWinter).toBe(1n);
  expect((await betOnDice(player, { betAmount: '7' })).status).toBe(201);
  expect([await ever(player), await late(player)]).toEqual(['201', not('TURNOVER')]);
  await consumeAll(app);
  expect((await betOnDice(player, { betAmount: '3' })).status).toBe(201);
  expect(await late(player)).toBe('201');
});

test('checks registration, affiliate code, verification, VIP level and account age', async () => {
  const { app } = kyc;
  const player = await kyc.stated({ country: 'DE' });
  const at = new Date(Date.now() - 3 * 86_400_000);
  await setUser(player, { created_at: at, email_verified: false });
  expect(await (await codeFor({ registeredFrom: new Date().toISOString() }))(player)).toBe(not('REGISTERED'));
  expect(await (await codeFor({ registeredTo: at.toISOString() }))(player)).toBe('201');
  const old = await codeFor({ minAccountAgeDays: 4 });
  expect(await old(player)).toBe(not('ACCOUNT_AGE'));
  await setUser(player, { created_at: new Date(Date.now() - 4 * 86_400_000) });
  expect(await old(player)).toBe('201');
  const proven = await codeFor({ emailVerified: true });
  expect(await proven(player)).toBe(not('EMAIL'));
  await setUser(player, { email_verified: true });
  expect(await proven(player)).toBe('201');
  expect(await (await codeFor({ kycTier: 'BASIC' }))(player)).toBe('201');
  expect(await (await codeFor({ kycTier: 'IDENTITY' }))(player)).toBe(not('KYC_TIER'));
  const vip = await codeFor({ minVipLevel: 2 });
  expect(await vip(player)).toBe(not('VIP_LEVEL'));
  await setUser(player, { vip_level: 2 });
  expect(await vip(player)).toBe('201');

  const referred = await codeFor({ affiliateCodes: ['Friend-1'] });
  expect(await referred(player)).toBe(not('AFFILIATE_CODE'));
  const owner = await app.newPlayer();
  await app.db
    .insertInto('affiliates')
    .values({ user_id: owner.id })
    .onConflict((c) => c.doNothing())
    .execute();
  await app.db
    .insertInto('affiliate_codes')
    .values({ key: 'friend-1', code: 'Friend-1', user_id: owner.id })
    .execute();
  await app.db
    .insertInto('referrals')
    .values({ user_id: player.id, affiliate_user_id: owner.id, code_key: 'friend-1', is_held: false })
    .execute();
  expect(await referred(player)).toBe('201');
});

test('checks the countries of the account, its registration, the IP address and the stated identity', async () => {
  const german = { countriesAllow: ['DE'] };
  const player = await kyc.stated({ country: 'DE' });
  await setUser(player, { country_code: 'DE' });
  const offered = async () => codeFor(german);
  // The IP address is in Japan.
  expect(await (await offered())(player, { 'x-forwarded-for': '133.242.0.1' })).toBe(not('COUNTRY'));
  expect(await (await offered())(player, { 'x-forwarded-for': '10.0.0.1' })).toBe('201');
  await setOrigin(player, { country_code: 'FR' });
  expect(await (await offered())(player, { 'x-forwarded-for': '10.0.0.1' })).toBe(not('COUNTRY'));
  await setOrigin(player, { country_code: null });
  await setUser(player, { country_code: 'AT' });
  expect(await (await offered())(player, { 'x-forwarded-for': '10.0.0.1' })).toBe(not('COUNTRY'));
  const austrian = await kyc.stated({ country: 'AT' });
  await setUser(austrian, { country_code: null });
  expect(await (await codeFor({ countriesDeny: ['AT'] }))(austrian, { 'x-forwarded-for': '10.0.0.1' })).toBe(
    not('COUNTRY'),
  );
});

test("does not offer a bonus whose wagering requirement exceeds the country's limit", async () => {
  const [ten, eleven] = [
    await codeFor({}, { wagerMultiplier: 10 }),
    await codeFor({}, { wagerMultiplier: 10.01 }),
  ];
  const british = await kyc.stated({ country: 'GB' });
  expect([await ten(british), await eleven(british)]).toEqual(['201', not('COUNTRY')]);
  expect(await eleven(await kyc.app.newPlayer())).toBe('201');
});

test('limits a promotion to one player per IP address or device', async () => {
  const { app } = kyc;
  const [address, second] = [anAddress(), anAddress()];
  const from = (agent: string) => ({ 'x-forwarded-for': address, 'user-agent': agent });
  const [byAddress, byDevice] = [await codeFor({ onePerIp: true }), await codeFor({ onePerDevice: true })];
  const newVisitor = async (origin = {}) => {
    const player = await app.newPlayer();
    await setOrigin(player, { ip_address: anAddress(), user_agent: 'Browser/0', ...origin });
    return player;
  };
  const first = await newVisitor({ ip_address: address, user_agent: 'Browser/1' });
  expect(await byAddress(first, from('Browser/1'))).toBe('201');
  expect(await byDevice(first, from('Browser/1'))).toBe('201');
  const secondPlayer = await newVisitor();
  expect(await byAddress(secondPlayer, from('Browser/2'))).toBe(not('IP'));
  expect(await byDevice(secondPlayer, from('Browser/2'))).toBe('201');
  expect(await byDevice(await newVisitor(), from('Browser/1'))).toBe(not('DEVICE'));
  expect(await byAddress(await newVisitor({ ip_address: address }))).toBe(not('IP'));
  // IP addresses of sign-ins are treated like the IP address of the registration.
  const visitor = await newVisitor();
  expect(await byAddress(visitor)).toBe('201');
  await app.db
    .updateTable('sessions')
    .set({ ip_address: second })
    .where('user_id', '=', visitor.id)
    .execute();
  expect(await byAddress(await newVisitor(), { 'x-forwarded-for': second })).toBe(not('IP'));
  expect(await byAddress(await newVisitor())).toBe('201');
});
