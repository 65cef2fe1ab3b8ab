import { sql } from 'kysely';
import { type CountrySet, countrySetOf } from '../../../platform/countries/rules.ts';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import { lockPlayers, type Player, readPlayers, setRestricted } from '../../base/players/service.ts';
import { readRestrictions, storeRestrictions } from './queries.ts';
import {
  CLOSED_BY_COUNTRY,
  type GatedAction,
  type GateFacts,
  type Outlook,
  type Restrictions,
  type ReversedUsage,
  refusalOf,
  refusalsOf,
  reverseUsage,
} from './rules.ts';

/** Returns the stored countries of players, or undefined while no country is blocked. */
type StoredCountries = (
  tx: DbOrTx,
  userIds: readonly number[],
) => Promise<ReadonlyMap<number, CountrySet>> | undefined;

/**
 * The action to check, the player and further facts. `country` is the country of the request's address; the gate adds the stored countries.
 */
export type Asked = { action: GatedAction; userId: number; country: CountrySet } & Partial<
  Pick<GateFacts, 'depositedUsd' | 'depositKycTier' | 'withdrawal'>
>;

type Place = Pick<Asked, 'userId' | 'country'>;

export { readRestrictions } from './queries.ts';

export type Gate = ReturnType<typeof createGate>;

/**
 * The gate that protects players. While the player is locked, it is checked before money is accepted or play starts. Bets check the same
 * rules in their batch (games/betting/batch.ts).
 */
export function createGate(deps: GateDeps) {
  const { outlook, storedCountries } = deps;
  const factsOf = async (tx: Tx, asked: Asked): Promise<{ player: Player; facts: GateFacts }> => {
    const { userId, country: _country, action, ...more } = asked;
    const player = (await lockPlayers(tx, [userId])).get(userId);
    if (!player) throw new Error(`user ${userId} is no player`);
    const restrictions = player.isRestricted ? await findRestrictions(tx, userId) : undefined;
    const at = await transactionTime(tx);
    const [countries = null] = await countriesOf(tx, deps, action, [asked]);
    const { isBanned } = player;
    return { player, facts: { ...outlook(countries), ...more, at, isBanned, restrictions } };
  };
  return {
    outlook,

    /** Locks the player. Throws the first error that applies to the action. */
    async assertMay(tx: Tx, asked: Asked): Promise<Player> {
      const { player, facts } = await factsOf(tx, asked);
      const refusal = refusalOf(asked.action, facts);
      if (refusal) throw refusal;
      return player;
    },

    /** Returns all errors that currently apply to an action. Locks the player. */
    async refusals(tx: Tx, asked: Asked) {
      const { facts } = await factsOf(tx, asked);
      return refusalsOf(asked.action, facts);
    },

    /** Returns the players who are linked to a blocked country. */
    async geoBlockedAmong(tx: DbOrTx, userIds: readonly number[]): Promise<Set<number>> {
      const stored = await storedCountries(tx, userIds);
      return new Set(userIds.filter((id) => outlook(stored?.get(id) ?? null).isGeoBlocked));
    },

    /**
     * Returns the first error for each player. Takes no lock, so it may miss a concurrent change. Use it only for actions that neither move
     * money nor start play.
     */
    look: (tx: Tx, action: GatedAction, asked: readonly Place[]) => look(tx, deps, action, asked),
  };
}

export type GateDeps = { outlook: Outlook; storedCountries: StoredCountries };

/** Returns each player's countries: the country of the request, plus the stored ones if the action is prevented in blocked countries. */
async function countriesOf(
  tx: Tx,
  { storedCountries }: GateDeps,
  action: GatedAction,
  asked: readonly Place[],
): Promise<CountrySet[]> {
  const ids = asked.map(({ userId }) => userId);
  const stored = CLOSED_BY_COUNTRY.has(action) ? await storedCountries(tx, ids) : undefined;
  return asked.map(({ userId, country }) => countrySetOf([country, stored?.get(userId) ?? null]));
}

async function look(
  tx: Tx,
  deps: GateDeps,
  action: GatedAction,
  asked: readonly Place[],
): Promise<(AppError | undefined)[]> {
  const ids = asked.map(({ userId }) => userId);
  const [players, at, countries] = await Promise.all([
    readPlayers(tx, ids),
    transactionTime(tx),
    countriesOf(tx, deps, action, asked),
  ]);
  const restricted = ids.filter((id) => players.get(id)?.isRestricted);
  const restrictions = restricted.length > 0 ? await readRestrictions(tx, restricted) : new Map();
  return asked.map(({ userId }, i) => {
    const player = players.get(userId);
    if (!player) throw new Error(`user ${userId} is no player`);
    const facts = { at, isBanned: player.isBanned, restrictions: restrictions.get(userId) };
    return refusalOf(action, { ...deps.outlook(countries[i]!), ...facts });
  });
}

/** Returns a player's restrictions, or undefined if the player never had any. */
export const findRestrictions = async (db: DbOrTx, userId: number): Promise<Restrictions | undefined> =>
  (await readRestrictions(db, [userId])).get(userId);

/** Returns a player's restrictions. They are empty if the player never had any. */
export const getRestrictions = async (db: DbOrTx, userId: number): Promise<Restrictions> =>
  (await findRestrictions(db, userId)) ?? {
    userId,
    excludedUntil: null,
    playFrom: null,
    limits: {},
    play: null,
  };

/** Replaces a player's restrictions. The new ones apply from the player's next request. The player must be locked. */
export async function restrict(tx: Tx, restrictions: Restrictions): Promise<void> {
  await storeRestrictions(tx, restrictions);
  await setRestricted(tx, restrictions.userId);
}

/** Removes a bet from the player's usage of limits. The player must be locked. */
export async function giveBack(tx: Tx, userId: number, bet: ReversedUsage): Promise<void> {
  const restrictions = await findRestrictions(tx, userId);
  if (restrictions?.play)
    await storeRestrictions(tx, { ...restrictions, play: reverseUsage(restrictions.play, bet) });
}

const times = new WeakMap<DbOrTx, Date>();

/** Returns the time of a transaction, which is read only once per transaction. */
export async function transactionTime(tx: DbOrTx): Promise<Date> {
  const known = times.get(tx);
  if (known) return known;
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(tx);
  const { at } = rows[0]!;
  if (tx.isTransaction) times.set(tx, at);
  return at;
}
