import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { CurrencyId, Decimal, Id, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { formatUnits } from '../../../platform/money.ts';
import { paymentErrors } from '../payments/errors.ts';
import type { SkinDeps } from './deps.ts';
import { findDeposit, type SkinDepositRow } from './queries.ts';
import { SKIN_STATUSES, type SkinStatus } from './rules.ts';

const SkinItem = object('SkinItem', { name: z.string(), priceUsd: Decimal });

const SkinDeposit = object('SkinDeposit', {
  id: Id,
  status: z.enum(SKIN_STATUSES),
  items: z.array(SkinItem),
  usdAmount: Decimal.nullable(),
  creditedAmount: Decimal.nullable(),
  currencyId: CurrencyId,
  holdUntil: Timestamp.nullable(),
  failReason: z.string().nullable(),
});
type SkinDeposit = z.input<typeof SkinDeposit>;

export const getSkinDeposit = operation({
  method: 'GET',
  path: '/payments/skins/deposit/{id}',
  tag: 'Payments (skin marketplace)',
  access: 'auth',
  summary: 'Get one of your skin deposits',
  params: z.object({ id: z.uuid() }),
  response: SkinDeposit,
  errors: [paymentErrors.DEPOSIT_NOT_FOUND],
  handler: async ({ db }: SkinDeps, { user, params: { id } }) => {
    const deposit = await findDeposit(db, id);
    if (deposit?.user_id !== user.id) throw paymentErrors.DEPOSIT_NOT_FOUND();
    return toSkinDeposit(deposit);
  },
});

const toSkinDeposit = (deposit: SkinDepositRow): SkinDeposit => ({
  id: deposit.id,
  status: deposit.status as SkinStatus,
  items: deposit.items as SkinDeposit['items'],
  usdAmount: deposit.usd_amount === null ? null : formatUnits(deposit.usd_amount),
  creditedAmount: deposit.credited_amount === null ? null : formatUnits(deposit.credited_amount),
  currencyId: deposit.currency_id,
  holdUntil: deposit.hold_until && iso(deposit.hold_until),
  failReason: deposit.fail_reason,
});
