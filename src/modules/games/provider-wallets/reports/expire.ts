import type { Db } from '../../../../platform/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Settlement } from '../../betting/settlement.ts';
import type { KnownProvider } from '../provider.ts';
import { requestOf } from '../service.ts';
import { roundsToExpire } from './queries.ts';

type Deps = Parameters<typeof requestOf>[0] & {
  db: Db;
  log: Log;
  settlement: Pick<Settlement, 'settle'>;
  providers: () => readonly KnownProvider[];
};

/** Closes rounds that are open for more than 30 days as they stand: their bets are settled, and each is a finding. */
export async function expireRounds(deps: Deps): Promise<void> {
  const { db, log, settlement, providers } = deps;
  for (const provider of providers())
    for (const { userId, ref, currencyId } of await roundsToExpire(db, provider.id)) {
      const playerId = String(userId);
      const call = { playerId, currencyId, round: ref, actions: [], closes: true };
      const request = requestOf(deps, { provider, userId, call, asks: 'EXPIRY' });
      const failed = (error: unknown) => ({ status: messageOf(error) });
      const { status } = await settlement.settle(request).catch(failed);
      const facts = { provider: provider.slug, userId, round: ref };
      if (status === 'OK') log.warn(facts, 'a round was closed as it stood after 30 days');
      else log.error({ ...facts, status }, 'a round of 30 days could not be closed');
    }
}
