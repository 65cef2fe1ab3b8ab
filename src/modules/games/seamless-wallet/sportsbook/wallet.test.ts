/** Sportsbook transactions over HTTP, with the cases of section 7 in providers.md and a small independent model. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Answer, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { sportsbookKey } from '../../../../../test/kit/games/sportsbook.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { units } from '../../../../platform/money.ts';
import { setBanned } from '../../../base/players/service.ts';
import { noPlay } from '../../../compliance/gate/rules.ts';
import { restrict } from '../../../compliance/gate/service.ts';

const app = fixture(startApp);
const key = fixture(() => sportsbookKey(app));

type Said = {
  type: string;
  reason: string;
  id: string;
  cash: string | number;
  betId?: string;
  parentId?: string;
};
const AT = '2026-11-21T09:30:00.000Z';
const bodyOf = ({ type, reason, id, cash, betId, parentId }: Said, more: object = {}) => ({
  id,
  currency: 'USDT',
  platform: 'web',
  type,
  initiatedAt: AT,
  createdAt: AT,
  context: { product: 'sport', reason, ...(betId && { betId }), ...(parentId && { parentId }) },
  amountBreakdown: { cash },
  ...more,
});

const headers = () => ({ ...key, 'content-type': 'application/json' });
const send = (playerId: number | string, options: { body?: unknown; raw?: string; key?: string }) => {
  const path = `/sportsbook/external/wallet/${playerId}/transactions`;
  const { key: other, ...rest } = options;
  return app.call('POST', path, {
    ...rest,
    headers: { ...headers(), ...(other !== undefined && { 'x-api-key': other }) },
  });
};
const outcome = ({ status, body }: Answer) =>
  status === 200
    ? `OK ${body.balances[0].cash}${body.alreadyProcessed ? ' again' : ''}`
    : status === 400
      ? body.code
      : `${status} ${body.code}`;

let names = 0;
/** Creates a player with money at the sportsbook and one bet. All ids contain the id of the bet. */
async function table({ usdt = 100 } = {}) {
  const player = await app.newPlayer({ usdt });
  await player.call('GET', '/sportsbook/external/token?currencyId=USDT');
  const betId = `bet-${names++}`;
  const idOf = (name: string) => `${betId}_${name}`;
  const say = (said: Omit<Said, 'betId'> & { betId?: string | undefined }, more?: object) =>
    send(player.id, {
      body: bodyOf(
        {
          betId,
          ...said,
          id: idOf(said.id),
          ...(said.parentId && { parentId: idOf(said.parentId) }),
        } as Said,
        more,
      ),
    });
  const says = async (...args: Parameters<typeof say>) => outcome(await say(...args));
  const bet = (cash: number | string, id = 'bet') => says({ type: 'withdrawal', reason: 'bet', id, cash });
  const settle = (cash: number | string, id: string, reason = 'settle') =>
    says({ type: 'deposit', reason, id, cash });
  const take = (cash: number | string, id: string, reason = 'resettle') =>
    says({ type: 'withdrawal', reason, id, cash });
  const back = (parentId: string, id = `x-${parentId}`) =>
    says({ type: 'rollback', reason: 'sport rollback', id, cash: 0, parentId });
  const row = async () => {
    const { rows } = await sql<{
      status: string;
      type: string;
      edge: number;
      version: number;
      round: string;
      corrections: number;
    }>`
      select b.status, g.type, b.edge_ppm as edge, r.version, r.status as round,
        (select count(*)::int from bet_corrections c where c.bet_id = b.id) as corrections
      from provider_rounds r left join bets b on b.id = r.bet_id left join games g on g.id = b.game_id
      where r.user_id = ${player.id} and r.round_ref = ${betId}`.execute(app.db);
    return rows[0];
  };
  return { player, betId, idOf, say, says, bet, settle, take, back, row };
}

/** Returns the finding about a report that was not booked. */
const unbooked = (subject: string) =>
  app.db.selectFrom('provider_findings').selectAll().where('subject', '=', subject).executeTakeFirst();

const owes = async ({ id }: Player) =>
  (
    await app.db.selectFrom('claims').select('remaining').where('user_id', '=', id).orderBy('id').execute()
  ).map(({ remaining }) => remaining);
const intoVault = async (player: Player, amount: string) => {
  const body = { currencyId: 'USDT', amount };
  expect((await player.call('POST', '/accounting/to-vault', { body })).status).toBe(201);
};

describe('bets and their settlements', () => {
  test('shows the details of a settled sports bet only to its player', async () => {
    const { player, bet, settle, betId } = await table();
    const stranger = await app.newPlayer();
    await bet(10);
    const round = await app.db
      .selectFrom('provider_rounds')
      .select('bet_id')
      .where('round_ref', '=', betId)
      .executeTakeFirstOrThrow();
    const details = (by: Player) => by.call('GET', `/bets/slots/info/${round.bet_id}`);
    expect((await details(player)).body.code).toBe('BET_NOT_FOUND');
    await settle(25, 'won');
    const { status, body } = await details(player);
    expect([status, body]).toMatchObject([
      200,
      {
        betId: String(round.bet_id),
        currencyId: 'USDT',
        amount: '10',
        payout: '25',
        windowId: null,
        settledAt: expect.stringMatching(/Z$/),
        game: { type: 'SPORTSBOOK', multiplier: 2.5, inputs: null, outcome: null },
        user: { id: player.id },
      },
    ]);
    expect((await details(stranger)).body.code).toBe('BET_NOT_FOUND');
    const house = await player.call('GET', `/bets/house-games/info/${round.bet_id}`);
    expect(house.status).toBe(404);
  });

  test('books a bet and a settlement only once, and returns the stored responses when they are repeated', async () => {
    const { bet, settle, row, say, idOf, betId, player } = await table();
    const first = await say({ type: 'withdrawal', reason: 'bet', id: 'bet', cash: 10 });
    expect([first.status, first.body]).toEqual([
      200,
      {
        ...bodyOf({ type: 'withdrawal', reason: 'bet', id: idOf('bet'), cash: '10', betId }),
        playerId: String(player.id),
        amountBreakdown: { cash: '10', locked: '0', bonus: '0' },
        balances: [{ currency: 'USDT', cash: '90', locked: '0', bonus: '0' }],
        alreadyProcessed: false,
      },
    ]);
    expect(await row()).toEqual({
      status: 'CREATED',
      type: 'SPORTSBOOK',
      edge: 30_000,
      version: 0,
      round: 'OPEN',
      corrections: 0,
    });
    expect(await settle('25', 'settlement_0')).toBe('OK 115');
    expect(await row()).toMatchObject({ status: 'SETTLED', version: 1, corrections: 0 });
    expect(await settle(25, 'settlement_0')).toBe('OK 115 again');
    expect(await bet('10.00')).toBe('OK 90 again');
  });

  test('rejects an id that was already used for a different transaction', async () => {
    const { bet, says, idOf, settle } = await table();
    await bet(10);
    expect(await bet(11)).toBe('error.retry.incorrect');
    const other = { type: 'withdrawal', reason: 'freebet', id: 'bet', cash: 10 };
    expect(await says(other)).toBe('error.retry.incorrect');
    expect(await says({ type: 'withdrawal', reason: 'bet', id: 'bet', cash: 10, betId: 'other' })).toBe(
      'error.retry.incorrect',
    );
    const somebody = await app.newPlayer({ usdt: 50 });
    const body = bodyOf({ type: 'withdrawal', reason: 'bet', id: idOf('bet'), cash: 10, betId: idOf('') });
    expect(outcome(await send(somebody.id, { body }))).toBe('error.retry.incorrect');
    await settle(5, 's');
    expect(await settle(5, 's', 'resettle')).toBe('error.retry.incorrect');
  });

  test('creates a debt for money already spent, and pays it from the next credit', async () => {
    const { player, bet, settle, take, row } = await table();
    expect([await bet(10), await settle(50, 's0')]).toEqual(['OK 90', 'OK 140']);
    await intoVault(player, '140');
    expect(await take(30, 's1')).toBe('OK 0');
    expect(await owes(player)).toEqual([units('30')]);
    expect(await settle(40, 's2')).toBe('OK 10');
    expect(await owes(player)).toEqual([0n]);
    expect(await row()).toMatchObject({ status: 'SETTLED', version: 3, corrections: 2 });
  });

  test('pays the oldest debts first, in one or several batches, and partially if necessary', async () => {
    const { player, bet, settle, take, says } = await table();
    await bet(10);
    await settle(50, 's0');
    await intoVault(player, '140');
    expect([await take(20, 's1'), await take(10, 's2')]).toEqual(['OK 0', 'OK 0']);
    expect(await settle(5, 's3')).toBe('OK 0');
    expect(await owes(player)).toEqual([units('15'), units('10')]);
    expect(await says({ type: 'award', reason: 'award', id: 'a1', cash: '17.5' })).toBe('OK 0');
    expect(await owes(player)).toEqual([0n, units('7.5')]);
    const answers = await Promise.all([
      take(15, 's4'),
      settle(3, 's5'),
      settle(20, 's6'),
      says({ type: 'release', reason: 'x', id: 'a2', cash: 1 }),
    ]);
    expect(answers.every((answer) => answer.startsWith('OK'))).toBe(true);
    const { rows } = await sql<{ cash: bigint; owed: bigint }>`select cash,
      (select sum(remaining)::int8 from claims where user_id = ${player.id}) as owed from wallets
      where user_id = ${player.id} and currency_id = 'USDT'`.execute(app.db);
    expect(rows[0]!.cash - rows[0]!.owed).toBe(units('1.5'));
  });

  test('reopens the bet when its settlement is cancelled, and settles it again', async () => {
    const { bet, settle, take, row, back, idOf } = await table();
    await bet(10);
    await settle(25, 's0');
    expect(await settle(5, 's1', 'resettle')).toBe('OK 120');
    expect(await take(25, 'odd', 'cancelsettle')).toBe('OK 120');
    expect(await unbooked(idOf('odd'))).toMatchObject({ facts: { reason: 'UNBOOKABLE' } });
    expect(await take(30, 'c0', 'cancelsettle')).toBe('OK 90');
    expect(await row()).toMatchObject({ status: 'CREATED', round: 'OPEN', version: 2, corrections: 2 });
    expect(await bet(5, 'more')).toBe('error.general');
    expect(await settle(12, 's2')).toBe('OK 102');
    expect(await row()).toMatchObject({ status: 'SETTLED', round: 'CLOSED', version: 3, corrections: 3 });
    expect(await back('c0')).toBe('OK 132');
    expect(await take(200, 'c1')).toBe('OK 132');
    expect(await unbooked(idOf('c1'))).toMatchObject({ status: 'OPEN' });
    expect(await take(42, 'c2', 'cancelsettle')).toBe('OK 90');
    expect(await back('bet')).toBe('OK 100');
    expect(await row()).toMatchObject({ status: 'ROLLBACK', round: 'CLOSED' });
  });

  test('does not book a report that was assigned to staff, even if the report could be booked later', async () => {
    const { bet, settle, take, back, row, idOf } = await table();
    await bet(10);
    await settle(25, 's0');
    await settle(5, 's1', 'resettle');
    expect(await take(25, 'early', 'cancelsettle')).toBe('OK 120');
    expect(await back('s1')).toBe('OK 115');
    expect(await take(25, 'early', 'cancelsettle')).toBe('OK 115');
    expect(await row()).toMatchObject({ status: 'SETTLED', round: 'CLOSED' });
    expect(await unbooked(idOf('early'))).toMatchObject({ status: 'OPEN', facts: { reason: 'UNBOOKABLE' } });
    expect(await take(25, 'late', 'cancelsettle')).toBe('OK 90');
  });

  test('settles the given amount for a cash-out, a void bet, and partial and half results', async () => {
    for (const reason of ['cash-out', 'cash_out', 'void', 'partial-cashout', 'half-won', 'resettle']) {
      const { bet, settle, row } = await table();
      await bet(10);
      expect(await settle(10, 's', reason)).toBe('OK 100');
      expect(await row()).toMatchObject({ status: 'SETTLED', version: 1 });
    }
    const lost = await table();
    await lost.bet(10);
    expect(await lost.settle(0, 's')).toBe('OK 90');
    expect(await lost.row()).toMatchObject({ status: 'SETTLED' });
  });
});

describe('rollbacks', () => {
  test('moves no money for a rollback that refers to itself, and stores a finding', async () => {
    const { back, idOf } = await table();
    expect([await back('self', 'self'), await back('self', 'self')]).toEqual(Array(2).fill('OK 100'));
    expect(await unbooked(idOf('self'))).toMatchObject({ kind: 'UNBOOKED_REPORT', status: 'OPEN' });
  });

  test('returns a stake only once, even if there are several rollback ids', async () => {
    const { bet, back, row, settle } = await table();
    await bet(10);
    expect(await back('bet')).toBe('OK 100');
    expect(await back('bet')).toBe('OK 100 again');
    expect(await back('bet', 'another')).toBe('OK 100');
    expect(await row()).toMatchObject({ status: 'ROLLBACK', round: 'CLOSED' });
    expect(await settle(5, 's')).toBe('decline.parent.failed');
  });

  test('reports an unknown transaction as not found, and rejects the transaction if it arrives later', async () => {
    const { bet, back } = await table();
    expect([await back('bet'), await back('bet'), await back('bet', 'x2')]).toEqual(
      Array(3).fill('decline.parent.notfound'),
    );
    expect(await bet(10)).toBe('error.retry.incorrect');
    expect(await bet(10, 'bet2')).toBe('OK 90');
  });

  test('rejects the rollback and the settlement of a rejected bet', async () => {
    const { bet, back, settle, says } = await table();
    expect(await bet(101)).toBe('decline.lowbalance');
    expect(await back('bet')).toBe('decline.parent.failed');
    expect(await settle(5, 's')).toBe('decline.parent.notfound');
    const said = { type: 'deposit', reason: 'settle', id: 's1', cash: 5, parentId: 'bet' };
    expect(await says(said)).toBe('decline.parent.failed');
  });

  test('reverses the amount of a settlement and reopens the bet', async () => {
    const { player, bet, settle, back, row, idOf } = await table();
    await bet(10);
    await settle(50, 's0');
    await intoVault(player, '100');
    expect(await back('s0')).toBe('OK 0');
    expect(await owes(player)).toEqual([units('10')]);
    expect(await row()).toMatchObject({ status: 'CREATED', round: 'OPEN' });
    expect(await settle(25, 's1')).toBe('OK 15');
    expect(await row()).toMatchObject({ status: 'SETTLED', round: 'CLOSED' });
    expect(await back('x-s0')).toBe('OK 15');
    expect(await unbooked(idOf('x-x-s0'))).toMatchObject({ facts: { reason: 'UNBOOKABLE' } });
    expect(await back('bet')).toBe('OK 25');
    expect(await row()).toMatchObject({ status: 'SETTLED' });
    expect(await back('s1')).toBe('OK 0');
    expect(await row()).toMatchObject({ status: 'ROLLBACK' });
  });

  test('rejects rollbacks for transactions of another player or another bet', async () => {
    const [one, two] = [await table(), await table()];
    await one.bet(10);
    const of = (parent: string, betId: string) => ({
      body: bodyOf({
        type: 'rollback',
        reason: 'rollback',
        id: `${betId}_y`,
        cash: 0,
        betId,
        parentId: parent,
      }),
    });
    const asked = of(one.idOf('bet'), one.betId);
    expect(outcome(await send(two.player.id, asked))).toBe('error.retry.incorrect');
    expect(outcome(await send(one.player.id, of(one.idOf('bet'), two.betId)))).toBe('error.retry.incorrect');
    expect(await one.bet(10)).toBe('OK 90 again');
  });
});

describe('permission to bet', () => {
  test('rejects bets of a banned player but accepts every settlement', async () => {
    const { player, bet, settle, back } = await table();
    await bet(10);
    await transaction(app.db, (tx) => setBanned(tx, player.id, true));
    expect(await bet(10, 'b2')).toBe('decline.player.blocked');
    expect(await settle(25, 's0')).toBe('OK 115');
    await transaction(app.db, (tx) => setBanned(tx, player.id, false));
    // The transaction with this id stays rejected permanently.
    expect(await bet(10, 'b2')).toBe('decline.player.blocked');
    expect(await back('b2')).toBe('decline.parent.failed');
  });

  test('returns a specific error for excluded players, limited players and stopped play, and restores the limits after a rollback', async () => {
    const until = new Date(Date.now() + 60_000);
    const excluded = await table();
    const put = (id: number, more: object) =>
      transaction(app.db, (tx) =>
        restrict(tx, { userId: id, excludedUntil: null, playFrom: null, limits: {}, play: null, ...more }),
      );
    await put(excluded.player.id, { excludedUntil: until, playFrom: until });
    expect(await excluded.bet(10)).toBe('decline.restrictions');
    const free = { type: 'withdrawal', reason: 'freebet', id: 'f', cash: 0 };
    expect(await excluded.says(free)).toBe('decline.restrictions');
    const limited = await table();
    await put(limited.player.id, { limits: { WAGER: { DAY: units('25') } }, play: noPlay(new Date()) });
    expect(await limited.bet(20)).toBe('OK 80');
    expect(await limited.bet(10, 'b2')).toBe('limit.exceeded');
    expect(await limited.back('bet')).toBe('OK 100');
    expect(
      await limited.says({ type: 'withdrawal', reason: 'bet', id: 'b3', cash: 25, betId: limited.idOf('n') }),
    ).toBe('OK 75');
    const { reload } = app.services.catalogue.state;
    const stopped = await table();
    const enabled = (is: boolean) =>
      app.db
        .updateTable('games')
        .set({ enabled: is })
        .where('slug', '=', 'sportsbook')
        .execute()
        .then(reload);
    await enabled(false);
    expect(await stopped.bet(10)).toBe('decline.restrictions');
    await enabled(true);
    expect(await stopped.bet(10, 'b2')).toBe('OK 90');
  });

  test('rejects a bet above the balance each time it is repeated, and returns the current balance', async () => {
    const { say, says, bet } = await table();
    const refused = await say({ type: 'withdrawal', reason: 'bet', id: 'bet', cash: '100.00000001' });
    expect(refused.body.details).toEqual({
      balances: [{ currency: 'USDT', cash: '100', locked: '0', bonus: '0' }],
    });
    expect(await says({ type: 'award', reason: 'award', id: 'a', cash: 50 })).toBe('OK 150');
    const again = await say({ type: 'withdrawal', reason: 'bet', id: 'bet', cash: '100.00000001' });
    expect([again.body.code, again.body.details.balances[0].cash]).toEqual(['decline.lowbalance', '150']);
    expect(await bet(101, 'b2')).toBe('OK 49');
  });

  test('rejects unknown players and invalid keys', async () => {
    const body = bodyOf({ type: 'withdrawal', reason: 'bet', id: 'nobody', cash: 1, betId: 'nobody' });
    for (const id of ['2147483647', '0', 'x'])
      expect(outcome(await send(id, { body }))).toBe('error.user.not-found');
    const { player } = await table();
    for (const other of ['', 'x', player.token])
      expect(outcome(await send(player.id, { body, key: other }))).toBe('401 API_KEY_INVALID');
    expect(
      outcome(await player.call('POST', `/sportsbook/external/wallet/${player.id}/transactions`, { body })),
    ).toBe('401 API_KEY_INVALID');
  });
});

describe('bonuses', () => {
  test('stores a free bet without moving money, and credits its win', async () => {
    const { says, row } = await table();
    const free = { type: 'withdrawal', reason: 'freebet', id: 'bet', cash: 0 };
    expect(await says(free, { amountBreakdown: { cash: '0', bonus: '10' } })).toBe('OK 100');
    expect(await row()).toMatchObject({ status: null, round: 'OPEN' });
    expect(await says({ type: 'deposit', reason: 'freebet-settle', id: 's', cash: 12 })).toBe('OK 112');
    expect(await row()).toMatchObject({ status: null, round: 'CLOSED', version: 1 });
    const other = await table();
    await other.says(free);
    expect(await other.settle(7, 's')).toBe('OK 107');
    expect(await other.take(2, 'r')).toBe('OK 105');
    expect(await other.take(5, 'c', 'cancelsettle')).toBe('OK 100');
    expect(await other.back('s')).toBe('OK 93');
    const mixed = await table();
    expect(await mixed.says({ ...free, cash: 4 })).toBe('OK 96');
    expect(await mixed.row()).toMatchObject({ status: 'CREATED' });
  });

  test('credits awards and releases, debits retractions up to the balance, and can reverse each of them', async () => {
    const { says, back } = await table();
    expect(await says({ type: 'award', reason: 'award', id: 'a', cash: 5 })).toBe('OK 105');
    expect(await says({ type: 'release', reason: 'bonus', id: 'r', cash: '0.00000001' })).toBe(
      'OK 105.00000001',
    );
    expect(await says({ type: 'retract', reason: 'expired', id: 't', cash: 106 })).toBe('decline.lowbalance');
    expect(await says({ type: 'retract', reason: 'expired', id: 't2', cash: 105 })).toBe('OK 0.00000001');
    expect(await back('t2')).toBe('OK 105.00000001');
    expect(await back('a')).toBe('OK 100.00000001');
  });

  test('opens a wallet for a credit in a new currency', async () => {
    const { player, idOf } = await table();
    const body = bodyOf(
      { type: 'award', reason: 'award', id: idOf('btc'), cash: '0.5' },
      { currency: 'BTC' },
    );
    expect(outcome(await send(player.id, { body }))).toBe('OK 0.5');
    const none = bodyOf({ type: 'retract', reason: 'x', id: idOf('eth'), cash: '0.5' }, { currency: 'ETH' });
    expect(outcome(await send(player.id, { body: none }))).toBe('decline.lowbalance');
  });
});

describe('the request format', () => {
  test('reads amounts exactly and rejects malformed amounts', async () => {
    const { player, idOf, betId } = await table();
    const raw = (cash: string, id: string) =>
      JSON.stringify(
        bodyOf({ type: 'withdrawal', reason: 'bet', id: idOf(id), cash: 'CASH', betId }),
      ).replace('"CASH"', cash);
    const cases: [string, string][] = [
      ['0.1', 'OK 99.9'],
      ['0.00000001', 'OK 99.89999999'],
      ['1.10000000', 'OK 98.79999999'],
      ['12.34567891', 'OK 86.45432108'],
      ['1e1', 'OK 76.45432108'],
      ['1E-3', 'OK 76.45332108'],
      ['0.000000001', 'error.request.invalid'],
      ['-1', 'error.request.invalid'],
      ['"-1"', 'error.request.invalid'],
      ['"1,5"', 'error.request.invalid'],
      ['null', 'error.request.invalid'],
      ['123456789012345678901234567890', 'error.request.invalid'],
      ['80000000000.00000001', 'decline.lowbalance'],
    ];
    for (const [n, [cash, due]] of cases.entries())
      expect(outcome(await send(player.id, { raw: raw(cash, `b${n}`) })), cash).toBe(due);
  });

  test('rejects a malformed stake request and stores nothing', async () => {
    const { player, idOf, betId } = await table();
    const good = bodyOf({ type: 'withdrawal', reason: 'bet', id: idOf('bet'), cash: 1, betId });
    const { context } = good;
    const bad: unknown[] = [
      {},
      { ...good, id: '' },
      { ...good, id: 'x'.repeat(201) },
      { ...good, currency: 'NONE' },
      { ...good, type: 'bet' },
      { ...good, type: 'Reserve' },
      { ...good, type: ' WITHDRAWAL ' },
      { ...good, createdAt: 'soon' },
      { ...good, context: { ...context, reason: 'unheard of' } },
      { ...good, context: { product: 'sport', reason: 'bet' } },
      { ...good, context: { ...context, legs: 'x'.repeat(16_384) } },
      { ...good, amountBreakdown: {} },
      { ...good, amountBreakdown: { cash: 1, locked: '-1' } },
    ];
    for (const body of bad)
      expect(outcome(await send(player.id, { body })), JSON.stringify(body).slice(0, 200)).toBe(
        'error.request.invalid',
      );
    for (const raw of ['', 'null', '[]', '{', '{"a":1,"a":2}', '{"__proto__":1}', '"\\ud800"'])
      expect(outcome(await send(player.id, { raw })), raw).toBe('error.request.invalid');
    const kept = await app.db
      .selectFrom('provider_transactions')
      .select('id')
      .where('user_id', '=', player.id)
      .execute();
    expect(kept).toEqual([]);
  });

  test('returns booked transactions with all their data, and 404 for other transactions', async () => {
    const { player, idOf, betId, bet, settle } = await table();
    const legs = [
      { event: 'Orchards – Harbour', odds: 2.5 },
      { event: 'b', odds: '1.1' },
    ];
    const body = {
      ...bodyOf({ type: 'withdrawal', reason: 'bet', id: idOf('bet'), cash: 10, betId }),
      context: { product: 'sport', reason: 'bet', betId, language: 'en', legs },
      amountBreakdown: { cash: 10, bonus: '1.50', fee: 0.25 },
    };
    expect(outcome(await send(player.id, { body }))).toBe('OK 90');
    const find = (id: string, of: number | string = player.id) =>
      app.call('GET', `/sportsbook/external/wallet/${of}/transactions/${id}`, { headers: headers() });
    const shown = {
      ...body,
      playerId: String(player.id),
      amountBreakdown: { cash: '10', locked: '0', bonus: '1.5', fee: 0.25 },
    };
    expect((await find(idOf('bet'))).body).toEqual(shown);
    expect(await bet(1000, 'refused')).toBe('decline.lowbalance');
    const other = await app.newPlayer();
    for (const answer of [
      await find('unknown'),
      await find(idOf('refused')),
      await find(idOf('bet'), other.id),
      await find(idOf('bet'), 'x'),
    ])
      expect(outcome(answer)).toBe('404 TRANSACTION_NOT_FOUND');
    const partner = await app.call(
      'GET',
      `/sportsbook/external/wallet/${player.id}/transactions/${idOf('bet')}`,
    );
    expect(outcome(partner)).toBe('401 API_KEY_INVALID');
    await settle(3, 's0');
    const asked = await app.call('POST', '/debug/sportsbook/get-bet', { body: { betId } });
    expect([asked.status, asked.body.status, asked.body.playerId]).toEqual([
      201,
      'SETTLED',
      String(player.id),
    ]);
    expect(asked.body.transactions.map((t: { id: string }) => t.id)).toEqual([idOf('bet'), idOf('s0')]);
    expect(asked.body.transactions[0]).toEqual(shown);
    const none = await app.call('POST', '/debug/sportsbook/get-bet', { body: { betId: 'none' } });
    expect(outcome(none)).toBe('404 BET_NOT_FOUND');
  });
});

describe('concurrent requests', () => {
  test('books a settlement once when fifty identical requests arrive concurrently', async () => {
    const { bet, settle, player } = await table();
    await bet(10);
    const answers = await Promise.all(Array.from({ length: 50 }, () => settle(25, 's0')));
    expect(answers.filter((answer) => answer === 'OK 115')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'OK 115 again')).toHaveLength(49);
    const { rows } = await sql<{
      cash: bigint;
    }>`select cash from wallets where user_id = ${player.id}`.execute(app.db);
    expect(rows[0]!.cash).toBe(units('115'));
  });

  test('leaves the balance unchanged after a concurrent bet and rollback', async () => {
    const player = await table();
    for (let n = 0; n < 40; n++) {
      const betId = `${player.betId}-${n}`;
      const bet = () => player.says({ type: 'withdrawal', reason: 'bet', id: `b${n}`, cash: 10, betId });
      const back = () =>
        player.says({ type: 'rollback', reason: 'rollback', id: `x${n}`, cash: 0, parentId: `b${n}`, betId });
      const both = await Promise.all(n % 2 ? [bet(), back()] : [back(), bet()]);
      expect(both.toSorted().join(), String(n)).toMatch(
        /^(OK 100,OK 90|decline.parent.notfound,error.retry.incorrect)$/,
      );
    }
    expect(await player.says({ type: 'award', reason: 'award', id: 'end', cash: 0 })).toBe('OK 100');
  });
});

describe('any order of transactions', () => {
  type Step = {
    do: 'bet' | 'settle' | 'resettle' | 'cancel' | 'back' | 'award' | 'vault';
    of: number;
    amount: number;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    do: fc.constantFrom('bet', 'settle', 'settle', 'resettle', 'cancel', 'back', 'award', 'vault'),
    of: fc.nat(5),
    amount: fc.nat(40),
  });

  /** Models a player's balance and debt. A credit pays the debt first. */
  const model = () => {
    const money = { cash: 100, owed: 0 };
    return {
      money,
      credit(amount: number) {
        const paid = Math.min(money.owed, amount);
        money.owed -= paid;
        money.cash += amount - paid;
      },
      debit(amount: number) {
        const taken = Math.min(money.cash, amount);
        money.cash -= taken;
        money.owed += amount - taken;
      },
    };
  };

  test('ends with the same cash and debts as the model, and with reconciled books', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const { player, says, betId, idOf } = await table();
        const { money, credit, debit } = model();
        /** The amounts that the executed transactions have moved, by transaction id. */
        const moved = new Map<string, number>();
        const bets = new Map<number, { payout: number }>();
        for (const [n, { do: what, of, amount }] of steps.entries()) {
          const at = { id: `t${n}`, betId: `${betId}-${of}`, cash: amount };
          const parents = [...moved.keys()];
          const parentId = parents[(of * 7 + amount) % Math.max(1, parents.length)];
          if (what === 'vault') {
            if (amount === 0 || amount > money.cash) continue;
            await intoVault(player, String(amount));
            money.cash -= amount;
            continue;
          }
          const payout = bets.get(of)?.payout ?? 0;
          const taken = what === 'cancel' ? payout : amount;
          const sent = {
            bet: { type: 'withdrawal', reason: 'bet' },
            settle: { type: 'deposit', reason: 'settle' },
            resettle: { type: 'withdrawal', reason: 'resettle' },
            cancel: { type: 'withdrawal', reason: 'cancelsettle', cash: taken },
            back: {
              type: 'rollback',
              reason: 'rollback',
              betId: undefined,
              parentId: parentId ?? `none${n}`,
            },
            award: { type: 'award', reason: 'award', betId: undefined },
          }[what];
          const answer = await says({ ...at, ...sent } as Parameters<typeof says>[0]);
          if (await unbooked(idOf(at.id))) continue;
          if (!answer.startsWith('OK')) {
            expect(answer).toMatch(
              /^(error[.](general|request[.]invalid)|decline[.](lowbalance|parent[.]\w+))$/,
            );
            continue;
          }
          if (what === 'bet') {
            debit(amount);
            bets.set(of, { payout });
            moved.set(`t${n}`, -amount);
          } else if (what === 'back') {
            const was = moved.get(parentId!)!;
            moved.delete(parentId!);
            const own = steps[Number(parentId!.slice(1))]!;
            const bet = bets.get(own.of);
            if (bet && own.do !== 'bet' && own.do !== 'award') bet.payout -= was;
            if (was > 0) debit(was);
            else credit(-was);
          } else {
            const sign = what === 'resettle' || what === 'cancel' ? -1 : 1;
            const bet = bets.get(of);
            if (bet && what !== 'award') bet.payout += sign * taken;
            moved.set(`t${n}`, sign * taken);
            if (sign > 0) credit(taken);
            else debit(taken);
          }
          expect(answer).toBe(`OK ${money.cash}`);
        }
        const owed = (await owes(player)).reduce((sum, one) => sum + one, 0n);
        expect(owed).toBe(units(String(money.owed)));
      }),
      { numRuns: 25, seed: 74 },
    );
    await app.assertInvariants();
  });
});
