import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import { lockPlayers, type Player, readPlayers, setRestricted } from '../../base/players/service.ts';
import { readRestrictions, storeRestrictions } from './queries.ts';
import {
  type GatedAction,
  type GateFacts,
  type Restrictions,
  type ReversedUsage,
  refusalOf,
  refusalsOf,
  reverseUsage,
  type World,
} from './rules.ts';

/** What holds in a country (null: unknown). From memory: ask each time, store nothing. */
export type Outlook = (country: string | null) => World;

/** Who wants to do what from where, and what else is known. */
export type Asked = { action: GatedAction; userId: number; country: string | null } & Partial<
  Pick<GateFacts, 'depositedUsd' | 'depositKycTier' | 'withdrawal'>
>;

export { readRestrictions } from './queries.ts';

export type Gate = ReturnType<typeof createGate>;

/**
 * The gate that protects players: asked under the player's lock before money comes in or play starts. Bets ask it in their
 * batch (games/betting/batch.ts), with the same rules.
 */
export function createGate({ outlook }: { outlook: Outlook }) {
  const factsOf = async (tx: Tx, asked: Asked): Promise<{ player: Player; facts: GateFacts }> => {
    const { userId, country, action: _, ...more } = asked;
    const player = (await lockPlayers(tx, [userId])).get(userId);
    if (!player) throw new Error(`user ${userId} is no player`);
    const restrictions = player.isRestricted ? await findRestrictions(tx, userId) : undefined;
    const at = await transactionTime(tx);
    return { player, facts: { ...outlook(country), ...more, at, isBanned: player.isBanned, restrictions } };
  };
  return {
    outlook,

    /** Locks the player. Throws the first refusal. */
    async assertMay(tx: Tx, asked: Asked): Promise<Player> {
      const { player, facts } = await factsOf(tx, asked);
      const refusal = refusalOf(asked.action, facts);
      if (refusal) throw refusal;
      return player;
    },

    /** Everything that speaks against an action at the moment; locks the player. */
    async refusals(tx: Tx, asked: Asked) {
      const { facts } = await factsOf(tx, asked);
      return refusalsOf(asked.action, facts);
    },

    /**
     * The first refusal of each of many players, without a lock: what is decided at the same moment may be missed. For what moves no money and
     * starts no play.
     */
    async look(
      tx: Tx,
      action: GatedAction,
      asked: readonly { userId: number; country: string | null }[],
    ): Promise<(AppError | undefined)[]> {
      const ids = asked.map(({ userId }) => userId);
      const [players, at] = await Promise.all([readPlayers(tx, ids), transactionTime(tx)]);
      const restricted = ids.filter((id) => players.get(id)?.isRestricted);
      const restrictions = restricted.length > 0 ? await readRestrictions(tx, restricted) : new Map();
      return asked.map(({ userId, country }) => {
        const player = players.get(userId);
        if (!player) throw new Error(`user ${userId} is no player`);
        const { isBanned } = player;
        return refusalOf(action, {
          ...outlook(country),
          at,
          isBanned,
          restrictions: restrictions.get(userId),
        });
      });
    },
  };
}

/** What restricts a player; undefined: nothing ever has. */
export const findRestrictions = async (db: DbOrTx, userId: number): Promise<Restrictions | undefined> =>
  (await readRestrictions(db, [userId])).get(userId);

/** The same, with empty restrictions for a player without any. */
export const getRestrictions = async (db: DbOrTx, userId: number): Promise<Restrictions> =>
  (await findRestrictions(db, userId)) ?? {
    userId,
    excludedUntil: null,
    playFrom: null,
    limits: {},
    play: null,
  };

/** Replaces a player's restrictions, from their next request on. The player must be locked. */
export async function restrict(tx: Tx, restrictions: Restrictions): Promise<void> {
  await storeRestrictions(tx, restrictions);
  await setRestricted(tx, restrictions.userId);
}

/** Reverses a bet's usage of the player's limits. The player must be locked. */
export async function giveBack(tx: Tx, userId: number, bet: ReversedUsage): Promise<void> {
  const restrictions = await findRestrictions(tx, userId);
  if (restrictions?.play)
    await storeRestrictions(tx, { ...restrictions, play: reverseUsage(restrictions.play, bet) });
}

const times = new WeakMap<DbOrTx, Date>();

/** The time of a transaction, read once. */
export async function transactionTime(tx: DbOrTx): Promise<Date> {
  const known = times.get(tx);
  if (known) return known;
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(tx);
  const { at } = rows[0]!;
  if (tx.isTransaction) times.set(tx, at);
  return at;
}
