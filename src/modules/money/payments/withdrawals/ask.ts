import { type Db, transaction } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import { NotSent } from '../../../../platform/outbound.ts';
import type { PayoutState } from '../provider.ts';
import type { PaymentProviders } from '../providers/registry.ts';
import type { Progress } from './progress.ts';
import type { WithdrawalRow } from './queries.ts';
import { checkAt, lockWithdrawal, move } from './transition.ts';

export type AskDeps = {
  db: Db;
  providers: Pick<PaymentProviders, 'active' | 'get'>;
  progress: Progress;
  log: Log;
};
export type Ask = ReturnType<typeof createAsk>;

/** What the provider is asked: always outside of any transaction, and only about what is committed. */
export function createAsk({ db, providers, progress, log }: AskDeps) {
  const take = (row: WithdrawalRow, said: PayoutState) =>
    transaction(db, async (tx) =>
      progress(tx, await lockWithdrawal(tx, row.id), { ...said, reference: row.reference! }),
    );

  /** Whether nobody has heard anything since this row was read. Then the question's own end decides. */
  const isUntold = (now: WithdrawalRow, { reference, told_at }: WithdrawalRow) =>
    now.status === 'PROCESSING' && now.reference === reference && Number(now.told_at) === Number(told_at);

  /** The provider certainly never heard of it: the withdrawal waits for its next try. */
  const putBack = (row: WithdrawalRow) =>
    transaction(db, async (tx) => {
      const now = await lockWithdrawal(tx, row.id);
      if (!isUntold(now, row)) return;
      const [checks, check_at] = [now.checks, await checkAt(tx, 'APPROVED', now.checks)];
      await move(tx, now, { to: 'APPROVED', reason: null, checks, check_at });
    });

  /** Nobody knows what became of it: the money stays held, and look-ups begin. */
  const giveUp = (row: WithdrawalRow) =>
    transaction(db, async (tx) => {
      const now = await lockWithdrawal(tx, row.id);
      if (isUntold(now, row)) await move(tx, now, { to: 'UNKNOWN_OUTCOME' });
    });

  return {
    /** Pays out what is PROCESSING, and takes in what comes of it. */
    async pay(row: WithdrawalRow): Promise<void> {
      const { reference, currency_id: currencyId, network_id: networkId, amount, fee } = row;
      const { recipient_address: address, recipient_memo: memo } = row;
      const order = { reference: reference!, currencyId, networkId, address, memo, amount: amount - fee };
      let said: PayoutState;
      try {
        said = await providers.get(row.provider_id!).pay(order);
      } catch (error) {
        const isNotSent = error instanceof NotSent;
        const about = { withdrawalId: row.id, reference, error: (error as Error).message };
        log.warn(
          about,
          isNotSent ? 'a withdrawal could not be sent yet' : 'what became of a withdrawal is not known',
        );
        return isNotSent ? putBack(row) : giveUp(row);
      }
      await take(row, said);
    },

    /** What the provider knows of the last attempt; undefined: certainly nothing. Throws NotSent, Unanswered. */
    lookUp: ({ provider_id, reference, external_id, asked_at, recipient_address: address }: WithdrawalRow) =>
      providers
        .get(provider_id!)
        .lookUp({ reference: reference!, externalId: external_id, sentAt: asked_at!, address }),

    take,
    giveUp,
    repeatsSafely: (row: WithdrawalRow) => providers.get(row.provider_id!).repeatsSafely,
  };
}
