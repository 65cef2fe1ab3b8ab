/** A provider that calls the wallet service directly, without a dialect. */
import { sql } from 'kysely';
import { lockPlayers } from '../../../src/modules/base/players/service.ts';
import type {
  Action,
  Policy,
  WalletCall,
  WalletResponse,
} from '../../../src/modules/games/seamless-wallet/engine/call.ts';
import { createSession } from '../../../src/modules/games/seamless-wallet/engine/sessions.ts';
import type { KnownProvider } from '../../../src/modules/games/seamless-wallet/providers/provider.ts';
import { createProviderWallets } from '../../../src/modules/games/seamless-wallet/providers/wallet.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import type { TestApp } from '../app.ts';
import { newGame, newProvider } from './catalogue.ts';

export const GENERIC: Policy = {
  repeatShows: 'then',
  rollsBackEnded: false,
  rollsBackWins: false,
  rollsBackWon: true,
  tombstone: 'TRANSACTION_CONFLICT',
  winsName: false,
};
export const HUB88: Policy = {
  ...GENERIC,
  rollsBackEnded: true,
  rollsBackWins: true,
  tombstone: 'ROLLED_BACK',
  winsName: true,
};
export const SOFTSWISS: Policy = {
  ...GENERIC,
  repeatShows: 'now',
  rollsBackEnded: true,
  rollsBackWins: true,
  tombstone: 'OK',
};
export const PRAGMATIC: Policy = {
  ...GENERIC,
  repeatShows: 'now',
  rollsBackWon: false,
  tombstone: 'ROUND_CLOSED',
};

export type Said = Partial<Action> & { type: Action['type']; id: string };

/** Functions that build a provider's calls with amounts in USDT. */
export const bet = (id: string, usdt: number): Said => ({ type: 'BET', id, amount: units(String(usdt)) });
export const win = (id: string, usdt: number, reference?: string): Said => ({
  type: 'WIN',
  id,
  amount: units(String(usdt)),
  ...(reference !== undefined && { reference }),
});
export const back = (id: string, reference: string): Said => ({
  type: 'ROLLBACK',
  id,
  amount: 0n,
  reference,
});

/** Creates a provider with one game. The provider's wallet uses the given policy. `second` is another process on the same database. */
export async function openLab(
  app: TestApp,
  policy: Policy,
  { isPlayable = () => true, second = app }: { isPlayable?: () => boolean; second?: TestApp } = {},
) {
  const { id: providerId } = await newProvider(app);
  const { id: gameId } = await newGame(app, { provider_id: providerId });
  const provider = {
    id: providerId,
    slug: `lab-${providerId}`,
    policy,
    actions: [''],
    verify: () => true,
    read: (_: string, raw: Buffer) => ({ call: callIn(raw), context: undefined }),
    answer: (_: string, body: WalletResponse) => ({ status: 200, body }),
  } as unknown as KnownProvider;
  const { db } = app;
  const game = () => ({ id: gameId, isPlayable: isPlayable(), edgePpm: 40_000 });
  const bettable = { find: game, get: game };
  const walletOf = ({ services, db }: TestApp) =>
    createProviderWallets({ ...services, db, getProvider: () => provider, bettable });
  const [wallet, other] = [walletOf(app), walletOf(second)];
  return {
    provider,
    providerId,
    /** Creates a player with a live launch, and returns functions that call the wallet for them. */
    async seat(usdt: number) {
      const player = await app.newPlayer({ usdt });
      const { token } = await transaction(db, async (tx) => {
        await lockPlayers(tx, [player.id]);
        const { rows } = await sql<{ id: string }>`
          select id from sessions where user_id = ${player.id} limit 1`.execute(tx);
        const place = { country: null, countries: null };
        const session = { userId: player.id, providerId, gameId, currencyId: 'USDT', ...place };
        return createSession(tx, { ...session, device: 'DESKTOP', sessionId: rows[0]!.id });
      });
      const common = { playerId: String(player.id), token, gameCode: 'slot', currencyId: 'USDT' };
      const callOf =
        (at: typeof wallet) =>
        async (actions: readonly Said[], more: Partial<WalletCall> = {}) => {
          const raw = textOf({ ...common, round: 'r1', closes: false, actions, ...more });
          return (await at.receive('lab', '', { raw, headers: {} })).body as WalletResponse;
        };
      const call = callOf(wallet);
      /** Returns a summary of the response: its status and the remaining balance. */
      const says = async (...args: Parameters<typeof call>) => {
        const { status, balance } = await call(...args);
        return `${status} ${balance === null ? null : formatUnits(balance)}`;
      };
      return { player, token, call, elsewhere: callOf(other), says };
    },
  };
}

const textOf = (call: object) =>
  Buffer.from(JSON.stringify(call, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
const callIn = (raw: Buffer): WalletCall =>
  JSON.parse(raw.toString(), (key, value) => (key === 'amount' ? BigInt(value) : value));
