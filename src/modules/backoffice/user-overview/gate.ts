import { z } from 'zod';
import type { SessionUser } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { CurrencyId, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { countryOfIp } from '../../../platform/countries/geo.ts';
import { consistentRead, type Tx } from '../../../platform/database/db.ts';
import { type AppError, commonErrors } from '../../../platform/errors.ts';
import { snapshotPlayers } from '../../base/players/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { holds } from '../../base/users/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import type { PaymentDeps } from '../../money/payments/deps.ts';
import { findObstacles } from '../../money/payments/withdrawals/applicant.ts';
import type { WithdrawalDeps } from '../../money/payments/withdrawals/service.ts';
import { PROTECTED, sentenceOf } from './rules.ts';

export type GateDeps = WithdrawalDeps & { payments: Pick<PaymentDeps, 'depositGate'> };

const ACTIONS = ['bet', 'deposit', 'withdraw', 'bonus'] as const;
type Action = (typeof ACTIONS)[number];

const GateReason = object('GateReason', {
  code: z.string().meta({ example: 'SELF_EXCLUDED' }),
  sentence: z.string().meta({ example: 'The player is excluded until 2026-12-01 00:00 UTC.' }),
  details: z.record(z.string(), z.unknown()).nullable().meta({
    description: 'The details of the error. Null if it has none, or if the caller may not see them.',
  }),
});

const GateAnswer = object('GateAnswer', {
  action: z.enum(ACTIONS),
  isAllowed: z.boolean(),
  reasons: z.array(GateReason),
});

const UserGate = object('UserGate', { at: Timestamp, actions: z.array(GateAnswer) });

export const getUserGate = operation({
  method: 'GET',
  path: '/admin/users/{id}/gate',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: 'Show what a user may do now, and why not',
  description:
    'The gate checks the actions as it does for the user, with the address of their latest session. `reasons` lists all errors, the ' +
    'first of which the user would get. A bet is checked without its stake, and a withdrawal as the smallest possible amount in ' +
    '`currencyId`. Details of limits and exclusions require `limit.read`, of verification `kyc.read`, of blocks ' +
    '`withdrawblock.read`, of wagering `withdraw.read` and of debts `transaction.read`. Nothing is changed.',
  params: z.object({ id: UserId }),
  query: z.strictObject({ currencyId: CurrencyId.default('USDT') }),
  response: UserGate,
  errors: [userErrors.USER_NOT_FOUND, commonErrors.CURRENCY_NOT_FOUND],
  handler: (deps: GateDeps, { by, params: { id: userId }, query: { currencyId } }) => {
    deps.currencies.get(currencyId);
    // The primary, because a check on a replica could miss a change that the player has just made.
    return consistentRead(deps.db, async (tx) => {
      if (!(await snapshotPlayers(tx, [userId])).has(userId)) throw userErrors.USER_NOT_FOUND();
      const inquiry = { userId, country: await latestCountryOf(tx, userId), currencyId };
      const actions = [];
      for (const action of ACTIONS) {
        const refusals = await REFUSALS[action](tx, deps, inquiry);
        const reasons = [];
        for (const refusal of refusals) reasons.push(await reasonOf(tx, refusal, by.user));
        actions.push({ action, isAllowed: reasons.length === 0, reasons });
      }
      return { at: iso(await transactionTime(tx)), actions };
    });
  },
});

type Inquiry = { userId: number; country: string | null; currencyId: string };

/** The functions with which these actions are refused, or functions that share their facts. */
const REFUSALS: Readonly<Record<Action, (tx: Tx, deps: GateDeps, inquiry: Inquiry) => Promise<AppError[]>>> =
  {
    bet: (tx, { gate }, { userId, country }) => gate.refusals(tx, { action: 'bet', userId, country }),
    deposit: (tx, { payments }, inquiry) => payments.depositGate.refusals(tx, inquiry),
    withdraw: async (tx, deps, inquiry) => (await findObstacles(tx, deps, inquiry)).refusals,
    bonus: (tx, { gate }, { userId, country }) => gate.refusals(tx, { action: 'bonus', userId, country }),
  };

/** Returns the country of the address that a user's latest session last used. Null if there is no session. */
async function latestCountryOf(tx: Tx, userId: number): Promise<string | null> {
  const latest = await tx
    .selectFrom('sessions')
    .select('ip_address')
    .where('user_id', '=', userId)
    .orderBy('last_used_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest?.ip_address ? countryOfIp(latest.ip_address) : null;
}

/** Returns an error as staff see it. Staff without the needed permission get a sentence without details, and `details` is null. */
async function reasonOf(tx: Tx, refusal: AppError, reader: SessionUser): Promise<z.input<typeof GateReason>> {
  const { code, message, details } = refusal;
  const hidden = PROTECTED[code];
  if (hidden && !holds(reader, hidden.permission)) return { code, sentence: hidden.sentence, details: null };
  const promotion = details?.grantId === undefined ? undefined : await bonusName(tx, String(details.grantId));
  const sentence = sentenceOf({ code, message, details: { ...details, promotion } });
  return { code, sentence, details: details ?? null };
}

/** Returns the name of the promotion that a grant belongs to. */
async function bonusName(tx: Tx, grantId: string): Promise<string | undefined> {
  const grant = await tx
    .selectFrom('promo_grants')
    .select('name')
    .where('id', '=', BigInt(grantId))
    .executeTakeFirst();
  return grant?.name;
}
