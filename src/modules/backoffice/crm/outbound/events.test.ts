import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { betOnDice, PATIENCE, type Player } from '../../../../../test/kit/app.ts';
import { aTrigger, startCrm } from '../../../../../test/kit/backoffice/crm.ts';
import { BONUS, deposit, HALF, newPromo, PROMO_STAFF } from '../../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { bonusFor, grantsOf, percentageFor } from '../../../../../test/kit/money/grants.ts';
import { cancel, withdraw } from '../../../../../test/kit/money/withdrawals.ts';
import { until } from '../../../../../test/kit/until.ts';
import { type Tx, transaction } from '../../../../platform/database/db.ts';
import { reportUse } from '../../../accounts/auth/sessions/use-events.ts';
import { baseEvents } from '../../../base/events/schemas.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { notifyEnded } from '../../../compliance/limits/exclusions.ts';
import { erase } from '../../user-admin/erase.ts';
import { lockPositions } from './queries.ts';

// In these tests, bonus grants are wagered with bets that move no money.
const world = fixture(() =>
  startCrm({ movesFreely: true, env: { ...PATIENCE, TRUSTED_PROXIES: '127.0.0.1' } }),
);
const boss = fixture(() => world.app.as('superadmin'));
const staff = fixture(() => world.app.as(PROMO_STAFF));

const newPlayer = (usdt?: number) => world.app.newPlayer(usdt === undefined ? {} : { usdt });
/** Returns a player's messages of one type after all messages have arrived. */
const said = async (player: Pick<Player, 'id'>, type: string) => {
  await world.settle();
  return world.saidOf(player, type);
};
const typesOf = async (player: Player) => {
  await world.settle();
  return world.typesOf(player);
};
const exclude = (player: Player) =>
  player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 30 } });
const lift = ({ id }: Player) =>
  boss.call('DELETE', '/admin/user-limits/user-exclusion', { body: { userId: id, reason: 'a test' } });
const ban = ({ id }: Player, verb: 'ban' | 'unban') =>
  boss.call('PATCH', `/admin/user/${id}/${verb}`, { body: { banReason: 'a test' } });

describe('accounts', () => {
  test('sends registration and login events with the country and device of the sign-in', async () => {
    const player = await newPlayer();
    await reportUse(world.app.services, { sessionId: decodeJwt(player.token).sid });
    expect(await said(player, 'registration')).toEqual([
      { type: 'registration', method: 'DEBUG', country: null },
    ]);
    const [login] = await world.saidOf(player, 'login');
    expect(login).toMatchObject({ type: 'login', by: 'SIGN_IN', method: 'debug', country: null });
    expect(new Set(Object.keys(login!))).toEqual(
      new Set(['at', 'browser', 'by', 'country', 'device', 'device_type', 'method', 'os', 'type']),
    );
    expect(await world.typesOf(player)).toEqual(['registration', 'login']);
  });

  test('signs every event and its id, so that the CRM rejects an unsigned event', async () => {
    const player = await newPlayer();
    await world.settle();
    const [told] = await world.told({ user_id: String(player.id) });
    const { rows } = await world.app.sql<{ id: bigint }>`
      select id from events where user_id = ${player.id} and name = 'user.registered'`.execute(world.app.db);
    expect(told!.id).toBe(String(rows[0]!.id));
    const body = JSON.stringify({ type: 'login', user_id: String(player.id) });
    const now = String(Math.floor(Date.now() / 1000));
    for (const headers of [{}, { 'x-event-id': '1', 'x-timestamp': now, 'x-signature': 'a'.repeat(64) }])
      expect((await fetch(`${world.outside.url}/crm/events`, { method: 'POST', headers, body })).status).toBe(
        401,
      );
    expect(await world.typesOf(player)).toEqual(['registration']);
  });

  test('sends user_update when the player, staff, KYC, levels or an erasure change public data', async () => {
    const player = await newPlayer();
    const updates = async () => (await said(player, 'user_update')).length;
    expect(await updates()).toBe(0);
    await player.call('PATCH', '/user/me', { body: { language: 'es' } });
    expect(await updates()).toBe(1);
    await player.call('PATCH', '/user/me', { body: { isPrivate: true } });
    expect(await updates()).toBe(1);
    await player.call('PATCH', '/user/me', { body: { username: `n_${player.username.slice(2)}` } });
    expect(await updates()).toBe(2);
    expect(
      (await boss.call('PATCH', `/admin/user/${player.id}`, { body: { isYoutuber: true } })).status,
    ).toBe(200);
    expect(await updates()).toBe(3);
    const person = { firstName: 'Ada', lastName: 'Lovelace', birthDate: '1990-12-10', country: 'DE' };
    const home = { city: 'Berlin', address: 'Unter den Linden 1', postalCode: '10117' };
    await player.call('POST', '/kyc/basic', { body: { ...person, ...home } });
    expect(await updates()).toBe(4);
    const level = { userId: player.id, action: 'SET_VIP_LEVEL', params: { level: 2 } };
    expect((await world.app.call('POST', '/debug/user/action', { body: level })).status).toBe(201);
    expect(await updates()).toBe(5);
    expect(await world.saidOf(player, 'user_update')).toEqual(Array(5).fill({ type: 'user_update' }));
    const files = { forget: async () => undefined };
    await player.call('PATCH', '/user/me', { body: { language: 'de' } });
    // Waiting messages of an erased user are deleted, except for the one about the erasure.
    await world.collect();
    await erase({ db: world.app.db, files }, { userId: player.id, by: player.id, reason: 'a test' });
    expect(await updates()).toBe(6);
  });

  test('sends a consent event when the player or the CRM changes a consent', async () => {
    const player = await newPlayer();
    await player.call('PATCH', '/user/me', { body: { isEmailNotificationsEnabled: false } });
    const consents = [{ type: 'sms', opted_in: true }];
    await world.call('POST', `/marketing/userconsents/${player.id}`, { body: { consents } });
    expect(await said(player, 'consent')).toEqual([{ type: 'consent' }, { type: 'consent' }]);
  });

  test('sends a block event when a ban begins and when it ends', async () => {
    const player = await newPlayer();
    await ban(player, 'ban');
    await ban(player, 'unban');
    expect(await said(player, 'block')).toEqual([
      { type: 'block', block: 'Blocked', active: true },
      { type: 'block', block: 'Blocked', active: false },
    ]);
  });
});

describe('conversion', () => {
  const insertEvent = (tx: Tx, player: Player, data: string) =>
    world.app.sql`
    insert into events (id, user_id, room, name, data)
    select nextval('ledger_ids'), ${player.id}, 'user', 'deposit.status', ${data}::json
    from (select pg_current_xact_id() as xid offset 0) own where xid is not null`.execute(tx);

  test('logs and skips an event that cannot be converted', async () => {
    const player = await newPlayer();
    await transaction(world.app.db, (tx) => insertEvent(tx, player, 'null'));
    await player.call('PATCH', '/user/me', { body: { language: 'es' } });
    expect(await typesOf(player)).toEqual(['registration', 'user_update']);
  });

  test('waits for a worker of version 0.1.0 that converts the first events of a player', async () => {
    const { db } = world.app;
    const player = await newPlayer();
    const isWaiting = async () => {
      const { rows } = await world.app.sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into crm_players%'`.execute(
        db,
      );
      return rows.length > 0;
    };
    const { positions } = await transaction(db, async (older) => {
      await world.app.sql`insert into crm_players (user_id, position) values (${player.id}, 9)`.execute(
        older,
      );
      const positions = transaction(db, (tx) => lockPositions(tx, [player.id]));
      await until(isWaiting, 5000);
      return { positions };
    });
    expect(await positions).toEqual(new Map([[player.id, 9n]]));
  });

  test('ends a run after the current batch when the worker closes', async () => {
    const { db, services } = world.app;
    const { events } = services.crm;
    await world.collect();
    const position = async () => {
      const cursor = db.selectFrom('cursors').select('position').where('name', '=', 'crm-events');
      return (await cursor.executeTakeFirstOrThrow()).position;
    };
    const before = await position();
    const alert = { event: baseEvents['admin.alert'], data: { kind: 'RATE_JUMP', id: 'BTC' } } as const;
    // More than one batch.
    for (let i = 0; i < 3; i++)
      await transaction(db, (tx) => emitEvent(tx, ...Array.from({ length: 1000 }, () => alert)));
    await until(async () => {
      await events.createMessages(AbortSignal.abort());
      return (await position()) > before;
    });
    expect(await events.hasNews()).toBe(true);
    await world.collect();
  });
});

describe('an exclusion', () => {
  test('sends block and consent events for an exclusion, and nothing else until play is possible again', async () => {
    const player = await newPlayer(50);
    expect(await typesOf(player)).toEqual(['registration']);
    await exclude(player);
    expect(await typesOf(player)).toEqual(['registration', 'block', 'consent']);
    expect(await world.saidOf(player, 'block')).toEqual([{ type: 'block', block: 'Excluded', active: true }]);
    await player.call('PATCH', '/user/me', { body: { language: 'es', isEmailNotificationsEnabled: false } });
    await deposit(world.app, player, '10');
    expect(await typesOf(player)).toEqual(['registration', 'block', 'consent', 'consent']);
    expect(await world.waiting(player)).toBe(0);
    await lift(player);
    await player.call('PATCH', '/user/me', { body: { language: 'de' } });
    expect((await typesOf(player)).slice(4)).toEqual(['block', 'consent', 'user_update']);
    expect((await world.saidOf(player, 'block'))[1]).toEqual({
      type: 'block',
      block: 'Excluded',
      active: false,
    });
  });

  test('does not deliver messages that are waiting when an exclusion begins', async () => {
    const player = await newPlayer();
    await world.settle();
    await player.call('PATCH', '/user/me', { body: { language: 'es' } });
    await world.collect();
    expect(await world.waiting(player)).toBe(1);
    await exclude(player);
    expect(await typesOf(player)).toEqual(['registration', 'block', 'consent']);
  });

  test('sends an event for the end of an exclusion when play automatically becomes possible again', async () => {
    const player = await newPlayer();
    await world.settle();
    await exclude(player);
    await world.settle();
    await world.app
      .sql`update exclusions set expires_at = now() - interval '2 hours', play_from = now() - interval '1 hour'
      where user_id = ${player.id}`.execute(world.app.db);
    await world.app
      .sql`update restrictions set excluded_until = now() - interval '2 hours', play_from = now() - interval '1 hour'
      where user_id = ${player.id}`.execute(world.app.db);
    await notifyEnded(world.app.services);
    expect((await typesOf(player)).slice(3)).toEqual(['block', 'consent']);
  });
});

describe('money', () => {
  test('sends an event for each state of a deposit or withdrawal, with amount, currency and rate', async () => {
    const player = await newPlayer();
    await deposit(world.app, player, '25');
    const { body } = await player.call('GET', '/payments/deposit');
    const paid = { amount: '25', currency: 'USDT', exchange_rate: '1' };
    expect(await said(player, 'deposit')).toEqual([
      { type: 'deposit', payment_id: body.data[0].id, status: 'COMPLETED', ...paid },
    ]);
    const payer = await newPlayer(100);
    const order = await withdraw(payer);
    expect(order.status, order.text).toBe(201);
    await cancel(payer, order.body.id);
    const asked = {
      type: 'withdrawal',
      payment_id: order.body.id,
      amount: '10',
      currency: 'USDT',
      exchange_rate: '1',
    };
    expect(await said(payer, 'withdrawal')).toEqual([
      { ...asked, status: 'WAITING_FOR_APPROVAL' },
      { ...asked, status: 'CANCELLED' },
    ]);
  });
});

describe('bonus', () => {
  const statusesOf = async (player: Player) => (await said(player, 'bonus')).map(({ status }) => status);

  test('includes the trigger headers in events about bonuses that the CRM credited', async () => {
    const player = await newPlayer();
    const promo = await newPromo(staff, { ...BONUS, type: 'MANUAL' });
    const headers = aTrigger({ 'x-fasttrack-actiongroupid': '56', 'x-fasttrack-id': 'ft-1' });
    const { body } = await world.call('POST', '/marketing/bonus/credit', {
      body: { user_id: String(player.id), bonus_code: promo },
      headers,
    });
    const bonus = {
      type: 'bonus',
      user_bonus_id: body.user_bonus_id,
      bonus_code: promo,
      name: 'Ten to play with',
      bonus_type: 'MANUAL',
      amount: '10',
      required_wagering_amount: '100',
      wagered_amount: '0',
      currency: 'USDT',
      exchange_rate: '1',
      fasttrack_references: {
        activity_id: '12',
        action_id: '34',
        action_group_id: '56',
        trigger_hash: headers['x-fasttrack-triggerhash'],
        id: 'ft-1',
      },
    };
    expect(await said(player, 'bonus')).toEqual([
      { ...bonus, status: 'Created', balance: '0' },
      { ...bonus, status: 'Ongoing', balance: '10' },
    ]);
    const forfeit = await player.call('POST', `/promo/${body.user_bonus_id}/forfeit`, { body: {} });
    expect(forfeit.status, forfeit.text).toBe(201);
    expect((await said(player, 'bonus'))[2]).toEqual({ ...bonus, status: 'Forfeited', balance: '0' });
  });

  test('sends created and completed events for a cash grant, and no trigger for grants that the CRM did not make', async () => {
    const player = await newPlayer();
    const promo = await newPromo(staff, { type: 'MANUAL' });
    const granted = await staff.call('POST', `/admin/promo/${promo}/grant`, {
      body: { userIds: [player.id], reason: 'a test' },
    });
    expect(granted.body).toMatchObject({ granted: 1 });
    const bonuses = await said(player, 'bonus');
    expect(bonuses.map(({ status }) => status)).toEqual(['Created', 'Completed']);
    expect(bonuses[0]).toMatchObject({ amount: '10', balance: '0', fasttrack_references: null });
  });

  test('sends a pending event for a percentage bonus until its deposit arrives', async () => {
    const player = await newPlayer();
    const promo = await newPromo(staff, HALF);
    await world.call('POST', '/marketing/bonus/credit', {
      body: { user_id: String(player.id), bonus_code: promo },
      headers: aTrigger(),
    });
    expect(await said(player, 'bonus')).toMatchObject([{ status: 'Pending', amount: '0' }]);
    await deposit(world.app, player, '20');
    expect((await said(player, 'bonus')).slice(1)).toMatchObject([
      { status: 'Created', amount: '10', currency: 'USDT' },
      { status: 'Ongoing', amount: '10', balance: '10' },
    ]);
    // A deposit has other effects, whose messages arrive before the message about the deposit.
    const types = await world.typesOf(player);
    expect(types.filter((type) => type === 'deposit')).toHaveLength(1);
  });

  test('sends events for completed, expired, lost and cancelled bonuses, and for a lost bonus that was restored', async () => {
    const grants = grantsOf(world.app);
    const made = async (terms: object = {}) => {
      const player = await newPlayer();
      return { player, id: (await grants.issue(bonusFor(player, terms)))! };
    };
    const done = await made();
    await grants.stake(done.id, 1n, '10');
    await grants.finish(done.id, 1n, { counted: '500' });
    await grants.settle(done.id);
    expect(await statusesOf(done.player)).toEqual(['Created', 'Ongoing', 'Completed']);

    const late = await made({ validityHours: 1 });
    await grants.set(late.id, { expires_at: new Date(0) });
    await grants.settle(late.id);
    expect(await statusesOf(late.player)).toEqual(['Created', 'Ongoing', 'Expired']);

    const lost = await made();
    await grants.stake(lost.id, 2n, '50');
    await grants.finish(lost.id, 2n, {});
    await grants.settle(lost.id);
    expect(await statusesOf(lost.player)).toEqual(['Created', 'Ongoing', 'Lost']);

    const gone = await made();
    await grants.end(gone.id, { status: 'CANCELLED', reason: 'STAFF' });
    expect(await statusesOf(gone.player)).toEqual(['Created', 'Ongoing', 'Forfeited']);

    const waits = await newPlayer();
    const id = (await grants.issue(percentageFor(waits)))!;
    await grants.set(id, { waits_until: new Date(0) });
    await grants.settle(id);
    expect(await statusesOf(waits)).toEqual(['Pending', 'Expired']);
  });

  test('sends only the exclusion event when an exclusion ends a bonus', async () => {
    const player = await newPlayer();
    await grantsOf(world.app).issue(bonusFor(player));
    await world.settle();
    await exclude(player);
    expect((await typesOf(player)).slice(-2)).toEqual(['block', 'consent']);
    expect(await statusesOf(player)).toEqual(['Created', 'Ongoing']);
  });
});

describe('game_round and balance', () => {
  const minutes = () => world.app.services.crm.minutes;
  const createMessages = () => minutes().createMessages();
  let passed = 0;
  /** Moves the current minute to the past, without merging it with earlier minutes. */
  const passMinute = async () => {
    passed++;
    for (const table of ['crm_rounds', 'crm_minutes'])
      await world.app
        .sql`update ${world.app.sql.table(table)} set minute = minute - make_interval(mins => ${passed})`.execute(
        world.app.db,
      );
  };
  const consume = async () => {
    const { consumer } = minutes();
    await until(async () => {
      await consumer.catchUp();
      return !(await consumer.hasNews());
    });
  };
  const sums = ({ game, rounds, bet_amount, currency }: any) => `${game} ${rounds} ${bet_amount} ${currency}`;

  test('sends one game_round message for each minute, with totals by game and currency', async () => {
    const player = await newPlayer(100);
    for (const betAmount of ['1', '2', '3.5']) await betOnDice(player, { betAmount });
    await player.call('POST', '/casino/games/house/limbo/bet', {
      body: { currencyId: 'USDT', betAmount: '4', multiplier: 2 },
    });
    await consume();
    await createMessages();
    expect(await said(player, 'game_round')).toEqual([]);
    await passMinute();
    await createMessages();
    const [message, ...others] = await said(player, 'game_round');
    expect(others).toEqual([]);
    const { rows } = await world.app.sql<{ paid: bigint; usd: bigint }>`
      select sum(payout)::int8 as paid, sum(usd_payout)::int8 as usd from bets where user_id = ${player.id} and game_id = (
        select id from games where slug = 'dice')`.execute(world.app.db);
    const dice = message!.games.find(({ game }: any) => game === 'dice');
    expect(dice).toEqual({
      game: 'dice',
      rounds: 3,
      bet_amount: '6.5',
      win_amount: decimal(rows[0]!.paid),
      bet_amount_usd: '6.5',
      win_amount_usd: decimal(rows[0]!.usd),
      currency: 'USDT',
      exchange_rate: '1',
    });
    expect(message!.games.map(sums)).toEqual(['dice 3 6.5 USDT', 'limbo 1 4 USDT']);
    const { body: balances } = await player.call('GET', '/accounting/balances');
    expect(await world.saidOf(player, 'balance')).toEqual([
      {
        type: 'balance',
        balances: [
          {
            amount: balances.find(({ currencyId }: any) => currencyId === 'USDT').amount,
            bonus: '0',
            vault: '0',
            locked: '0',
            currency: 'USDT',
            exchange_rate: '1',
          },
        ],
      },
    ]);
  });

  test('sends one message for each minute, and includes a rollback in the minute in which it happens', async () => {
    const player = await newPlayer(100);
    const ids: bigint[] = [];
    const minute = async (work: () => Promise<unknown>) => {
      await work();
      await consume();
      await passMinute();
      await createMessages();
    };
    await minute(async () => ids.push(BigInt((await betOnDice(player, { betAmount: '5' })).body.betId)));
    await minute(() => betOnDice(player, { betAmount: '2' }));
    await minute(async () => {
      const answer = await boss.call('POST', `/admin/bets/${ids[0]}/rollback`, {
        body: { reason: 'a test' },
      });
      expect(answer.status, answer.text).toBe(201);
    });
    const games = (await said(player, 'game_round')).map(({ games: [first] }) => sums(first));
    expect(games).toEqual(['dice 1 5 USDT', 'dice 1 2 USDT', 'dice -1 -5 USDT']);
  });

  test('sends only a balance message for money movements other than bets', async () => {
    const player = await newPlayer(100);
    const balanceCount = async () => {
      await createMessages();
      await passMinute();
      await createMessages();
      return (await said(player, 'balance')).length;
    };
    await until(async () => (await balanceCount()) === 1);
    await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '30' } });
    await until(async () => (await balanceCount()) === 2);
    const balances = await world.saidOf(player, 'balance');
    expect(balances.map(({ balances: [usdt] }) => [usdt.amount, usdt.vault])).toEqual([
      ['100', '0'],
      ['70', '30'],
    ]);
    expect(await world.saidOf(player, 'game_round')).toEqual([]);
  });

  test("sends many players' messages in one run of the job", async () => {
    const players = await Promise.all(Array.from({ length: 12 }, () => newPlayer(20)));
    await Promise.all(players.flatMap((player) => [betOnDice(player), betOnDice(player)]));
    await consume();
    await passMinute();
    await createMessages();
    await world.settle();
    for (const player of players) {
      expect(await world.saidOf(player, 'game_round')).toMatchObject([{ games: [{ rounds: 2 }] }]);
      expect(await world.saidOf(player, 'balance')).toHaveLength(1);
    }
  });

  test('sends nothing about excluded players', async () => {
    const player = await newPlayer(20);
    await betOnDice(player);
    await exclude(player);
    await consume();
    await passMinute();
    await createMessages();
    expect(await typesOf(player)).toEqual(['registration', 'block', 'consent'].slice(1));
  });
});

const decimal = (units: bigint): string => {
  const text = String(units).padStart(9, '0');
  return `${text.slice(0, -8)}.${text.slice(-8)}`.replace(/\.?0+$/, '');
};
