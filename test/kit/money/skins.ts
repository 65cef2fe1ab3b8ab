import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type Answer, type CallOptions, type Player, startApp, type TestApp } from '../app.ts';
import { startOutside } from '../http/outside.ts';
import { notify } from './webhooks.ts';

export type Skins = Awaited<ReturnType<typeof startSkins>>;
export type SkinTrade = { reference: string; transactionId: string; status: string };

export const SKINS_SECRET = 'sandbox-skins-webhook-secret';
export const SKINS_PATH = '/webhooks/skins/sandbox';

/** Starts two processes of the platform and the sandbox's skin marketplace. Returns helpers for players who sell skins there. */
export async function startSkins(env: Record<string, string> = {}) {
  const outside = await startOutside();
  const app = await startApp({ env: { ...outside.env, ...env } });
  const second = await startApp({ env: { ...outside.env, ...env }, database: app.database });
  outside.setApi(app.url);

  /** Creates a player who may sell skins. */
  const seller = async (): Promise<Player> => {
    const player = await app.newPlayer();
    const platform_id = `7656119${randomBytes(5).readUIntBE(0, 4).toString().padStart(10, '0')}`;
    const platform_trade_link = 'https://platform.example/tradeoffer/new/?partner=1&token=a';
    await app.db
      .updateTable('users')
      .set({ platform_id, platform_trade_link })
      .where('id', '=', player.id)
      .execute();
    return player;
  };
  const start = (player: Player, fields: object = {}, { headers = {} }: CallOptions = {}, through = app) =>
    through.call('POST', '/payments/skins/deposit', {
      token: player.token,
      body: { currencyId: 'USDT', game: 'cs2', ...fields },
      headers,
    });
  /** Opens a marketplace session, by default for a new player. */
  const opened = async (fields: object = {}, player?: Player) => {
    const owner = player ?? (await seller());
    const answer = await start(owner, fields);
    expect(answer.status).toBe(201);
    const { depositId, transactionId } = answer.body as { depositId: string; transactionId: string };
    return { player: owner, depositId, transactionId };
  };
  /** Sends a signed webhook from the marketplace. */
  const say = (
    transactionId: string,
    status: string,
    fields: object = {},
    through: TestApp = app,
  ): Promise<Answer> => {
    const occurredAt = new Date().toISOString();
    const body = { transactionId, status, usdAmount: '50', occurredAt, ...fields };
    return notify(through, SKINS_PATH, body, { secret: SKINS_SECRET });
  };
  const restrict = async ({ id }: Player, values: { excluded_until?: Date; limits?: object }) => {
    const limits = JSON.stringify(values.limits ?? {});
    const row = { user_id: id, excluded_until: values.excluded_until ?? null, limits };
    await app.db.insertInto('restrictions').values(row).execute();
    await app.db.updateTable('players').set({ is_restricted: true }).where('user_id', '=', id).execute();
  };
  return {
    app,
    second,
    exclude: (player: Player) => restrict(player, { excluded_until: new Date(Date.now() + 86_400_000) }),
    /** Sets the daily deposit limit in US dollars × 10^8. */
    limit: (player: Player, usd: string) => restrict(player, { limits: { DEPOSIT: { DAY: usd } } }),
    /** Returns the row of a deposit. */
    row: (id: string) =>
      app.db.selectFrom('skin_deposits').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    outside,
    seller,
    start,
    opened,
    say,
    /** Returns a deposit as the API shows it to the player. */
    seen: async (player: Player, id: string) =>
      (await player.call('GET', `/payments/skins/deposit/${id}`)).body,
    trades: async (): Promise<SkinTrade[]> =>
      (await (await fetch(`${outside.url}/skins/trades.json`)).json()) as SkinTrade[],
    /** Advances a trade at the sandbox's marketplace. */
    advance: async (transactionId: string, change: object): Promise<void> => {
      const body = JSON.stringify({ transactionId, ...change });
      const answer = await fetch(`${outside.url}/skins/advance`, { method: 'POST', body });
      expect(answer.status).toBe(200);
    },
    async stop() {
      await second.stop();
      await app.stop();
      await outside.close();
    },
  };
}
