import type { z } from 'zod';
import type { Db } from '../../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { balancesOf } from '../../../money/ledger/balances.ts';
import { userIdOf } from '../engine/rules.ts';
import { sportsbookErrors } from './errors.ts';
import type { SportsbookBalance } from './schemas.ts';

type Balance = z.input<typeof SportsbookBalance>;

/** Returns a player's balances in known currencies, or in all that they ever had. Throws 400 error.user.not-found. */
export async function balancesIn(
  { db, currencies }: { db: Db; currencies: Pick<Currencies, 'ids'> },
  playerId: string,
  wanted: readonly string[] | undefined,
): Promise<Balance[]> {
  const held = await balancesOf(db, await getUserId(db, playerId));
  if (!wanted) return held.map(({ currencyId, cash }) => balanceOf(currencyId, cash));
  const known = new Set(currencies.ids());
  return [...new Set(wanted)]
    .filter((id) => known.has(id))
    .map((id) => balanceOf(id, held.find(({ currencyId }) => currencyId === id)?.cash ?? 0n));
}

export const balanceOf = (currency: string, cash: Units): Balance => ({
  currency,
  cash: formatUnits(cash),
  locked: '0',
  bonus: '0',
});

/** Returns the id of a player. Throws 400 error.user.not-found. */
export async function getUserId(db: Db, playerId: string): Promise<number> {
  const userId = userIdOf(playerId);
  const player =
    userId !== undefined &&
    (await db.selectFrom('players').select('user_id').where('user_id', '=', userId).executeTakeFirst());
  if (!player) throw sportsbookErrors['error.user.not-found']();
  return player.user_id;
}
