import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Units } from '../../../../../platform/money.ts';
import { webhookErrors } from '../../../../base/webhooks/errors.ts';
import type { Action, WalletStatus } from '../../call.ts';
import type { ProviderCurrency, ReadCallback } from '../../provider.ts';
import { unitsOf } from '../amounts/rules.ts';
import { amountOf, fitFields, readFields } from '../body.ts';
import type { Currencies } from '../currencies.ts';
import { refusal } from '../generic/answer.ts';
import { answerSoftswiss } from './answer.ts';
import { FreeSpinsCall, PlayCall, RollbackCall } from './schemas.ts';

const SCHEMAS = { play: PlayCall, rollback: RollbackCall, freespins: FreeSpinsCall } as const;
type CallName = keyof typeof SCHEMAS;
type AnyCall = Omit<z.output<typeof PlayCall>, 'actions'> & {
  actions?:
    | { action: keyof typeof TYPES; action_id: string; amount?: Amount; original_action_id?: string }[]
    | null;
} & { issue_id?: string; status?: string; total_amount?: Amount };
type Amount = Parameters<typeof amountOf>[0];
const TYPES = { bet: 'BET', win: 'WIN', rollback: 'ROLLBACK' } as const;
const isCall = (action: string): action is CallName => Object.hasOwn(SCHEMAS, action);

/** Free spins that have ended: what they won is the player's. */
const ENDED = ['played', 'finished', 'lost', 'expired'];

/** Throws 404 PROVIDER_NOT_FOUND for a path that is none of SOFTSWISS's; what it cannot mean is refused in its words. */
export function readSoftswiss(action: string, raw: Buffer, currencies: Currencies): ReadCallback {
  if (!isCall(action)) throw webhookErrors.PROVIDER_NOT_FOUND();
  const refuse = (status: WalletStatus): ReadCallback => ({
    refused: answerSoftswiss({ answer: refusal(status), context: undefined, currencies }),
  });
  const fields = readFields(raw);
  if (!fields) return refuse('INVALID_REQUEST');
  const read = fitFields(fields, SCHEMAS[action] as z.ZodType<AnyCall>);
  if ('unfit' in read) return refuse(read.unfit);
  const { fit } = read;
  const currency = currencies.byCode(fit.currency);
  if (!currency) return refuse('INVALID_CURRENCY');
  const given = actionsOf(fit, currency);
  if (!given) return refuse('INVALID_REQUEST');
  const actions = withoutRepeats(given);
  if (!actions) return refuse('TRANSACTION_CONFLICT');
  const round = fit.game_id ?? undefined;
  const isFreeSpins = action === 'freespins';
  const needsRound = !isFreeSpins && (actions.length > 0 || fit.finished === true);
  // A bet or a win belongs to a game as well; what a rollback takes back names its own.
  if (needsRound && (!round || (action === 'play' && !fit.game))) return refuse('INVALID_REQUEST');
  const call = {
    playerId: fit.user_id,
    currencyId: currency.ours,
    token: fit.session_id ?? undefined,
    gameCode: fit.game ?? undefined,
    round: isFreeSpins ? undefined : round,
    actions,
    closes: !isFreeSpins && fit.finished === true,
  };
  return { call, context: { round } };
}

/** Undefined: an amount is none. */
function actionsOf(call: AnyCall, currency: ProviderCurrency): Action[] | undefined {
  const actions: Action[] = [];
  for (const { action, action_id: id, amount: given, original_action_id: reference } of call.actions ?? []) {
    const amount = given === undefined ? 0n : amountIn(given, currency);
    if (amount === undefined) return undefined;
    actions.push({ type: TYPES[action], id, amount, ...(reference === undefined ? {} : { reference }) });
  }
  if (call.issue_id !== undefined) {
    const amount = amountIn(call.total_amount!, currency);
    if (amount === undefined) return undefined;
    const { issue_id: id } = call;
    if (ENDED.includes(call.status!)) actions.push({ type: 'FREE_SPIN_WIN', id, amount, freeRounds: id });
  }
  return actions;
}

const amountIn = (given: Amount, currency: ProviderCurrency): Units | undefined => {
  const amount = amountOf(given);
  return amount === undefined ? undefined : unitsOf(amount, currency);
};

/** An id that comes twice in one call counts once. Undefined: with other content the second time. */
function withoutRepeats(actions: readonly Action[]): Action[] | undefined {
  const byId = new Map<string, Action>();
  for (const action of actions) {
    const first = byId.get(action.id);
    if (!first) byId.set(action.id, action);
    else if (!isDeepStrictEqual(first, action)) return undefined;
  }
  return [...byId.values()];
}
