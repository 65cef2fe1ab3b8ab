import { z } from 'zod';
import { object, text } from '../../../../../../http/schemas.ts';
import { Integer, MaybeFlag, MaybeName, ReportedName } from '../schemas.ts';

const Name = text(200).min(1);
const Flag = z.boolean().nullish();

/** Hub88 adds fields over time. Unknown fields are accepted and ignored. */
const Asked = z.object({ user: Name, request_uuid: Name });
export const UserCall = Asked.extend({ token: Name.nullish(), game_code: Name.nullish() });

const Transaction = Asked.extend({
  transaction_uuid: Name,
  game_code: Name,
  round: Name,
  round_closed: Flag,
  supplier_transaction_id: Name.nullish(),
  is_free: Flag,
  is_supplier_promo: Flag,
  reward_uuid: Name.nullish(),
});
export const BetCall = Transaction.extend({ token: Name, amount: Integer, currency: Name });
export const WinCall = Transaction.extend({
  token: Name.nullish(),
  amount: Integer,
  currency: Name,
  reference_transaction_uuid: Name,
});
export const RollbackCall = Transaction.extend({
  token: Name.nullish(),
  round: Name.nullish(),
  game_code: Name.nullish(),
  reference_transaction_uuid: Name,
});

/** Wins and rollbacks report events that have already happened, so they are parsed leniently. */
export const WinReport = z.object({
  user: ReportedName,
  transaction_uuid: ReportedName,
  reference_transaction_uuid: ReportedName,
  amount: z.unknown().optional(),
  currency: ReportedName.nullish().catch(undefined),
  token: MaybeName,
  game_code: MaybeName,
  round: MaybeName,
  round_closed: MaybeFlag,
  supplier_transaction_id: MaybeName,
  is_free: MaybeFlag,
  is_supplier_promo: MaybeFlag,
  reward_uuid: MaybeName,
});

export const Hub88Answer = object('Hub88Answer', {
  user: z.string().optional(),
  status: z.string().meta({ example: 'RS_OK' }),
  request_uuid: z.string().optional(),
  currency: z.string().optional(),
  balance: Integer.optional().meta({
    type: 'integer',
    description: 'Amount in units of 10^-5 of the currency.',
  }),
  country: z.string().optional(),
});

export const Launched = z.object({ url: z.string().max(4000) });

const Url = z.string().max(2000).nullish();
export const Games = z.array(
  z.object({
    game_code: Name,
    name: Name,
    product: z.string().nullish(),
    category: z.string().nullish(),
    enabled: z.boolean().nullish(),
    url_thumb: Url,
    url_background: Url,
    blocked_countries: z.array(z.string()).nullish(),
    freebet_support: Flag,
    demo_game_support: Flag,
    rtp: z.number().nullish(),
    volatility: z.number().nullish(),
    max_win_multiplier: z.number().nullish(),
  }),
);

/** Templates of rewards. The operator sets the fields that a template does not define. */
export const Prepaids = z.array(
  z.object({
    prepaid_uuid: Name,
    game_code: Name,
    currency: Name,
    bet_value: Integer.nullish(),
    bet_count: z.number().int().nullish(),
  }),
);
export const Reward = z.object({ reward_uuid: Name });
export const Rewards = z.object({
  rewards: z.array(Reward.extend({ operator_reference: z.string().nullish() })),
});

export const Report = z.array(
  z.object({
    transaction_uuid: Name,
    transaction_type: z.string().max(32),
    user: Name,
    currency: Name,
    amount: Integer,
    round: Name.nullish(),
    round_closed: Flag,
    game_code: Name.nullish(),
    reference_transaction_uuid: Name.nullish(),
    status: z.enum(['DONE', 'UNDONE']),
    is_free: Flag,
    created_at: z.iso.datetime({ offset: true }),
  }),
);
