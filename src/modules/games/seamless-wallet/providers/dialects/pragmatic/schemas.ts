import { z } from 'zod';
import { object, text } from '../../../../../../http/schemas.ts';

const Name = text(200).min(1);
/** A form cannot contain null, so missing values may be empty strings. */
const Optional = text(200)
  .optional()
  .transform((value) => (value === '' ? undefined : value));

/** Unknown fields are accepted and ignored. */
const Asked = z.object({
  hash: z.string(),
  userId: Name,
  providerId: Optional,
  gameId: Optional,
  roundId: Optional,
  token: Optional,
});
const Booked = Asked.extend({ reference: Name, amount: z.string().max(40), bonusCode: Optional });
const Played = Booked.extend({ gameId: Name, roundId: Name });

/** The token alone may identify the player. */
export const AuthenticateCall = Asked.extend({ token: Name, userId: Optional });
export const BalanceCall = Asked;
export const BetCall = Played;
export const ResultCall = Played.extend({
  promoWinAmount: text(40).optional(),
  promoWinReference: Optional,
  promoCampaignID: Optional,
});
export const CreditCall = Booked;
export const PromoWinCall = Booked.extend({ campaignId: Optional });
export const EndRoundCall = Asked.extend({ gameId: Name, roundId: Name });
export const RefundCall = Asked.extend({ reference: Name });
export const AdjustmentCall = Played;

/** Reports of events that have already happened. They are parsed leniently. */
const Reported = Asked.extend({ reference: Name, bonusCode: Optional, amount: z.unknown().optional() });
export const ResultReport = Reported.extend({
  promoWinAmount: z.string().optional(),
  promoWinReference: Optional,
  promoCampaignID: Optional,
});
export const CreditReport = Reported.extend({ campaignId: Optional });

export const PragmaticAnswer = object('PragmaticAnswer', {
  userId: z.string().optional(),
  transactionId: z.string().optional(),
  currency: z.string().optional(),
  cash: z.string().optional().meta({ example: '115.00' }),
  bonus: z.string().optional(),
  usedPromo: z.string().optional(),
  country: z.string().optional(),
  error: z.number().int(),
  description: z.string(),
});

export const Answered = z.object({ error: z.union([z.literal('0'), z.literal(0)]) });
export const FreeRoundsOfPlayer = Answered.extend({ bonuses: z.array(z.object({ bonusCode: z.string() })) });
export const Launched = Answered.extend({ gameURL: z.string().max(4000) });

const Words = z.array(z.string()).nullish();
export const Games = Answered.extend({
  gameList: z.array(
    z.object({
      gameID: Name,
      gameName: Name,
      gameTypeID: z.string().nullish(),
      typeDescription: z.string().nullish(),
      demoGameAvailable: z.boolean().nullish(),
      frbAvailable: z.boolean().nullish(),
      rtp: z.union([z.number(), z.string()]).nullish(),
      volatility: z.string().nullish(),
      maxWin: z.number().nullish(),
      currencies: Words,
      blockedCountries: Words,
      images: Words,
    }),
  ),
});
