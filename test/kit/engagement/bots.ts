import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { insertRows } from '../../../src/modules/engagement/bot-activity/queries.ts';
import { timeOf } from '../../../src/modules/engagement/bot-activity/rules.ts';
import { type Player, type StartOptions, startApp, type TestApp } from '../app.ts';

export const EVERY_DAY = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

/** Returns the settings of a bot that plays dice every day, starting in the current minute. */
export function fromNow(fields: object = {}) {
  const now = new Date();
  const startTime = timeOf(now.getUTCHours() * 60 + now.getUTCMinutes());
  return {
    type: 'HOUSE_GAME',
    behavior: 'AGGRESSIVE',
    playDays: EVERY_DAY,
    isActive: true,
    games: ['dice'],
    startTime,
    ...fields,
  };
}

export type Account = { id: number; username: string; email: string; password: string };

/** Starts the main API with a superadmin and helpers for bot accounts. */
export async function startBots(options: StartOptions = {}) {
  const app = await startApp(options);
  return botsOf(app, await app.as('superadmin'));
}

export function botsOf(app: TestApp, boss: Player) {
  /** Creates an unused account. */
  const newAccount = async (): Promise<Account> => {
    const username = `b_${randomBytes(7).toString('hex')}`;
    const body = {
      username,
      email: `${username}@mail.example`,
      password: `pw ${randomBytes(9).toString('hex')}`,
    };
    const made = await boss.call('POST', '/admin/user/admin-user', { body });
    expect(made.status).toBe(201);
    return { ...body, id: made.body.id };
  };
  const toggle = (userId: number, isBot: boolean, by = boss) =>
    by.call('PATCH', '/admin/bot-activity/bot-toggle', { body: { userId, isBot } });
  const newBot = async (): Promise<Account> => {
    const account = await newAccount();
    expect((await toggle(account.id, true)).status).toBe(200);
    return account;
  };
  const manage = (body: object, by = boss) => by.call('POST', '/admin/bot-activity/manage', { body });
  const change = (body: object, by = boss) => by.call('PATCH', '/admin/bot-activity/manage', { body });
  return {
    ...app,
    app,
    boss,
    newAccount,
    newBot,
    toggle,
    manage,
    change,
    /** Creates a bot that plays from now on. */
    async newActiveBot(fields: object = {}): Promise<Account> {
      const bot = await newBot();
      expect((await manage({ userId: bot.id, ...fromNow(fields) })).status).toBe(201);
      return bot;
    },
    /** Stores one-dollar dice rows for a bot, oldest first. */
    showRows: (userId: number, count: number) =>
      insertRows(
        app.services.db,
        Array.from({ length: count }, () => ({
          userId,
          gameId: 1,
          currencyId: 'USDT',
          amount: 100_000_000n,
          payout: 198_000_000n,
          usdAmount: 100_000_000n,
          usdPayout: 198_000_000n,
        })),
      ),
    rowsOf: (userId: number) =>
      app.db.selectFrom('simulated_bets').selectAll().where('user_id', '=', userId).orderBy('id').execute(),
  };
}
