import { expect, test } from 'vitest';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import { act, newTipper, outcomeOf, startTips, tip } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { deadlocksIn } from '../../../../test/kit/processes/deadlocks.ts';
import { units } from '../../../platform/money.ts';

/** The timeouts are long, because hundreds of requests wait for a connection, possibly on a busy machine. */
const env = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
const app = fixture(() => startTips({ env }));
const second = fixture(() => startTips({ database: app.database, env }));

const PLAYERS = 50;
/** Returns the amounts that a player has sent and received today, in US dollars. */
const dayOf = async ({ id }: Player) => {
  const { rows } = await app.sql<{ sent: string; received: string }>`
    select coalesce(sum(sent_usd), 0)::text as sent, coalesce(sum(received_usd), 0)::text as received from tip_days where user_id = ${id}`.execute(
    app.db,
  );
  return [BigInt(rows[0]!.sent), BigInt(rows[0]!.received)] as const;
};

test('keeps totals and limits exact when 50 players send 500 tips concurrently through two processes', async () => {
  const players: Player[] = [];
  for (let i = 0; i < PLAYERS; i++) players.push(await newTipper(app, 500));
  // Turnover from a received tip would block the recipient's next tip.
  const boss = await app.as('superadmin');
  const settings = { tips: { recipientTurnoverPercent: 0 } };
  expect((await boss.call('PATCH', '/admin/config/COMMON', { body: settings })).status).toBe(200);
  await expect.poll(() => second.services.siteConfig.get('COMMON').tips.recipientTurnoverPercent).toBe(0);

  const amountOf = (i: number) => 7 + (i % 13);
  const send = (i: number) => {
    const [sender, recipient] = [players[i % PLAYERS]!, players[(i + 1) % PLAYERS]!];
    const door = i % 2 === 0 ? app : second;
    const call = (method: string, path: string, options = {}) =>
      door.call(method, path, { token: sender.token, ...options });
    return tip({ call: call as Player['call'] }, recipient, { amount: String(amountOf(i)) });
  };
  const before = await deadlocksIn(app.db);
  const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => send(i)));
  expect(await deadlocksIn(app.db)).toBe(before);
  const outcomes = answers.map(outcomeOf);
  expect([...new Set(outcomes)].sort()).toEqual(['201', '403 TIP_LIMIT_REACHED']);

  const sums = { sent: Array<number>(PLAYERS).fill(0), received: Array<number>(PLAYERS).fill(0) };
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome !== '201') continue;
    sums.sent[i % PLAYERS]! += amountOf(i);
    sums.received[(i + 1) % PLAYERS]! += amountOf(i);
  }
  for (const [i, player] of players.entries()) {
    const [sent, received] = await dayOf(player);
    expect([sent, received]).toEqual([units(String(sums.sent[i])), units(String(sums.received[i]))]);
    expect(sent <= units('100') && received <= units('100')).toBe(true);
    expect(await cashOf(player)).toBe(String(500 - sums.sent[i]! + sums.received[i]!));
  }
  // Every rejected tip exceeded the remaining limit of the sender or of the recipient.
  for (const [i, outcome] of outcomes.entries())
    if (outcome !== '201')
      expect(
        sums.sent[i % PLAYERS]! + amountOf(i) > 100 || sums.received[(i + 1) % PLAYERS]! + amountOf(i) > 100,
      ).toBe(true);
}, 240_000);

test('books only one of a hundred concurrent tips that each use the whole balance', async () => {
  const sender = await newTipper(app, 51);
  await act(app, sender, 'SET_VIP_LEVEL', { level: 3 });
  const recipients = [await newTipper(app), await newTipper(app), await newTipper(app)];
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => tip(sender, recipients[i % 3]!, { amount: '49' })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === 'INSUFFICIENT_BALANCE')).toHaveLength(99);
  const cash = await Promise.all([sender, ...recipients].map((player) => cashOf(player)));
  expect(cash.sort()).toEqual(['0', '0', '2', '49']);
});
