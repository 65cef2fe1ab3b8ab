import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mainRoutes } from '../src/app/apps.ts';
import type { GateAction, Route } from '../src/http/route.ts';
import { CLOSED_BY_EXCLUSION } from '../src/modules/compliance/gate/rules.ts';
import { codeOf } from './kit/accounts/accounts.ts';
import { type Answer, betOnDice, cashOf, DICE, type Player, startApp, type TestApp } from './kit/app.ts';
import { newPromo, PROMO_STAFF } from './kit/engagement/promo.ts';
import { fixture } from './kit/fixture.ts';
import { newGame } from './kit/games/catalogue.ts';
import { startOutside } from './kit/http/outside.ts';
import { sampleRequest } from './kit/http/samples.ts';

let one: TestApp;
let two: TestApp;
const outside = fixture(startOutside);
beforeAll(async () => {
  const env = { ...outside.env, BET_DEADLINE_MS: '20000', DATABASE_STATEMENT_TIMEOUT_MS: '20000' };
  one = await startApp({ env });
  two = await startApp({ env, database: one.database, reconcileOnStop: false });
  const terms = { type: 'DEPOSIT', conditions: { minVipLevel: 50 } };
  expect(await newPromo(await one.as(PROMO_STAFF), terms)).toBe('1000');
  await one.newPlayer({ username: 'tipped' });
  await newGame(one, { slug: 'slot', provider_id: one.services.gameProviders.get('sandbox').id });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

const exclude = (player: Player) =>
  player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });

/** Paths and bodies that pass all checks before the gate. The samples built from the schemas do not pass these checks. */
const REQUESTS: Readonly<Record<string, { path?: string; body?: object }>> = {
  'POST /casino/games/house/dice/bet': { body: DICE },
  'POST /casino/games/house/dice/series': { body: { ...DICE, count: 1 } },
  'GET /payments/deposit/address': { path: '/payments/deposit/address?currencyId=USDT&networkId=tron' },
  'POST /casino/games/{slug}/launch': { path: '/casino/games/slot/launch', body: { currencyId: 'USDT' } },
  'POST /payments/skins/deposit': { body: { currencyId: 'USDT', game: 'cs2' } },
  // Redeems the first promotion, whose minimum exceeds the player's balance.
  'POST /promo/redeem': { body: { promoId: '1000' } },
  'POST /user-tips': { body: { recipientUsername: 'tipped', currencyId: 'USDT', amount: '2' } },
};
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const ofPlayers = (isWanted: (action: GateAction) => boolean) =>
  mainRoutes(one.services).filter(({ access, gate }) => access === 'auth' && gate && isWanted(gate));
const send = (app: TestApp, r: Route, { token }: Player): Promise<Answer> => {
  const request = { ...sampleRequest(r), ...REQUESTS[nameOf(r)] };
  return app.call(r.method, request.path, { token, body: request.body });
};

describe('a self-exclusion', () => {
  test('closes every route for deposits or for starting play in both processes once the exclusion is committed', async () => {
    const routes = ofPlayers((action) => CLOSED_BY_EXCLUSION.includes(action));
    expect(routes.map(nameOf)).toContain('POST /casino/games/house/dice/bet');
    const player = await one.newPlayer({ usdt: 100 });
    // Before the exclusion, no request may fail with the exclusion error.
    const before = await Promise.all(routes.map((r) => send(two, r, player)));
    expect(routes.filter((_, i) => codeOf(before[i]!) === '403 SELF_EXCLUDED').map(nameOf)).toEqual([]);
    expect(codeOf(await exclude(player))).toBe('201');
    const doors = [one, two].flatMap((app) => routes.map((r) => ({ app, r })));
    const answers = await Promise.all(doors.map(({ app, r }) => send(app, r, player)));
    const open = doors.flatMap(({ r }, i) =>
      codeOf(answers[i]!) === '403 SELF_EXCLUDED' ? [] : [`${nameOf(r)}: ${codeOf(answers[i]!)}`],
    );
    expect(open).toEqual([]);
  });

  test('keeps the vault, withdrawals and the completion of an open round available', async () => {
    const player = await one.newPlayer({ usdt: 10 });
    await exclude(player);
    const routes = ofPlayers((action) => ['vault', 'withdraw', 'finish'].includes(action));
    for (const r of routes)
      expect(codeOf(await send(two, r, player)), nameOf(r)).not.toMatch(/SELF_EXCLUDED/);
    const move = (way: string) =>
      player.call('POST', `/accounting/${way}`, { body: { currencyId: 'USDT', amount: '4' } });
    expect([codeOf(await move('to-vault')), codeOf(await move('from-vault'))]).toEqual(['201', '201']);
    expect(await cashOf(player)).toBe('10');
    const asked = { userId: player.id, country: null };
    const codes = (action: GateAction) =>
      one.db.transaction().execute(async (tx) => {
        const refusals = await two.services.gate.refusals(tx, { ...asked, action });
        return refusals.map(({ code }) => code);
      });
    for (const action of ['vault', 'withdraw', 'finish', 'staff', 'none'] as const)
      expect(await codes(action), action).toEqual([]);
  });

  test('keeps the session, the profile and the exclusion readable', async () => {
    const player = await one.newPlayer();
    await exclude(player);
    for (const app of [one, two])
      for (const path of ['/user/me', '/user-limits/self-exclusion', '/user-limits/gambling-limits', '/bets'])
        expect((await app.call('GET', path, { token: player.token })).status, path).toBe(200);
  });

  test('accepts no bet after the exclusion is committed, in 10 attempts in two processes', async () => {
    const before: number[] = [];
    for (let round = 0; round < 10; round++) {
      const player = await one.newPlayer({ usdt: 100 });
      let isOver = false;
      const bets = async (app: TestApp) => {
        while (!isOver) {
          const body = { ...DICE, betAmount: '0.01' };
          const answer = await app.call('POST', '/casino/games/house/dice/bet', {
            token: player.token,
            body,
          });
          if (answer.status !== 201) return codeOf(answer);
        }
        return 'stopped';
      };
      const excluding = async () => {
        // Varies when the exclusion takes effect relative to the batches.
        await betOnDice(player, { betAmount: '0.01' });
        await new Promise((resolve) => setTimeout(resolve, 3 * round));
        expect(codeOf(await exclude(player))).toBe('201');
      };
      const loops = Array.from({ length: 8 }, (_, i) => bets(i % 2 ? one : two));
      const [, ...answers] = await Promise.all([excluding(), ...loops]).finally(() => {
        isOver = true;
      });
      expect(answers).toEqual(Array(8).fill('403 SELF_EXCLUDED'));
      const { rows } = await sql<{ late: number; begun: number; bets: number }>`
        select count(*) filter (where pg_xact_commit_timestamp(b.xmin) >= e.at)::int as late,
          count(*) filter (where b.created_at >= e.at)::int as begun, count(*)::int as bets
        from bets b, (select pg_xact_commit_timestamp(xmin) as at from exclusions where user_id = ${player.id}) e
        where b.user_id = ${player.id}`.execute(one.db);
      expect(rows[0]).toMatchObject({ late: 0, begun: 0 });
      before.push(rows[0]!.bets);
    }
    expect(Math.min(...before)).toBeGreaterThan(0);
    expect(before.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(100);
  });
});
