import type { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { parseUnits, type Units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { Booking } from './booking.ts';
import { tellOf } from './news.ts';
import {
  changeDeposit,
  findOwner,
  keepNotice,
  lockDeposit,
  lockTransaction,
  type SkinDepositRow,
  takeNotices,
} from './queries.ts';
import { holdEnd, isContradiction, nextStatus, riskOf, type SkinStatus } from './rules.ts';
import { type Session, SkinWebhook } from './schemas.ts';

export type Notices = ReturnType<typeof createNotices>;
export type SkinNotice = Omit<z.output<typeof SkinWebhook>, 'usdAmount'> & { usdAmount: Units | null };

/** Nobody sells more than this in one go: ten million dollars. */
const HIGHEST = parseUnits('10000000')!;

/** Reads a signed notice. Throws 400 VALIDATION_FAILED, AMOUNT_OUT_OF_RANGE. */
export function readSkinNotice(raw: Buffer): SkinNotice {
  const notice = readNotice(raw, SkinWebhook);
  for (const { priceUsd } of notice.items ?? []) amountOf(priceUsd);
  return { ...notice, usdAmount: notice.usdAmount == null ? null : amountOf(notice.usdAmount) };
}

function amountOf(text: string): Units {
  const amount = parseUnits(text);
  if (amount === undefined || amount > HIGHEST) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
  return amount;
}

type NoticeDeps = { db: Db; log: Log; metrics: Metrics; book: Booking };

/** What the marketplace says of trades, applied to our deposits in any order, each piece of news once. */
export function createNotices({ db, log, metrics, book }: NoticeDeps) {
  /** The reasons for a look that a deposit bears from now on; new ones are counted. */
  const withReasons = ({ id, review_reason }: SkinDepositRow, reasons: readonly string[]): string | null => {
    const known = review_reason?.split(',') ?? [];
    const fresh = reasons.filter((reason) => !known.includes(reason));
    for (const reason of fresh) metrics.depositFindings.inc({ reason });
    if (fresh.length > 0) log.warn({ depositId: id, reasons: fresh }, 'a deposit by skins needs a look');
    return [...known, ...fresh].join(',') || null;
  };

  const apply = async (tx: Tx, owner: { id: string; user_id: number }, notice: SkinNotice): Promise<void> => {
    await lockPlayers(tx, [owner.user_id]);
    const deposit = await lockDeposit(tx, owner.id);
    const status = nextStatus(deposit.status as SkinStatus, notice.status);
    if (status) {
      const told = { ...deposit, ...newsOf(deposit, notice), status };
      const { reasons = [], ...moved } = await book(tx, told, notice.usdAmount);
      const { items, usd_amount, risk, hold_until, fail_reason } = told;
      const news = { status, items: JSON.stringify(items), usd_amount, risk, hold_until, fail_reason };
      const changed = await changeDeposit(tx, deposit.id, {
        ...news,
        ...moved,
        review_reason: withReasons(deposit, reasons),
      });
      await tellOf(tx, deposit, changed);
    } else if (isContradiction(deposit.status as SkinStatus, notice.status)) {
      await report(tx, deposit, `CONTRADICTED_BY_${notice.status}`);
    }
  };
  const report = (tx: Tx, deposit: SkinDepositRow, reason: string) =>
    changeDeposit(tx, deposit.id, { review_reason: withReasons(deposit, [reason]) });

  return {
    /** Applies a notice; one of a transaction that nobody knows yet waits until somebody does. */
    async take(tx: Tx, { raw }: { raw: Buffer }): Promise<void> {
      const notice = readSkinNotice(raw);
      const { transactionId } = notice;
      let owner = await findOwner(tx, transactionId);
      if (!owner) {
        await lockTransaction(tx, transactionId);
        owner = await findOwner(tx, transactionId);
      }
      if (owner) return apply(tx, owner, notice);
      metrics.depositFindings.inc({ reason: 'TRANSACTION_UNKNOWN' });
      log.warn({ transactionId }, 'a notice of skins names a transaction that is not known yet');
      await keepNotice(tx, transactionId, raw);
    },

    /** Stores what the marketplace has answered, and applies what it has said meanwhile. */
    settle: ({ id, user_id }: SkinDepositRow, session: z.output<typeof Session>): Promise<SkinDepositRow> =>
      transaction(db, async (tx) => {
        await lockPlayers(tx, [user_id]);
        const deposit = await lockDeposit(tx, id);
        // A twin of this request was faster.
        if (deposit.url !== null) return deposit;
        const { transactionId, url, expiresAt } = session;
        await lockTransaction(tx, transactionId);
        if (await findOwner(tx, transactionId)) {
          log.error({ depositId: id, transactionId }, 'the skin marketplace has used a transaction twice');
          throw commonErrors.SERVICE_UNAVAILABLE();
        }
        const change = { transaction_id: transactionId, url, expires_at: new Date(expiresAt) };
        const stored = await changeDeposit(tx, id, change);
        const early = (await takeNotices(tx, transactionId)).map(readSkinNotice);
        early.sort((a, b) => a.occurredAt.localeCompare(b.occurredAt));
        for (const notice of early)
          await apply(tx, stored, notice).catch(async (error: unknown) => {
            if (!(error instanceof AppError) || error.status >= 500) throw error;
            await report(tx, stored, 'NOTICE_UNUSABLE');
          });
        return stored;
      }),
  };
}

/** What a notice adds to what is known. Once it is credited the amount stays. */
function newsOf(deposit: SkinDepositRow, notice: SkinNotice) {
  const { items, usdAmount, userRisk, holdUntil, failReason, status } = notice;
  const end = holdUntil
    ? new Date(holdUntil)
    : status === 'IN_HOLD'
      ? holdEnd(new Date(notice.occurredAt))
      : null;
  return {
    items: items ?? deposit.items,
    usd_amount: deposit.credited_at ? deposit.usd_amount : (usdAmount ?? deposit.usd_amount),
    risk: userRisk ? riskOf(userRisk) : deposit.risk,
    hold_until: end ?? deposit.hold_until,
    fail_reason: failReason ?? deposit.fail_reason,
  };
}
