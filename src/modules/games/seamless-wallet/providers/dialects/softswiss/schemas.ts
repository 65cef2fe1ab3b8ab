import { z } from 'zod';
import { object, text } from '../../../../../../http/schemas.ts';
import { Integer, MaybeFlag, MaybeName, ReportedName } from '../schemas.ts';

const Name = text(200).min(1);
/** Maximum number of actions per call. Calls normally have only a few; more would keep the player locked for too long. */
const MOST_ACTIONS = 50;

/** Unknown fields are accepted and ignored. */
const Asked = z.object({
  user_id: Name,
  currency: Name,
  game: Name.nullish(),
  game_id: Name.nullish(),
  session_id: Name.nullish(),
  finished: z.boolean().nullish(),
});
export const PlayCall = Asked.extend({
  actions: z
    .array(z.object({ action: z.enum(['bet', 'win']), action_id: Name, amount: Integer }))
    .max(MOST_ACTIONS)
    .nullish(),
});
export const RollbackCall = Asked.extend({
  actions: z
    .array(z.object({ action: z.literal('rollback'), action_id: Name, original_action_id: Name }))
    .min(1)
    .max(MOST_ACTIONS),
});
export const FreeSpinsCall = Asked.extend({ issue_id: Name, status: Name, total_amount: Integer });

const ReportedCall = z.object({
  user_id: ReportedName,
  currency: ReportedName,
  game: MaybeName,
  game_id: MaybeName,
  session_id: MaybeName,
  finished: MaybeFlag,
});
/** Wins, rollbacks and ends of free spins report events that have already happened, so they are parsed leniently. */
export const ActionsReport = ReportedCall.extend({
  actions: z
    .array(
      z.object({
        action: z.enum(['win', 'rollback']),
        action_id: ReportedName,
        amount: z.unknown().optional(),
        original_action_id: MaybeName,
      }),
    )
    .max(MOST_ACTIONS),
});
export const FreeSpinsReport = ReportedCall.extend({
  issue_id: ReportedName,
  status: ReportedName,
  total_amount: z.unknown().optional(),
});

export const SoftswissAnswer = object('SoftswissAnswer', {
  balance: Integer.optional().meta({ type: 'integer', description: 'Amount in subunits of the currency.' }),
  game_id: z.string().optional(),
  transactions: z
    .array(z.object({ action_id: z.string(), tx_id: z.string(), processed_at: z.string() }))
    .optional(),
  code: z.number().int().optional().meta({ description: 'Present only in a rejection.' }),
  message: z.string().optional(),
});

const Launch = z.object({ game_url: z.string().max(4000) });
export const Launched = z.object({ launch_options: Launch });

export const Games = z.object({
  games: z.array(
    z.object({
      identifier: Name,
      title: Name,
      category: z.string().nullish(),
      payout: z.union([z.number(), z.string()]).nullish(),
      volatility_rating: z.string().nullish(),
      multiplier: z.number().nullish(),
      has_freespins: z.boolean().nullish(),
      has_demo: z.boolean().nullish(),
      currencies: z.array(z.string()).nullish(),
      restricted_countries: z.array(z.string()).nullish(),
      images: z.array(z.string()).nullish(),
      description: z.string().max(5000).nullish(),
    }),
  ),
});

export const Report = z.object({
  transactions: z.array(
    z.object({
      action_id: Name,
      action: z.string().max(32),
      user_id: Name,
      currency: Name,
      amount: Integer,
      game: Name.nullish(),
      game_id: Name.nullish(),
      finished: z.boolean().nullish(),
      original_action_id: Name.nullish(),
      rolled_back: z.boolean(),
      processed_at: z.iso.datetime({ offset: true }),
    }),
  ),
});
