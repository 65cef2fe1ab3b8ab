import type { SelectQueryBuilder } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import type { DB } from '../../../platform/database/tables.ts';
import { inOrderOf } from '../../../platform/list/page.ts';
import { formatUnits } from '../../../platform/money.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import { picturesOf } from '../covers/rules.ts';
import { shownMultiplier, whyNotCounted } from './rules.ts';
import type { AdminBetRow, BetRow } from './schemas.ts';
import { asTheyStand } from './versions.ts';

/** Adds the columns of bets and games that all lists return. */
export function withGame<O>(query: SelectQueryBuilder<DB, 'bets', O>) {
  return query
    .innerJoin('games', 'games.id', 'bets.game_id')
    .select([
      'bets.id',
      'bets.status',
      'bets.currency_id',
      'bets.amount',
      'bets.payout',
      'bets.usd_amount',
      'bets.usd_payout',
      'bets.created_at',
      'bets.updated_at',
      'is_corrected',
      'bets.settled_at',
      'bets.window_id',
      'bets.game_id',
      'games.slug',
      'games.name',
      'games.type',
      'games.images',
      'games.custom_images',
      'games.provider_name',
    ]);
}

export type Row = Awaited<ReturnType<ReturnType<typeof withGame<object>>['executeTakeFirstOrThrow']>>;

export function toRow(row: Row): Omit<z.input<typeof BetRow>, 'bonus'> {
  return {
    id: String(row.id),
    status: row.status as z.input<typeof BetRow>['status'],
    currencyId: row.currency_id,
    amount: formatUnits(row.amount),
    payout: formatUnits(row.payout),
    usdAmount: formatUnits(row.usd_amount),
    usdPayout: formatUnits(row.usd_payout),
    multiplier: shownMultiplier(row.payout, row.amount),
    game: {
      id: row.game_id,
      slug: row.slug,
      name: row.name,
      type: row.type as 'HOUSE_GAME',
      images: picturesOf({ ...row, customImages: row.custom_images, providerName: row.provider_name }),
      providerName: row.provider_name,
    },
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    settledAt: row.settled_at && iso(row.settled_at),
  };
}

/** Adds the bonus columns of a bet. */
export const withBonus = (query: ReturnType<typeof withGame<object>>) =>
  query
    .leftJoin('bonus_bets', 'bonus_bets.bet_id', 'bets.id')
    .select(['grant_id', 'bonus_staked', 'counted', 'contribution_bp', 'uncounted']);

type RowWithBonus = Awaited<ReturnType<ReturnType<typeof withBonus>['executeTakeFirstOrThrow']>>;

export const toOwnRow = (row: RowWithBonus): z.input<typeof BetRow> => ({
  ...toRow(row),
  bonus: bonusOf(row),
});

function bonusOf({
  status,
  amount,
  counted,
  uncounted,
  ...row
}: RowWithBonus): z.input<typeof BetRow>['bonus'] {
  if (row.grant_id === null) return null;
  return {
    grantId: String(row.grant_id),
    staked: formatUnits(row.bonus_staked!),
    counted: formatUnits(counted ?? 0n),
    notCounted: whyNotCounted({ status, amount, counted, contributionBp: row.contribution_bp!, uncounted }),
  };
}

/** The public columns of the bet's player. The player's id is in `bets.user_id`. */
export const PUBLIC_USER_COLUMNS = [
  'users.username',
  'users.avatar',
  'users.vip_level',
  'users.is_private',
  'users.is_streamer_mode',
] as const;

/** Returns bets with the fields for staff, in the order of the given ids. */
export async function adminRows(
  db: DbOrTx,
  ids: readonly bigint[],
  sight: Sight,
): Promise<z.input<typeof AdminBetRow>[]> {
  const found = await withBonus(withGame(db.selectFrom('bets')))
    .leftJoin('provider_rounds', 'provider_rounds.bet_id', 'bets.id')
    .select(['bets.user_id', 'round_id', 'error_reason', 'games.provider_id', 'round_ref'])
    .where('bets.id', 'in', among(ids))
    .execute();
  const rows = await asTheyStand(db, found);
  const owners = rows.map((row) => row.user_id);
  const users = await shortUsers(db, owners, sight);
  return inOrderOf(ids, rows, (row) => row.id).map((row) => ({
    ...toOwnRow(row),
    userId: row.user_id,
    user: users.get(row.user_id)!,
    ...referencesOf(row),
    bonusGrantId: row.grant_id === null ? null : String(row.grant_id),
    errorReason: row.error_reason,
  }));
}

type References = { type: string; provider_id: number; round_id: bigint | null; round_ref: string | null };

/** Returns the id of the shared round of a house game, or the provider's id of a round, or the sportsbook's id of a bet. */
function referencesOf({ type, provider_id, round_id, round_ref }: References) {
  if (type === 'HOUSE_GAME')
    return { providerId: null, externalId: null, roundId: round_id === null ? null : String(round_id) };
  const isSportsbook = type === 'SPORTSBOOK';
  return {
    providerId: provider_id,
    externalId: isSportsbook ? round_ref : null,
    roundId: isSportsbook ? null : round_ref,
  };
}

/** Adds the id 0, which no bet has, because the list after an SQL `IN` must not be empty. */
const among = (ids: readonly bigint[]): bigint[] => [0n, ...ids];
