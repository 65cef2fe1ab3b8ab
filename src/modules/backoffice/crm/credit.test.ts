import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import { aTrigger, crmCall } from '../../../../test/kit/backoffice/crm.ts';
import {
  BONUS,
  HALF,
  newPromo,
  PROMO_STAFF,
  setStatus,
  startPromo,
} from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { LATEST } from '../../../../test/kit/money/movements.ts';
import { crm } from './module.ts';

const app = fixture(() => startPromo({ env: { DATABASE_POOL_SIZE: '16' } }));
const staff = fixture(() => app.as(PROMO_STAFF));
const boss = fixture(() => app.as('superadmin'));

type Headers = Record<string, string>;
const credit = (body: object, headers: Headers = aTrigger()) =>
  crmCall(app)('POST', '/marketing/bonus/credit', { body, headers });
const funds = (
  { id }: Pick<Player, 'id'>,
  amount: string,
  more: object = {},
  headers: Headers = aTrigger(),
) => {
  const body = { user_id: String(id), amount, currency: 'USDT', reason: 'a gift', ...more };
  return crmCall(app)('POST', '/marketing/bonus/credit/funds', { body, headers });
};
const grantsOf = async (player: Player) => (await player.call('GET', '/promo/my')).body.data;
const entriesOf = async ({ id }: Player) => {
  const { rows } = await app.sql<{ key: string; kind: string }>`
    select distinct e.key, l.kind from ledger_lines l join ledger_entries e on e.id = l.entry_id
    where l.user_id = ${id} and e.key like 'crm:%'`.execute(app.db);
  return rows;
};
const ban = ({ id }: Player) =>
  boss.call('PATCH', `/admin/user/${id}/ban`, { body: { banReason: 'a test' } });
const exclude = (player: Player) =>
  player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
/** Moves a player to a country that is blocked only while `work` runs. */
async function abroad(player: Player, work: () => Promise<void>): Promise<void> {
  await app.db.updateTable('users').set({ country_code: 'AQ' }).where('id', '=', player.id).execute();
  const block = (isBlocked: boolean) =>
    boss
      .call('PATCH', '/admin/country/AQ', { body: { isBlocked } })
      .then(({ status }) => expect(status).toBe(200));
  await block(true);
  await work();
  await block(false);
}

describe('POST /marketing/bonus/credit', () => {
  test('grants the promotion, notifies the player and shows staff the source', async () => {
    const player = await app.newPlayer();
    const id = await newPromo(staff, { ...BONUS, type: 'MANUAL' });
    const answer = await credit({ user_id: String(player.id), bonus_code: id });
    expect(answer).toMatchObject({ status: 200, body: { user_bonus_id: expect.any(String) } });
    const [grant] = await grantsOf(player);
    expect(grant).toMatchObject({
      id: answer.body.user_bonus_id,
      promoId: id,
      status: 'ACTIVE',
      grantedAmount: '10',
      wagerRequired: '100',
    });
    const seen = await staff.call('GET', `/admin/promo/grants?userId=${player.id}`);
    expect(seen.body.data[0]).toMatchObject({ source: 'CRM', grantedBy: null });
  });

  test("grants the amount given in the call, in the promotion's currency or another, instead of the promotion's amount", async () => {
    const id = await newPromo(staff, { ...BONUS, type: 'MANUAL' });
    for (const [given, amount, currencyId] of [
      [{ amount: '2.5' }, '2.5', 'USDT'],
      [{ amount: '0.001', currency: 'BTC' }, '0.001', 'BTC'],
    ] as const) {
      const player = await app.newPlayer();
      expect((await credit({ user_id: String(player.id), bonus_code: id, ...given })).status).toBe(200);
      expect((await grantsOf(player))[0]).toMatchObject({
        grantedAmount: amount,
        currencyId,
        status: 'ACTIVE',
      });
    }
  });

  test('completes a cash bonus immediately, and makes a percentage bonus wait for a deposit', async () => {
    const player = await app.newPlayer();
    const cash = await newPromo(staff, { type: 'MANUAL' });
    const half = await newPromo(staff, HALF);
    for (const bonus_code of [cash, half])
      expect((await credit({ user_id: String(player.id), bonus_code })).status).toBe(200);
    expect(await cashOf(player)).toBe('10');
    const statuses = (await grantsOf(player)).map(({ promoId, status }: any) => `${promoId} ${status}`);
    expect(statuses.sort()).toEqual([`${cash} COMPLETED`, `${half} PENDING`].sort());
  });

  test('grants a bonus once per trigger, and returns the first id for repeated calls even after the promotion has ended', async () => {
    const player = await app.newPlayer();
    const id = await newPromo(staff, { type: 'MANUAL' });
    const body = { user_id: String(player.id), bonus_code: id, amount: '1.50' };
    const headers = aTrigger();
    const first = await credit(body, headers);
    expect(first.status).toBe(200);
    expect(await credit(body, headers)).toMatchObject({ status: 200, body: first.body });
    // Sends the same amount in another notation, and the same trigger in another action group.
    const other = { ...headers, 'x-fasttrack-actiongroupid': '99', 'x-fasttrack-id': 'again' };
    expect(await credit({ ...body, amount: '1.5' }, other)).toMatchObject({ status: 200, body: first.body });
    await setStatus(staff, id, 'PAUSED');
    expect(await credit(body, headers)).toMatchObject({ status: 200, body: first.body });
    expect(codeOf(await credit(body))).toBe('409 PROMO_NOT_ACTIVE');
    expect(await cashOf(player)).toBe('1.5');
    expect(await grantsOf(player)).toHaveLength(1);
  });

  test('rejects a trigger that is repeated with different content, for bonuses and cash', async () => {
    const player = await app.newPlayer();
    const [one, two] = [await newPromo(staff, { type: 'MANUAL' }), await newPromo(staff, { type: 'MANUAL' })];
    const headers = aTrigger();
    const body = { user_id: String(player.id), bonus_code: one };
    expect((await credit(body, headers)).status).toBe(200);
    for (const change of [{ bonus_code: two }, { amount: '10' }, { amount: '10', currency: 'USDT' }])
      expect(codeOf(await credit({ ...body, ...change }, headers))).toBe('409 CRM_TRIGGER_REUSED');
    expect(codeOf(await funds(player, '10', {}, headers))).toBe('409 CRM_TRIGGER_REUSED');
    // The same trigger for another player counts as a different trigger.
    const other = await app.newPlayer();
    expect((await credit({ ...body, user_id: String(other.id) }, headers)).status).toBe(200);
    expect([await cashOf(player), await cashOf(other)]).toEqual(['10', '10']);
  });

  test('identifies a trigger by its id when it has no hash, and rejects a call with neither id nor hash', async () => {
    const player = await app.newPlayer();
    const id = await newPromo(staff, { type: 'MANUAL' });
    const body = { user_id: String(player.id), bonus_code: id };
    const byId = { 'x-fasttrack-id': randomUUID() };
    const first = await credit(body, byId);
    expect(await credit(body, byId)).toMatchObject({ status: 200, body: first.body });
    const refused = await credit(body, { 'x-fasttrack-activityid': '1', 'x-fasttrack-actionid': '2' });
    expect(codeOf(refused)).toBe('400 VALIDATION_FAILED');
    expect(refused.body.details.fields[0].path).toBe('x-fasttrack-triggerhash');
    expect(await cashOf(player)).toBe('10');
  });

  test('grants a bonus once when 200 repeated calls run concurrently', { timeout: 240_000 }, async () => {
    const player = await app.newPlayer();
    const id = await newPromo(staff, { type: 'MANUAL' });
    const headers = aTrigger();
    const body = { user_id: String(player.id), bonus_code: id };
    const answers = await Promise.all(Array.from({ length: 200 }, () => credit(body, headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 200 });
    expect(await cashOf(player)).toBe('10');
    expect(await grantsOf(player)).toHaveLength(1);
  });

  test('keeps the Idempotency-Keys of the CRM separate from those of the player', async () => {
    const player = await app.newPlayer();
    const id = await newPromo(staff, { type: 'MANUAL' });
    const body = { user_id: String(player.id), bonus_code: id };
    const headers = aTrigger({ 'idempotency-key': 'the-key-of-both' });
    const first = await credit(body, headers);
    expect(first.status).toBe(200);
    expect(await credit(body, headers)).toMatchObject({ status: 200, body: first.body });
    const another = aTrigger({ 'idempotency-key': 'the-key-of-both' });
    expect(codeOf(await credit(body, another))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    const move = {
      body: { currencyId: 'USDT', amount: '1' },
      headers: { 'idempotency-key': 'the-key-of-both' },
    };
    expect((await player.call('POST', '/accounting/to-vault', move)).status).toBe(201);
  });

  test.each([
    ['nobody', { user_id: '2147483647' }, '404 USER_NOT_FOUND'],
    ['no id of a user', { user_id: 'x' }, '404 USER_NOT_FOUND'],
    ['no promotion', { bonus_code: '999999' }, '404 PROMO_NOT_FOUND'],
    ['no id of a promotion', { bonus_code: 'WELCOME100' }, '404 PROMO_NOT_FOUND'],
    ['the platform’s own', { bonus_code: '1' }, '409 PROMO_NOT_ACTIVE'],
    ['a currency without an amount', { currency: 'USDT' }, '400 VALIDATION_FAILED'],
    ['an unknown currency', { amount: '1', currency: 'XXX' }, '404 CURRENCY_NOT_FOUND'],
    ['no amount', { amount: '0' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['too fine an amount', { amount: '0.0000001' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['too large an amount', { amount: '999999999999' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['a number for an amount', { amount: 1 }, '400 VALIDATION_FAILED'],
    ['no user', { user_id: undefined }, '400 VALIDATION_FAILED'],
    ['no promotion named', { bonus_code: undefined }, '400 VALIDATION_FAILED'],
    ['a field of a later version', { bonus_contract_id: '7' }, '501 NOT_SUPPORTED'],
    ['such a field and nothing else', { user_id: undefined, note: 'x' }, '501 NOT_SUPPORTED'],
  ])('rejects %s: %o', async (_, change, code) => {
    const player = await app.newPlayer();
    const id = await newPromo(staff, { type: 'MANUAL' });
    const answer = await credit({ user_id: String(player.id), bonus_code: id, ...change });
    expect(codeOf(answer)).toBe(code);
    expect(await grantsOf(player)).toEqual([]);
  });

  test('returns 501 with the names of unsupported fields', async () => {
    const { body } = await credit({ user_id: '1', bonus_code: '1', contract: 1, more: 2 });
    expect(body.details.fields.map(({ path }: any) => path)).toEqual(['contract', 'more']);
    expect(codeOf(await crmCall(app)('POST', '/marketing/bonus/credit', { raw: '[]', headers: json }))).toBe(
      '400 VALIDATION_FAILED',
    );
    expect(
      codeOf(await crmCall(app)('POST', '/marketing/bonus/credit', { raw: '{"a":', headers: json })),
    ).toBe('400 VALIDATION_FAILED');
  });
  const json = { 'content-type': 'application/json', ...aTrigger() };

  test('rejects banned, excluded and geo-blocked players, and accepts the same trigger later when they are eligible', async () => {
    const id = await newPromo(staff, { type: 'MANUAL' });
    const [banned, excluded, guest] = [await app.newPlayer(), await app.newPlayer(), await app.newPlayer()];
    await ban(banned);
    await exclude(excluded);
    const headers = aTrigger();
    const codeFor = async ({ id: userId }: Player) =>
      codeOf(await credit({ user_id: String(userId), bonus_code: id }, headers));
    expect(await codeFor(banned)).toBe('403 USER_BANNED');
    expect(await codeFor(excluded)).toBe('403 SELF_EXCLUDED');
    await abroad(guest, async () => expect(await codeFor(guest)).toBe('403 AUTH_GEO_BLOCKED'));
    expect([await grantsOf(excluded), await grantsOf(guest)]).toEqual([[], []]);
    // A rejected call credits nothing, so the same trigger may be used again.
    expect(await codeFor(guest)).toBe('200');
  });

  test("ignores the promotion's conditions except for legal ones, but enforces its budgets", async () => {
    const player = await app.newPlayer();
    const terms = { type: 'MANUAL', conditions: { minVipLevel: 9 }, budget: { maxGrants: 1 } };
    const id = await newPromo(staff, terms);
    const body = { user_id: String(player.id), bonus_code: id };
    expect((await credit(body)).status).toBe(200);
    expect(codeOf(await credit(body))).toBe('409 PROMO_EXHAUSTED');
    const strict = await newPromo(staff, { type: 'MANUAL', conditions: { countriesDeny: ['DE'] } });
    await app.db.updateTable('users').set({ country_code: 'DE' }).where('id', '=', player.id).execute();
    expect(codeOf(await credit({ ...body, bonus_code: strict }))).toBe('403 PROMO_NOT_ELIGIBLE');
    const welcome = await newPromo(staff, { type: 'WELCOME' });
    const second = await newPromo(staff, { type: 'WELCOME' });
    expect((await credit({ ...body, bonus_code: welcome })).status).toBe(200);
    expect(codeOf(await credit({ ...body, bonus_code: second }))).toBe('409 PROMO_ALREADY_USED');
    for (const one of [welcome, second]) await setStatus(staff, one, 'PAUSED');
  });
});

describe('POST /marketing/bonus/credit/funds', () => {
  test('pays cash from the promo account under the trigger hash, and notifies the player', async () => {
    const player = await app.newPlayer();
    const headers = aTrigger({ 'x-fasttrack-triggerhash': 'abc' });
    const answer = await funds(player, '12.5', {}, headers);
    expect(answer).toMatchObject({ status: 200, body: { transaction_id: expect.stringMatching(/^\d+$/) } });
    const hash = createHash('sha256')
      .update(JSON.stringify(['12', '34', player.id, 'abc']))
      .digest('hex');
    expect(await entriesOf(player)).toEqual([{ key: `crm:${hash}`, kind: 'crm.funds' }]);
    expect(await cashOf(player)).toBe('12.5');
    const { rows } = await app.sql<{ id: bigint; memo: string }>`
      select id, memo from ledger_entries where key = ${`crm:${hash}`}`.execute(app.db);
    expect(rows).toEqual([{ id: BigInt(answer.body.transaction_id), memo: 'a gift' }]);
    const { rows: hours } = await app.sql<{ usd: bigint }>`
      select usd_amount as usd from money_hours where user_id = ${player.id} and kind = 'crm.funds'`.execute(
      app.db,
    );
    expect(hours).toEqual([{ usd: 1_250_000_000n }]);
    const [told] = (await player.call('GET', '/notifications')).body;
    expect(told).toMatchObject({
      type: 'PROMO',
      payload: { code: 'crm.funds', amount: '12.5', currencyId: 'USDT' },
    });
    const { body } = await boss.call('POST', '/admin/accounting/transactions', {
      body: { ...LATEST, where: { userId: player.id } },
    });
    expect(body.data.map(({ type }: any) => type)).toEqual(['CRM_FUNDS']);
  });

  test('pays cash once per trigger, and rejects a repeated trigger with different content', async () => {
    const player = await app.newPlayer();
    const headers = aTrigger();
    const first = await funds(player, '5', {}, headers);
    expect(await funds(player, '5.0', { reason: 'in other words' }, headers)).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect(codeOf(await funds(player, '6', {}, headers))).toBe('409 CRM_TRIGGER_REUSED');
    expect(codeOf(await funds(player, '5', { currency: 'BTC' }, headers))).toBe('409 CRM_TRIGGER_REUSED');
    expect(await cashOf(player)).toBe('5');
    // A repeated call does not count towards the daily limit again.
    expect((await funds(player, '95')).status).toBe(200);
  });

  test('pays once when 200 repeated calls run concurrently', { timeout: 240_000 }, async () => {
    const player = await app.newPlayer();
    const headers = aTrigger();
    const answers = await Promise.all(Array.from({ length: 200 }, () => funds(player, '7', {}, headers)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 200 });
    expect(await cashOf(player)).toBe('7');
    expect(await entriesOf(player)).toHaveLength(1);
  });

  test('pays a player no more than the daily limit when many calls run concurrently', {
    timeout: 240_000,
  }, async () => {
    const player = await app.newPlayer();
    const answers = await Promise.all(Array.from({ length: 40 }, () => funds(player, '7')));
    const codes = Map.groupBy(answers.map(codeOf), (code) => code);
    expect([codes.get('200')?.length, codes.get('409 CRM_LIMIT_REACHED')?.length]).toEqual([14, 26]);
    expect(await cashOf(player)).toBe('98');
    const refused = await funds(player, '2.000001');
    expect(refused.body).toMatchObject({
      code: 'CRM_LIMIT_REACHED',
      details: { limit: 'PLAYER', limitUsd: '100' },
    });
    expect((await funds(player, '2')).status).toBe(200);
    expect(codeOf(await funds(player, '0.000001'))).toBe('409 CRM_LIMIT_REACHED');
    // On a new day, the full limit is available again.
    await app.sql`update crm_funds_days set day = day - 1 where user_id = ${player.id}`.execute(app.db);
    expect((await funds(player, '100')).status).toBe(200);
    expect(codeOf(await funds(await app.newPlayer(), '101'))).toBe('409 CRM_LIMIT_REACHED');
  });

  test('counts credits in any currency towards the limit by their USD value', async () => {
    const player = await app.newPlayer();
    const { rate } = app.services.currencies.rateOf('BTC');
    expect(rate).toBe(95_000_000_000_000_000n);
    // This amount is worth 95 dollars.
    expect((await funds(player, '0.001', { currency: 'BTC' })).status).toBe(200);
    expect(codeOf(await funds(player, '5.1'))).toBe('409 CRM_LIMIT_REACHED');
    expect((await funds(player, '5')).status).toBe(200);
  });

  test('pays all players together no more than the total daily limit', { timeout: 240_000 }, async () => {
    await app.sql`delete from crm_funds_days`.execute(app.db);
    const env = { CRM_FUNDS_TOTAL_USD: '250' };
    const other = await startPromo({ env: { ...env, DATABASE_POOL_SIZE: '16' }, database: app.database });
    const players = await Promise.all(Array.from({ length: 30 }, () => app.newPlayer()));
    const answers = await Promise.all(
      players.map(({ id }) => {
        const body = { user_id: String(id), amount: '20', currency: 'USDT', reason: 'a gift' };
        return crmCall(other)('POST', '/marketing/bonus/credit/funds', { body, headers: aTrigger() });
      }),
    );
    const codes = Map.groupBy(answers, codeOf);
    expect(codes.get('200')).toHaveLength(12);
    for (const { body } of codes.get('409 CRM_LIMIT_REACHED')!)
      expect(body.details).toEqual({ limit: 'TOTAL', limitUsd: '250' });
    // Rejected credits do not count towards the limits per player.
    const { rows } = await app.sql<{ all: bigint; each: bigint }>`
      select sum(usd_amount) filter (where user_id = 0)::int8 as all, sum(usd_amount) filter (where user_id > 0)::int8 as each
      from crm_funds_days`.execute(app.db);
    expect(rows).toEqual([{ all: 24_000_000_000n, each: 24_000_000_000n }]);
    await other.stop();
    await app.sql`delete from crm_funds_days`.execute(app.db);
  });

  test('deletes old daily totals', async () => {
    const rows = (days: number, userId: number) =>
      app.sql`insert into crm_funds_days values ((now() at time zone 'UTC')::date - ${days}::int, ${userId}, 1)`.execute(
        app.db,
      );
    await rows(32, 1);
    await rows(31, 1);
    for (const { name, run } of crm.jobs!(app.services)) if (name === 'crm.purge') await run();
    const left =
      await app.sql`select from crm_funds_days where day < (now() at time zone 'UTC')::date - 2`.execute(
        app.db,
      );
    expect(left.rows).toHaveLength(1);
  });

  test.each([
    ['nobody', { user_id: '2147483647' }, '404 USER_NOT_FOUND'],
    ['an unknown currency', { currency: 'XXX' }, '404 CURRENCY_NOT_FOUND'],
    ['nothing', { amount: '0' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['too fine an amount', { amount: '0.0000001' }, '400 AMOUNT_OUT_OF_RANGE'],
    ['less than nothing', { amount: '-1' }, '400 VALIDATION_FAILED'],
    ['a number', { amount: 1 }, '400 VALIDATION_FAILED'],
    ['no reason', { reason: undefined }, '400 VALIDATION_FAILED'],
    ['a reason of blanks', { reason: '  ' }, '400 VALIDATION_FAILED'],
    ['a reason that is too long', { reason: 'x'.repeat(201) }, '400 VALIDATION_FAILED'],
    ['no currency', { currency: undefined }, '400 VALIDATION_FAILED'],
    ['a field of a later version', { note: 'x' }, '501 NOT_SUPPORTED'],
  ])('rejects %s: %o', async (_, change, code) => {
    const player = await app.newPlayer();
    expect(codeOf(await funds(player, '1', change))).toBe(code);
    expect(await cashOf(player)).toBe('0');
  });

  test('rejects a call without a trigger with 400', async () => {
    const player = await app.newPlayer();
    expect(codeOf(await funds(player, '1', {}, {}))).toBe('400 VALIDATION_FAILED');
  });

  test('rejects banned, excluded and geo-blocked players', async () => {
    const [banned, excluded, guest] = [await app.newPlayer(), await app.newPlayer(), await app.newPlayer()];
    await ban(banned);
    await exclude(excluded);
    expect(codeOf(await funds(banned, '1'))).toBe('403 USER_BANNED');
    expect(codeOf(await funds(excluded, '1'))).toBe('403 SELF_EXCLUDED');
    await abroad(guest, async () => expect(codeOf(await funds(guest, '1'))).toBe('403 AUTH_GEO_BLOCKED'));
    expect([await cashOf(excluded), await cashOf(guest)]).toEqual(['0', '0']);
  });

  test('rejects a credit at a stale exchange rate with 409', async () => {
    const player = await app.newPlayer();
    const age = (seconds: number, source: string) =>
      app.db
        .updateTable('exchange_rates')
        .set({ source, updated_at: new Date(Date.now() - seconds * 1000) })
        .where('currency_id', '=', 'ETH')
        .execute();
    const becomes = (stale: boolean) =>
      expect.poll(() => app.services.currencies.rateOf('ETH').stale).toBe(stale);
    const id = await newPromo(staff, { type: 'MANUAL' });
    const bonus = { user_id: String(player.id), bonus_code: id, amount: '0.001', currency: 'ETH' };
    await age(301, 'coinbase');
    await becomes(true);
    const headers = aTrigger();
    expect(codeOf(await funds(player, '0.001', { currency: 'ETH' }, headers))).toBe('409 RATE_STALE');
    expect(codeOf(await credit(bonus))).toBe('409 RATE_STALE');
    await age(0, 'fixed');
    await becomes(false);
    expect((await funds(player, '0.001', { currency: 'ETH' }, headers)).status).toBe(200);
  });
});
