import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { ShortPrivateUser, ShortPublicUser } from '../../base/users/schemas.ts';
import type { ShortGameIdentity } from '../../games/bets/schemas.ts';
import type { ChallengeRow } from './queries.ts';
import { multiplierText, titleOf } from './rules.ts';
import type { Challenge, ChallengePublic } from './schemas.ts';

export type Shown = z.input<typeof Challenge>;
export type ShownPublic = z.input<typeof ChallengePublic>;

/** What an amount of a currency is worth in US dollars. */
export type ToUsd = (currencyId: string, amount: bigint) => bigint;

export const titleOfRow = (row: ChallengeRow): string => titleOf(row.game_name, row.min_multiplier_e4);

export const multiplierOf = (e4: bigint): number => Number(e4) / 10_000;

const imagesOf = (row: ChallengeRow): string[] =>
  row.game_custom_images.length > 0 ? row.game_custom_images : row.game_images;

const gameOf = (row: ChallengeRow): z.input<typeof ShortGameIdentity> => ({
  id: row.game_id,
  slug: row.game_slug,
  name: row.game_name,
  type: row.game_type as z.input<typeof ShortGameIdentity>['type'],
  images: imagesOf(row),
  providerName: row.game_provider,
});

/** What everybody may know. */
const common = (row: ChallengeRow, toUsd: ToUsd) => ({
  id: row.id,
  title: titleOfRow(row),
  imageUrl: row.image_url ?? imagesOf(row)[0] ?? null,
  targetGame: gameOf(row),
  minBetAmountUsd: formatUnits(row.min_bet_usd),
  minBetMultiplier: multiplierOf(row.min_multiplier_e4),
  rewardCurrency: row.reward_currency_id,
  rewardAmount: formatUnits(row.reward_amount),
  rewardUsdAmount: formatUnits(toUsd(row.reward_currency_id, row.reward_amount)),
});

type Public = z.input<typeof ShortPublicUser>;

export const toPublic = (row: ChallengeRow, toUsd: ToUsd, winner: Public | undefined): ShownPublic => ({
  ...common(row, toUsd),
  status: row.status,
  winner: winner ?? null,
  winnerSelectedAt: row.winner_selected_at && iso(row.winner_selected_at),
});

type Beside = {
  toUsd: ToUsd;
  people: ReadonlyMap<number, z.input<typeof ShortPrivateUser>>;
  validBetsCount: number;
};

export const toStaff = (row: ChallengeRow, { toUsd, people, validBetsCount }: Beside): Shown => ({
  ...common(row, toUsd),
  defaultTitle: titleOfRow(row),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  validBetsCount,
  creator: people.get(row.created_by)!,
  isHidden: row.is_hidden,
  winner: people.get(row.winner_id ?? 0) ?? null,
  winnerSelectedAt: row.winner_selected_at ? iso(row.winner_selected_at) : '',
  winnerConfirmedBy: people.get(row.winner_confirmed_by ?? 0) ?? null,
  betId: row.winner_bet_id === null ? '' : String(row.winner_bet_id),
});

/** What the audit keeps of a challenge. */
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

/** The terms as players read them. */
export const rulesText = (row: ChallengeRow): string =>
  `The first settled bet of at least ${formatUnits(row.min_bet_usd)} USD on ${row.game_name} that pays ` +
  `${multiplierText(row.min_multiplier_e4)} times its stake or more wins ${formatUnits(row.reward_amount)} ${row.reward_currency_id}. ` +
  'Bets with bonus money and bets that were made before the challenge was shown do not count. The reward is paid once the win is confirmed.';
