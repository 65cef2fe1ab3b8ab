/** Tests that every change that a player should see emits one event, with its details and without other players' data. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { DECLARATIONS } from '../src/app/areas.ts';
import { notifyEnded } from '../src/modules/compliance/limits/exclusions.ts';
import { releaseDeposits } from '../src/modules/money/payments/deposits/advance.ts';
import { codeOf } from './kit/accounts/accounts.ts';
import { KYC_SECRET } from './kit/accounts/kyc.ts';
import { newcomer, signed } from './kit/accounts/sign-in.ts';
import { turnOnMfa } from './kit/accounts/totp.ts';
import { type Answer, cashOf, type Player } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { DEPOSIT_HOOK, giveAddress, tell as tellDeposit, webhookOf } from './kit/money/deposits.ts';
import { SKINS_PATH, SKINS_SECRET } from './kit/money/skins.ts';
import { notify } from './kit/money/webhooks.ts';
import { cancel, decide, said, startPayer, waiting, withdraw } from './kit/money/withdrawals.ts';

let app: typeof payer.app;
let boss: Player;
const payer = fixture(startPayer);
beforeAll(async () => {
  ({ app, boss } = payer);
  await payer.sandbox.behave({ autoSettle: false });
});

type Event = { name: string; userId: number; room: string; data: any };

/** Returns every event that `work` emits, in order. Events that only consumers receive are tested with their consumers. */
async function during(work: () => Promise<unknown>): Promise<Event[]> {
  const { rows } = await app.sql<{ last: bigint }>`select coalesce(max(id), 0) as last from events`.execute(
    app.db,
  );
  await work();
  const found = await app.db
    .selectFrom('events')
    .select(['name', 'user_id as userId', 'room', 'data'])
    .where('id', '>', rows[0]!.last)
    .where('room', '<>', 'internal')
    .orderBy('id')
    .execute();
  return found as Event[];
}
/** Returns a summary of an event and its message. */
const shortOf = ({ name, data }: Event): string => {
  if (name === 'notification.new') return `told ${data.payload.code}`;
  return `${name} ${data.status ?? data.code ?? data.kind ?? data.reason ?? data.level ?? ''}`.trim();
};
const announced = async (work: () => Promise<unknown>) => (await during(work)).map(shortOf);
const done = async (answer: Promise<Answer>) => {
  const { status, text } = await answer;
  expect(status, text).toBeLessThan(300);
};
const keyed = () => ({ 'idempotency-key': randomUUID() });

describe('deposits', () => {
  test('emits each state of a deposit once to the owner, and an alert to staff for states that need review', async () => {
    const player = await app.newPlayer();
    const address = await giveAddress(app.db, player.id);
    const webhook = webhookOf(address, { confirmations: 1 });
    const say = (fields: object) => () => done(tellDeposit(app, { ...webhook, ...fields }));
    expect(await announced(say({ status: 'CONFIRMING' }))).toEqual(['deposit.status CONFIRMING']);
    expect(await announced(say({ status: 'CONFIRMING' }))).toEqual([]);
    // Sends the same report with different bytes, so that the platform processes it again.
    expect(await announced(say({ status: 'CONFIRMING', confirmations: 2 }))).toEqual([]);
    const completed = say({ confirmations: 20 });
    const [status, told] = await during(completed);
    const depositId = (await player.call('GET', '/payments/deposit')).body.data[0].id;
    const data = { depositId, currencyId: 'USDT', amount: '25' };
    const mine = { userId: player.id, room: 'user' };
    expect(status).toEqual({ name: 'deposit.status', ...mine, data: { ...data, status: 'COMPLETED' } });
    expect(told).toMatchObject({ name: 'notification.new', ...mine });
    expect(told!.data.payload).toEqual({ code: 'deposit.completed', ...data });
    expect(await announced(completed)).toEqual([]);
    expect(await announced(say({ confirmations: 21 }))).toEqual([]);
    const atOnce = () => Promise.all([1, 2, 3, 4].map(say({ status: 'REVERSED' })));
    expect(await announced(atOnce)).toEqual(['deposit.status REVERSED', 'told deposit.reversed']);
  });

  test('sends only staff alerts for deposits without an owner, and holds deposits of banned players', async () => {
    const stranger = () => done(tellDeposit(app, webhookOf('TnobodysAddressAtAll')));
    const [alert, ...others] = await during(stranger);
    expect(alert).toEqual({
      name: 'admin.alert',
      userId: 0,
      room: 'admin',
      data: { kind: 'DEPOSIT_UNDER_REVIEW', id: expect.any(String) },
    });
    expect(others).toEqual([]);
    const player = await app.newPlayer();
    const address = await giveAddress(app.db, player.id);
    const ban = () => done(boss.call('PATCH', `/admin/user/${player.id}/ban`, { body: {} }));
    expect(await announced(ban)).toEqual(['session.revoked BANNED']);
    const webhook = webhookOf(address);
    const held = ['admin.alert DEPOSIT_UNDER_REVIEW', 'deposit.status ON_HOLD', 'told deposit.held'];
    expect(await announced(() => done(tellDeposit(app, webhook)))).toEqual(held);
    await done(boss.call('PATCH', `/admin/user/${player.id}/unban`, { body: {} }));
    const released = ['deposit.status COMPLETED', 'told deposit.completed'];
    expect(await announced(() => releaseDeposits(app.db))).toEqual(released);
    expect(await announced(() => releaseDeposits(app.db))).toEqual([]);
  });

  test('emits nothing for a rejected webhook', async () => {
    const player = await app.newPlayer();
    const webhook = webhookOf(await giveAddress(app.db, player.id));
    const forged = () => notify(app, DEPOSIT_HOOK, webhook, { secret: 'a wrong one of some length' });
    expect(await announced(forged)).toEqual([]);
  });

  test('emits an event once per idempotency key when a skin deposit is started, and then once for each status', async () => {
    const player = await app.newPlayer();
    const atPlatform = { platform_id: String(player.id), platform_trade_link: 'https://platform.example/' };
    await app.db.updateTable('users').set(atPlatform).where('id', '=', player.id).execute();
    const headers = keyed();
    let transactionId = '';
    const open = async () => {
      const body = { currencyId: 'USDT', game: 'cs2' };
      const answer = await player.call('POST', '/payments/skins/deposit', { body, headers });
      transactionId = answer.body.transactionId;
    };
    expect(await announced(open)).toEqual(['deposit.status PENDING']);
    expect(await announced(open)).toEqual([]);
    const say = (status: string) => () => {
      const webhook = { transactionId, status, usdAmount: '50', occurredAt: new Date().toISOString() };
      return done(notify(app, SKINS_PATH, webhook, { secret: SKINS_SECRET }));
    };
    expect(await announced(say('IN_HOLD'))).toEqual(['deposit.status IN_HOLD']);
    const [status] = await during(say('SUCCESS'));
    expect(status!.data).toMatchObject({ status: 'SUCCESS', amount: await cashOf(player) });
    expect(await announced(say('SUCCESS'))).toEqual([]);
    const list = (await player.call('GET', '/notifications')).body;
    expect(list.map(({ payload }: any) => payload.code)).toEqual(['deposit.completed']);
  });
});

describe('withdrawals', () => {
  test("emits a request's events once per idempotency key, and none for a rejected or rolled-back request", async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const headers = keyed();
    const ask = () => done(withdraw(player, {}, headers));
    const [alert, status, ...others] = await during(ask);
    expect(others).toEqual([]);
    const { withdrawalId } = status!.data;
    expect(alert!.data).toEqual({ kind: 'WITHDRAWAL_WAITING', id: withdrawalId });
    const about = { withdrawalId, currencyId: 'USDT', amount: '10', status: 'WAITING_FOR_APPROVAL' };
    expect(status).toEqual({ name: 'withdraw.status', userId: player.id, room: 'user', data: about });
    expect(await announced(ask)).toEqual([]);
    const tooMuch = async () =>
      expect((await withdraw(player, { amount: '1000' }, keyed())).status).toBe(400);
    expect(await announced(tooMuch)).toEqual([]);

    await app.sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'not after all'; end $$`.execute(app.db);
    await app.sql`create constraint trigger refuse after insert on withdrawals deferrable initially deferred
      for each row execute function refuse()`.execute(app.db);
    const inVain = async () => expect((await withdraw(player, {}, keyed())).status).toBe(500);
    expect(await announced(inVain)).toEqual([]);
    await app.sql`drop trigger refuse on withdrawals`.execute(app.db);
    const taken = () => done(cancel(player, withdrawalId));
    expect(await announced(taken)).toEqual(['withdraw.status CANCELLED']);
  });

  test('emits each status that the player sees once, from the approval to the payout', async () => {
    const { player, id } = await waiting(app);
    const headers = keyed();
    const approve = () => done(decide(boss, 'approve', id, headers));
    expect(await announced(approve)).toEqual(['withdraw.status APPROVED']);
    expect(await announced(approve)).toEqual([]);
    const send = () => app.services.withdrawals.sending.send(id);
    expect(await announced(send)).toEqual(['withdraw.status PROCESSING']);
    const say = (status: string) => () => done(payer.tell(said(id, status)));
    expect(await announced(say('SENT'))).toEqual(['withdraw.status SENT', 'told withdraw.sent']);
    const [, told] = await during(say('COMPLETED'));
    expect(told!.data.payload).toEqual({
      code: 'withdraw.completed',
      withdrawalId: id,
      currencyId: 'USDT',
      amount: '9',
    });
    for (const status of ['SENT', 'COMPLETED']) expect(await announced(say(status))).toEqual([]);
    expect((await player.call('GET', '/notifications')).body).toHaveLength(2);
  });

  test('alerts staff but not the player to an unknown payout outcome, and emits an event for a failed payout', async () => {
    const { id } = await waiting(app);
    await done(decide(boss, 'approve', id));
    await payer.sandbox.behave({ autoSettle: false, payouts: 'error-after' });
    const sent = await during(() => app.services.withdrawals.sending.send(id));
    expect(sent.map(shortOf)).toEqual(['withdraw.status PROCESSING', 'admin.alert WITHDRAWAL_WAITING']);
    expect(sent[1]).toMatchObject({ userId: 0, room: 'admin', data: { id } });
    await payer.sandbox.behave({ autoSettle: false, lookups: 'garbage' });
    const refresh = () => boss.call('GET', `/admin/payments/withdraw/fetch/${id}`);
    expect(await announced(async () => expect((await refresh()).status).toBe(503))).toEqual([]);
    await payer.sandbox.behave({ autoSettle: false });
    const failed = () => done(payer.tell(said(id, 'FAILED', { failedReason: 'no such wallet' })));
    expect(await announced(failed)).toEqual(['withdraw.status FAILED', 'told withdraw.failed']);
  });

  test('alerts staff about withdrawals that need review, but not about delayed withdrawals', async () => {
    const delay = (newAddressDelayHours: number) =>
      done(boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: { newAddressDelayHours } }));
    await delay(2);
    const player = await app.newPlayer({ usdt: 100 });
    const ask = () => done(withdraw(player));
    expect(await announced(ask)).toEqual(['withdraw.status ON_HOLD']);
    await delay(0);
    const note = { userId: player.id, note: 'canary of a note', riskLevel: 'HIGH' };
    await done(boss.call('POST', '/admin/user-notes', { body: note }));
    expect(await announced(ask)).toEqual(['admin.alert WITHDRAWAL_WAITING', 'withdraw.status ON_HOLD']);
  });

  test('includes the rejection reason that the player may see', async () => {
    const { id } = await waiting(app);
    const [status, told] = await during(() => done(decide(boss, 'reject', id)));
    expect(status!.data.status).toBe('REJECTED');
    expect(told!.data.payload).toMatchObject({ code: 'withdraw.rejected', reason: 'no' });
  });
});

describe('identity verification', () => {
  const PERSON = {
    firstName: 'Zélie',
    lastName: "O'Canary",
    birthDate: '1990-02-28',
    country: 'DE',
    city: 'Kanarienstadt',
    address: 'Kanarienstraße 17b',
    postalCode: '50667',
  };
  test('emits each state as the player sees it, and sends no message about details that the player entered', async () => {
    const player = await app.newPlayer();
    const state = () => done(player.call('POST', '/kyc/basic', { body: PERSON }));
    const [stated, ...others] = await during(state);
    expect(stated!.data).toEqual({ tier: 'BASIC', status: 'APPROVED', level: 1 });
    expect(others).toEqual([]);
    const { body } = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
    const webhook = {
      eventId: randomUUID(),
      applicantId: body.applicantId,
      userId: player.id,
      tier: 'IDENTITY',
      status: 'PENDING',
      occurredAt: new Date().toISOString(),
      clientComment: 'canary for staff',
    };
    const say = (fields: object = {}) =>
      done(notify(app, '/webhooks/kyc/sandbox', { ...webhook, ...fields }, { secret: KYC_SECRET }));
    expect(await announced(say)).toEqual(['kyc.status PENDING']);
    expect(await announced(say)).toEqual([]);
    const anew = () => say({ eventId: randomUUID(), occurredAt: new Date().toISOString() });
    expect(await announced(anew)).toEqual([]);
    const decideOn =
      (action: string, fields: object = {}) =>
      () =>
        done(
          boss.call('PATCH', `/admin/kyc/${player.id}`, {
            body: { tier: 'IDENTITY', action, reason: 'canary reason', ...fields },
          }),
        );
    const [approved, told] = await during(decideOn('APPROVE'));
    expect(approved!.data).toEqual({ tier: 'IDENTITY', status: 'APPROVED', level: 2 });
    expect(told!.data.payload).toEqual({ code: 'kyc.approved', tier: 'IDENTITY' });
    expect(await announced(decideOn('APPROVE'))).toEqual([]);
    await app.sql`update kyc_tiers set expires_at = now() - interval '1 s' where user_id = ${player.id}
      and tier = 'IDENTITY'`.execute(app.db);
    const expired = ['kyc.status EXPIRED', 'told kyc.expired'];
    expect(await announced(() => app.services.kyc.expire())).toEqual(expired);
    expect(await announced(() => app.services.kyc.expire())).toEqual([]);
    const rejected = ['kyc.status REJECTED', 'told kyc.rejected'];
    expect(await announced(decideOn('REJECT', { rejectType: 'RETRY' }))).toEqual(rejected);
    const again = ['kyc.status RESUBMIT', 'told kyc.resubmit'];
    expect(await announced(decideOn('REQUEST_RESUBMIT'))).toEqual(again);
    expect(await announced(decideOn('RESET'))).toEqual(['kyc.status NONE']);
  });
});

describe('sessions and account security', () => {
  const login = async ({ username }: Player) => {
    const headers = { 'x-debug-token': app.config.DEBUG_TOKEN ?? '' };
    const { body } = await app.call('POST', `/debug/auth/login/${username}`, { headers });
    return { token: body.accessToken.token as string, refresh: body.refreshToken.token as string };
  };
  const sessionsOf = async ({ call }: Player) =>
    (await call<{ id: string; current: boolean }[]>('GET', '/session')).body;

  test('emits each ended session once with its id, when one or all other sessions are ended', async () => {
    const player = await app.newPlayer();
    for (let i = 0; i < 3; i++) await login(player);
    const [one, ...rest] = (await sessionsOf(player)).filter(({ current }) => !current);
    const end = () => player.call('DELETE', `/session/${one!.id}`);
    const [ended] = await during(end);
    expect(ended).toEqual({
      name: 'session.revoked',
      userId: player.id,
      room: 'user',
      data: { sessionId: one!.id, reason: 'ENDED_BY_USER' },
    });
    expect(await announced(end)).toEqual([]);
    const others = await during(() => done(player.call('DELETE', '/session/log-out/others')));
    expect(new Set(others.map(({ data }) => data.sessionId))).toEqual(new Set(rest.map(({ id }) => id)));
    const out = () => player.call('DELETE', '/session/log-out/current');
    expect(await announced(out)).toEqual(['session.revoked SIGNED_OUT']);
    expect(await announced(out)).toEqual([]);
  });

  test('emits the end of a session once when its refresh token is reused', async () => {
    const { refresh } = await login(await app.newPlayer());
    const show = () => app.call('POST', '/auth/refresh', { headers: { 'refresh-token': refresh } });
    expect(await announced(show)).toEqual([]);
    await app.sql`update used_refresh_tokens set used_at = now() - interval '1 hour'`.execute(app.db);
    expect(await announced(show)).toEqual(['session.revoked REFRESH_REPLAYED']);
    expect(await announced(show)).toEqual([]);
  });

  test('emits a message in addition to the email for a new device and a new password', async () => {
    const user = newcomer();
    const solved = async () => ({ 'x-captcha-token': await payer.outside.solve() });
    const signUp = async () => app.call('POST', '/auth/sign-up', { body: user, headers: await solved() });
    let first = '';
    const begin = async () => {
      first = signed(await signUp()).access;
    };
    expect(await announced(begin)).toEqual([]);
    const body = { email: user.email, password: user.password };
    const signIn = async () => app.call('POST', '/auth/sign-in', { body, headers: await solved() });
    const [told] = await during(signIn);
    expect(new Set(Object.keys(told!.data.payload))).toEqual(
      new Set(['browser', 'code', 'country', 'device', 'os']),
    );
    expect(told!.data).toMatchObject({ type: 'SECURITY', payload: { code: 'security.new-device' } });
    const wrong = async () => {
      const other = { ...body, password: 'another' };
      expect((await app.call('POST', '/auth/sign-in', { body: other, headers: await solved() })).status).toBe(
        401,
      );
    };
    expect(await announced(wrong)).toEqual([]);
    const passwords = { currentPassword: user.password, newPassword: 'quite another one 7' };
    const change = () => done(app.call('PATCH', '/user/change-password', { token: first, body: passwords }));
    const changed = ['session.revoked PASSWORD_CHANGED', 'told security.password-changed'];
    expect(await announced(change)).toEqual(changed);
  });

  test('emits a message when a second factor is enabled, disabled or reset', async () => {
    const player = await app.newPlayer();
    expect(await announced(() => turnOnMfa(app, player))).toEqual(['told security.mfa-enabled']);
    const disable = () => player.call('POST', '/user/disable-2fa');
    expect(await announced(() => done(disable()))).toEqual(['told security.mfa-disabled']);
    expect(await announced(disable)).toEqual([]);
    const { recoveryCodes } = await turnOnMfa(app, player);
    const reset = () => player.call('POST', '/user/reset-2fa', { body: { recoveryCode: recoveryCodes[0] } });
    expect(await announced(() => done(reset()))).toEqual(['told security.mfa-reset']);
    expect(await announced(reset)).toEqual([]);
  });
});

describe('limits and exclusions', () => {
  test('emits an event when a limit takes effect, is pending or is removed', async () => {
    const player = await app.newPlayer();
    const set = (amount: string | null) => () =>
      done(
        player.call('POST', '/user-limits/gambling-limits', {
          body: { type: 'SESSION', period: 'DAY', amount },
        }),
      );
    const [told] = await during(set('60'));
    const about = { limit: 'SESSION', period: 'DAY' };
    expect(told!.data).toMatchObject({ type: 'LIMIT', body: expect.stringContaining('60 minutes') });
    expect(told!.data.payload).toEqual({ code: 'limit.active', ...about, amount: '60' });
    expect(await announced(set('60'))).toEqual([]);
    const [waits] = await during(set(null));
    expect(waits!.data.payload).toMatchObject({ code: 'limit.waiting', ...about, amount: null });
    expect(await announced(() => player.call('POST', '/user-limits/gambling-limits', { body: {} }))).toEqual(
      [],
    );
    const { id } = (await player.call('GET', '/user-limits/gambling-limits')).body.limits[0].pending;
    const confirm = () => player.call('POST', '/user-limits/gambling-limits/confirm', { body: { id } });
    expect(await announced(confirm)).toEqual([]);
    await app.sql`update gambling_limit_changes set confirmable_from = now() where id = ${id}`.execute(
      app.db,
    );
    expect(await announced(() => done(confirm()))).toEqual(['told limit.removed']);
    const byStaff = () =>
      done(
        boss.call('POST', '/admin/user-limits/gambling-limits', {
          body: { userId: player.id, betLimit: '50' },
        }),
      );
    expect(await announced(byStaff)).toEqual(['told limit.active']);
    expect(await announced(byStaff)).toEqual([]);
  });

  test('emits an event when an exclusion begins, is lifted and ends', async () => {
    const player = await app.newPlayer();
    const exclude = () => player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 3 } });
    const [started, told] = await during(() => done(exclude()));
    const { expiresAt } = (await player.call('GET', '/user-limits/self-exclusion')).body;
    expect(started).toMatchObject({ name: 'exclusion.started', userId: player.id, data: { expiresAt } });
    expect(told!.data.payload).toEqual({ code: 'exclusion.started', expiresAt });
    const shorter = { body: { durationDays: 1 } };
    expect(await announced(() => player.call('POST', '/user-limits/self-exclusion', shorter))).toEqual([]);
    const lift = { body: { userId: player.id, reason: 'they asked, in writing' } };
    const liftIt = () => boss.call('DELETE', '/admin/user-limits/user-exclusion', lift);
    expect(await announced(() => done(liftIt()))).toEqual(['told exclusion.ended']);
    expect(await announced(liftIt)).toEqual([]);

    const excludeUntil = new Date(Date.now() + 7_200_000).toISOString();
    const body = { userId: player.id, excludeUntil };
    const byStaff = () => done(boss.call('POST', '/admin/user-limits/user-exclusion', { body }));
    expect(await announced(byStaff)).toEqual(['exclusion.started', 'told exclusion.started']);
    const watch = () => notifyEnded(app.services);
    expect(await announced(watch)).toEqual([]);
    await app.sql`update exclusions set started_at = started_at - interval '1 day', expires_at = now(),
      play_from = now() where user_id = ${player.id}`.execute(app.db);
    expect(await announced(() => Promise.all([watch(), watch(), watch()]))).toEqual(['told exclusion.ended']);
    expect(await announced(watch)).toEqual([]);
  });
});

describe('the platform', () => {
  const configure = (code: string, config: object) => () =>
    done(boss.call('PATCH', `/admin/config/${code}`, { body: config }));

  test('emits only the names of changed public settings, and no event for other settings', async () => {
    expect(await announced(configure('WITHDRAWALS', { fourEyesThresholdUsd: '777' }))).toEqual([]);
    expect(await announced(configure('BATTLES', { maxPlayers: 3 }))).toEqual([]);
    expect(await announced(configure('WITHDRAWALS', { minUsd: '2' }))).toEqual([
      'config.changed WITHDRAWALS',
    ]);
    expect(await announced(configure('WITHDRAWALS', { minUsd: '2' }))).toEqual([]);
    expect(await announced(configure('AFFILIATES', { holdDays: 3 }))).toEqual(['config.changed AFFILIATES']);
    expect(await announced(configure('COMMON', { minimumAge: 21 }))).toEqual(['config.changed USER']);
    const [, closed] = await during(
      configure('COMMON', { isPlayOpen: false, maintenanceMessage: 'Back at 9' }),
    );
    expect(closed).toEqual({
      name: 'maintenance',
      userId: 0,
      room: 'public',
      data: { isActive: true, startsAt: null, endsAt: null, message: 'Back at 9' },
    });
    const [, open] = await during(configure('COMMON', { isPlayOpen: true, maintenanceMessage: '' }));
    expect(open!.data).toMatchObject({ isActive: false, message: null });
    await done(boss.call('PATCH', '/admin/config/WITHDRAWALS', { body: { minUsd: '1' } }));
  });

  test('emits an event when games or countries change', async () => {
    const set = (minBet: number) => () =>
      done(boss.call('POST', '/admin/casino/games/house/settings', { body: { dice: { minBet } } }));
    const [games] = await during(set(0.5));
    expect(games).toMatchObject({ room: 'public', data: { code: 'GAMES', games: ['dice'] } });
    expect(await announced(set(0.5))).toEqual([]);
    const kill = (enabled: boolean) => () =>
      done(
        boss.call('POST', '/admin/casino/games/house/keno/kill-switch', {
          body: { enabled, reason: 'a drill' },
        }),
      );
    expect(await announced(kill(false))).toEqual([]);
    expect(await announced(kill(true))).toEqual(['config.changed GAMES']);
    expect(await announced(kill(true))).toEqual([]);
    await kill(false)();
    const block = (isBlocked: boolean) => () =>
      done(boss.call('PATCH', '/admin/country/AD', { body: { isBlocked } }));
    expect(await announced(block(true))).toEqual(['config.changed COUNTRIES']);
    expect(await announced(block(true))).toEqual([]);
    await block(false)();
  });

  test('emits an event when a player reaches a new VIP level', async () => {
    const { id: userId } = await app.newPlayer();
    const set = () =>
      done(
        app.call('POST', '/debug/user/action', {
          body: { userId, action: 'SET_VIP_LEVEL', params: { level: 4 } },
        }),
      );
    const [level] = await during(set);
    expect(level).toMatchObject({ name: 'vip.level', userId, data: { level: 4, previousLevel: 0 } });
    expect(await announced(set)).toEqual([]);
  });
});

describe('all events emitted above', () => {
  /** Events that this file tests. The modules test their other events themselves. */
  const HERE = [
    ...(['deposit.status', 'withdraw.status', 'notification.new', 'vip.level', 'kyc.status'] as const),
    ...(['session.revoked', 'exclusion.started', 'config.changed', 'maintenance', 'admin.alert'] as const),
  ];
  type Row = Omit<Event, 'userId'> & { user_id: number };
  const all = async () => (await app.db.selectFrom('events').selectAll().execute()) as Row[];

  test('covers every event of these modules and matches the catalogue', async () => {
    const events = await all();
    const names = new Set(events.map(({ name }) => name));
    expect(HERE.filter((name) => !names.has(name))).toEqual([]);
    for (const { name, data, room } of events) {
      expect(DECLARATIONS.events[name]!.data.parse(data), name).toEqual(data);
      expect(room).toBe(DECLARATIONS.events[name]!.room);
    }
  });

  test('contains no name, address, token or reason that only staff may see', async () => {
    const texts = (await all()).map(({ data }) => JSON.stringify(data));
    const { rows } = await app.sql<{ secret: string }>`
      select email as secret from users where email is not null union all select username from users
      union all select address from deposit_addresses union all select recipient_address from withdrawals
      union all select ip_address from sessions where ip_address <> ''`.execute(app.db);
    const canaries = [...rows.map(({ secret }) => secret), 'canary', 'Canary', 'Kanarien', 'no such wallet'];
    expect(canaries.length).toBeGreaterThan(40);
    for (const canary of canaries)
      expect(
        texts.filter((text) => text.includes(canary)),
        canary,
      ).toEqual([]);
    for (const text of texts) expect(text).not.toMatch(/eyJ|argon2|secret|token/i);
  });

  test('refers only to deposits and withdrawals of the player who receives the event', async () => {
    const events = await all();
    for (const { name, user_id, room, data } of events.filter((event) => event.room === 'user')) {
      const [table, id] = data.depositId
        ? (['deposits', data.depositId] as const)
        : (['withdrawals', data.withdrawalId ?? data.payload?.withdrawalId] as const);
      expect(room, name).toBe('user');
      if (!id) continue;
      const { rows } = await app.sql<{ user_id: number }>`
        select user_id from ${app.sql.table(table)} where id = ${id} union all
        select user_id from skin_deposits where id = ${id}`.execute(app.db);
      expect(rows, name).toEqual([{ user_id }]);
    }
  });
});

test('emits nothing for callers without permission', async () => {
  const { id } = await app.newPlayer();
  const clerk = await app.as({ permissions: ['user.read'] });
  const asked = await announced(async () => {
    for (const who of [clerk, await app.newPlayer()]) {
      expect(codeOf(await who.call('PATCH', `/admin/user/${id}/ban`, { body: {} }))).toBe('403 FORBIDDEN');
      const body = { isPlayOpen: false };
      expect(codeOf(await who.call('PATCH', '/admin/config/COMMON', { body }))).toBe('403 FORBIDDEN');
    }
  });
  expect(asked).toEqual([]);
});
