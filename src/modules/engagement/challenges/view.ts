import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { CurrencyId, Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { ShortPrivateUser, ShortPublicUser } from '../../base/users/schemas.ts';
import { shortUsers, sightOf, toShortPublicUser, usersById } from '../../base/users/service.ts';
import { ShortGameIdentity } from '../../games/bets/schemas.ts';
import { picturesOf } from '../../games/covers/rules.ts';
import {
  type ChallengeDeps,
  type ChallengeRow,
  challengeErrors,
  countCandidates,
  findChallenge,
} from './queries.ts';
import { multiplierText, STATUSES, titleOf } from './rules.ts';

export const Multiplier = z.number();

export const BetId = z.string().regex(/^[1-9]\d{0,17}$/, 'needs the id of a bet');

export const ChallengePath = z.object({ id: z.uuid() });

export const ChallengePublic = object('ChallengePublic', {
  id: z.string(),
  title: z.string(),
  imageUrl: z.string().nullable(),
  targetGame: ShortGameIdentity,
  minBetAmountUsd: Decimal,
  minBetMultiplier: Multiplier,
  rewardCurrency: CurrencyId,
  rewardAmount: Decimal,
  rewardUsdAmount: Decimal,
  status: z.enum(STATUSES),
  winner: ShortPublicUser.nullable().meta({
    description: 'Masked for hidden players. The winner may change until the challenge is FINISHED.',
  }),
  winnerSelectedAt: Timestamp.nullable(),
});

export const Challenge = object('Challenge', {
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  defaultTitle: z.string(),
  title: z.string(),
  imageUrl: z.string().nullable(),
  minBetAmountUsd: Decimal,
  minBetMultiplier: Multiplier,
  rewardCurrency: CurrencyId,
  rewardAmount: Decimal,
  rewardUsdAmount: Decimal,
  validBetsCount: z
    .number()
    .int()
    .meta({ description: 'The number of bets that can win, up to about 1,000.' }),
  creator: ShortPrivateUser,
  targetGame: ShortGameIdentity,
  isHidden: z.boolean(),
  winner: ShortPrivateUser.nullable(),
  winnerSelectedAt: Timestamp.nullable().meta({ description: 'Null until there is a winner.' }),
  winnerConfirmedBy: ShortPrivateUser.nullable(),
  betId: z.string().nullable().meta({ description: 'Null until there is a winner.' }),
});

type StaffChallenge = z.input<typeof Challenge>;
type PublicChallenge = z.input<typeof ChallengePublic>;
type Rates = Pick<ChallengeDeps['currencies'], 'toUsd'>;

export const titleOfRow = (row: ChallengeRow): string => titleOf(row.game_name, row.min_multiplier_e4);

export const multiplierOf = (e4: bigint): number => Number(e4) / 10_000;

const imagesOf = (row: ChallengeRow): string[] =>
  picturesOf({
    slug: row.game_slug,
    name: row.game_name,
    providerName: row.game_provider,
    images: row.game_images,
    customImages: row.game_custom_images,
  });

const gameOf = (row: ChallengeRow): z.input<typeof ShortGameIdentity> => ({
  id: row.game_id,
  slug: row.game_slug,
  name: row.game_name,
  type: row.game_type as z.input<typeof ShortGameIdentity>['type'],
  images: imagesOf(row),
  providerName: row.game_provider,
});

const toCommon = (row: ChallengeRow, currencies: Rates) => ({
  id: row.id,
  title: titleOfRow(row),
  imageUrl: row.image_url ?? imagesOf(row)[0] ?? null,
  targetGame: gameOf(row),
  minBetAmountUsd: formatUnits(row.min_bet_usd),
  minBetMultiplier: multiplierOf(row.min_multiplier_e4),
  rewardCurrency: row.reward_currency_id,
  rewardAmount: formatUnits(row.reward_amount),
  rewardUsdAmount: formatUnits(currencies.toUsd(row.reward_currency_id, row.reward_amount)),
});

/**
 * Converts challenges to the view for players. A winner who is a hidden player is shown as Incognito to everyone, including the winner.
 */
export async function toPublic(
  db: DbOrTx,
  { currencies }: { currencies: Rates },
  rows: readonly ChallengeRow[],
): Promise<PublicChallenge[]> {
  const winnerIds = rows.flatMap(({ winner_id }) => (winner_id === null ? [] : [winner_id]));
  const users = await usersById(db, winnerIds);
  return rows.map((row) => {
    const winner = users.get(row.winner_id ?? 0);
    return {
      ...toCommon(row, currencies),
      status: row.status,
      winner: winner ? toShortPublicUser(winner, undefined) : null,
      winnerSelectedAt: row.winner_selected_at && iso(row.winner_selected_at),
    };
  });
}

/** Returns a challenge for staff. Throws 404 CHALLENGE_NOT_FOUND. */
export async function getForStaff(
  db: DbOrTx,
  deps: { currencies: Rates },
  by: StaffCall,
  id: string,
): Promise<StaffChallenge> {
  const row = await findChallenge(db, id);
  if (!row) throw challengeErrors.CHALLENGE_NOT_FOUND();
  return (await toStaff(db, deps, by, [row]))[0]!;
}

export async function toStaff(
  db: DbOrTx,
  { currencies }: { currencies: Rates },
  by: StaffCall,
  rows: readonly ChallengeRow[],
): Promise<StaffChallenge[]> {
  const userIds = rows.flatMap((row) => [row.created_by, row.winner_id, row.winner_confirmed_by]);
  const users = await shortUsers(db, userIds, sightOf(by.user));
  const ids = rows.map(({ id }) => id);
  const counts = await countCandidates(db, ids);
  return rows.map((row) => ({
    ...toCommon(row, currencies),
    defaultTitle: titleOfRow(row),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    validBetsCount: counts.get(row.id) ?? 0,
    creator: users.get(row.created_by)!,
    isHidden: row.is_hidden,
    winner: users.get(row.winner_id ?? 0) ?? null,
    winnerSelectedAt: row.winner_selected_at && iso(row.winner_selected_at),
    winnerConfirmedBy: users.get(row.winner_confirmed_by ?? 0) ?? null,
    betId: row.winner_bet_id === null ? null : String(row.winner_bet_id),
  }));
}

/** The fields of a challenge that the audit log records. */
export const auditOf = (row: ChallengeRow) => ({
  id: row.id,
  status: row.status,
  gameSlug: row.game_slug,
  minBetAmountUsd: formatUnits(row.min_bet_usd),
  minBetMultiplier: multiplierOf(row.min_multiplier_e4),
  rewardCurrency: row.reward_currency_id,
  rewardAmount: formatUnits(row.reward_amount),
  isHidden: row.is_hidden,
  imageUrl: row.image_url,
  winnerId: row.winner_id,
  betId: row.winner_bet_id === null ? null : String(row.winner_bet_id),
});

/** The rules as players read them. */
export const rulesText = (row: ChallengeRow): string =>
  `The first settled bet of at least ${formatUnits(row.min_bet_usd)} USD on ${row.game_name} that pays ` +
  `${multiplierText(row.min_multiplier_e4)} times its stake or more wins ${formatUnits(row.reward_amount)} ${row.reward_currency_id}. ` +
  'Bets with bonus money and bets placed before the challenge was published do not count. The reward is paid once the win is confirmed.';
