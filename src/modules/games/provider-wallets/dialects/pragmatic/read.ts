import type { z } from 'zod';
import type { Units } from '../../../../../platform/money.ts';
import { webhookErrors } from '../../../../base/webhooks/errors.ts';
import type { Action } from '../../call.ts';
import type { ReadCallback } from '../../provider.ts';
import { type Scale, unitsOfText } from '../amounts/rules.ts';
import { fitFields } from '../body.ts';
import type { Currencies } from '../currencies.ts';
import { refusal } from '../generic/answer.ts';
import { answerPragmatic } from './answer.ts';
import { readForm } from './form.ts';
import {
  AdjustmentCall,
  AuthenticateCall,
  BalanceCall,
  BetCall,
  CreditCall,
  EndRoundCall,
  PromoWinCall,
  RefundCall,
  ResultCall,
} from './schemas.ts';

const SCHEMAS = {
  'authenticate.html': AuthenticateCall,
  'balance.html': BalanceCall,
  'bet.html': BetCall,
  'result.html': ResultCall,
  'bonusWin.html': CreditCall,
  'jackpotWin.html': CreditCall,
  'promoWin.html': PromoWinCall,
  'endRound.html': EndRoundCall,
  'refund.html': RefundCall,
  'adjustment.html': AdjustmentCall,
} as const;
type CallName = keyof typeof SCHEMAS;
type AnyCall = Partial<z.output<typeof ResultCall> & z.output<typeof PromoWinCall>>;
const isCall = (action: string): action is CallName => Object.hasOwn(SCHEMAS, action);

type Reading = {
  currencies: Currencies /** Rounds end by endRound.html; else by their first result. */;
  hasEndRound: boolean;
};

/** Throws 404 PROVIDER_NOT_FOUND for a path that is none of Pragmatic Play's; what it cannot mean is refused in its words. */
export function readPragmatic(
  action: string,
  raw: Buffer,
  { currencies, hasEndRound }: Reading,
): ReadCallback {
  if (!isCall(action)) throw webhookErrors.PROVIDER_NOT_FOUND();
  const refused = () => {
    const said = { answer: refusal('INVALID_REQUEST'), context: undefined, currencies };
    return { refused: answerPragmatic(action, said) };
  };
  const read = fitFields(readForm(raw), SCHEMAS[action] as z.ZodType<AnyCall>);
  if ('unfit' in read) return refused();
  const { fit } = read;
  // No call names its currency: one factor holds for all (checked in the configuration), and two places.
  const scale = { factor: currencies.all[0]!.factor, decimals: 2 };
  const actions = actionsOf(action, fit, scale);
  if (!actions) return refused();
  const call = {
    playerId: fit.userId ?? '',
    currencyId: undefined,
    token: fit.token,
    needsSession: action === 'authenticate.html',
    gameCode: fit.gameId,
    round: fit.roundId,
    actions,
    closes: action === 'endRound.html' || (action === 'result.html' && !hasEndRound),
  };
  return { call, context: { userId: fit.userId } };
}

/** Undefined: an amount is none, or stands without its reference. */
function actionsOf(action: CallName, fit: AnyCall, scale: Scale): Action[] | undefined {
  const id = fit.reference ?? '';
  // A refund has an identity of its own: its reference is the bet's.
  if (action === 'refund.html')
    return [{ type: 'ROLLBACK', id: `refund:${id}`, amount: 0n, reference: fit.reference }];
  const type = TYPES[action];
  if (!type) return [];
  const amount = unitsOfText(fit.amount!, scale);
  if (amount === undefined || (amount < 0n && type !== 'ADJUSTMENT')) return undefined;
  const { bonusCode: freeRounds } = fit;
  const isFree = (type === 'BET' || type === 'WIN') && freeRounds !== undefined;
  const booked: Action = { type, id, amount, isFree, freeRounds, payload: payloadOf(fit) };
  const promo = action === 'result.html' ? promoOf(fit, scale) : [];
  return promo && [booked, ...promo];
}

const TYPES: Partial<Record<CallName, Action['type']>> = {
  'bet.html': 'BET',
  'result.html': 'WIN',
  'bonusWin.html': 'FREE_SPIN_WIN',
  'jackpotWin.html': 'JACKPOT',
  'promoWin.html': 'PROMO_WIN',
  'adjustment.html': 'ADJUSTMENT',
};

/** The part of a result that a promotion pays, booked under its own reference. */
function promoOf(fit: AnyCall, scale: Scale): Action[] | undefined {
  const { promoWinAmount: text = '', promoWinReference: id } = fit;
  const amount: Units | undefined = text === '' ? 0n : unitsOfText(text, scale);
  if (amount === undefined || amount < 0n || (amount > 0n && id === undefined)) return undefined;
  return amount === 0n || id === undefined
    ? []
    : [{ type: 'PROMO_WIN', id, amount, payload: payloadOf({ campaignId: fit.promoCampaignID }) }];
}

/** What staff may ask about a transaction later. */
function payloadOf({ bonusCode, campaignId }: AnyCall): object | undefined {
  if (bonusCode === undefined && campaignId === undefined) return undefined;
  return { ...(bonusCode && { bonusCode }), ...(campaignId && { campaignId }) };
}
