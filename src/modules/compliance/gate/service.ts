import { sql } from 'kysely';
import type { GateAction } from '../../../http/route.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { lockPlayers, type Player, setRestricted } from '../../base/players/service.ts';
import { readRestrictions, storeRestrictions } from './queries.ts';
import {
  type GateFacts,
  type Restrictions,
  type ReversedUsage,
  refusalOf,
  refusalsOf,
  reverseUsage,
  type World,
} from './rules.ts';

/** What the world looks like from a country (null: unknown). From memory: ask each time, keep nothing. */
export type Outlook = (country: string | null) => World;

/** Whoever wants to do something, and what is known besides. */
export type Asked = { action: GateAction; userId: number; country: string | null } & Partial<
  Pick<GateFacts, 'depositedUsd' | 'depositKycTier' | 'withdrawal'>
>;

export type Gate = ReturnType<typeof createGate>;

/**
 * The gate that protects players: whoever lets money in or starts play asks it, under the player's lock. Bets ask it in their
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
  };
}

/** What restricts a player; undefined: nothing ever has. */
export const findRestrictions = async (db: DbOrTx, userId: number): Promise<Restrictions | undefined> =>
  (await readRestrictions(db, [userId])).get(userId);

/** The same of many, by their ids. */
export const restrictionsOf = (db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Restrictions>> =>
  readRestrictions(db, userIds);

/** The same of anybody. */
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

/** The moment that everything of a transaction bears: asked for once. */
export async function transactionTime(tx: DbOrTx): Promise<Date> {
  const known = times.get(tx);
  if (known) return known;
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(tx);
  const { at } = rows[0]!;
  if (tx.isTransaction) times.set(tx, at);
  return at;
}
