import type { Tx } from '../../../platform/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { type Gate, transactionTime } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import { wageredOfEach } from '../user-stats/service.ts';
import { readWriters, type StoredMessage } from './queries.ts';
import { paceRefusal, writerRefusal } from './rules.ts';

export type EligibilityDeps = {
  siteConfig: Pick<SiteConfig, 'get'>;
  gate: Pick<Gate, 'look'>;
  kyc: Pick<Kyc, 'underageAmong'>;
};

/** Who wants to write what, and from which address; `key`: what their program calls the message, null for none. */
export type Wish = { userId: number; ip: string; roomId: string; text: string; key: string | null };

/** What came of the key: the message that it has written before, or why this one may not be written; undefined: it may. */
export type Verdict = { known: StoredMessage | undefined; refusal: AppError | undefined };

/** Whether players may write now, by who they are and by the limits of the chat. They must be locked, and be different ones. */
export async function judge(tx: Tx, deps: EligibilityDeps, wishes: readonly Wish[]): Promise<Verdict[]> {
  const { siteConfig, gate, kyc } = deps;
  const userIds = wishes.map(({ userId }) => userId);
  const minWageredUsd = units(siteConfig.get('COMMON').chat.minWageredUsd);
  const asked = wishes.map(({ userId, ip }) => ({ userId, country: countryOfIp(ip) }));
  // Sent together: each waits for the database, and none for another.
  const [writers, gateRefusals, underage, wagered, now] = await Promise.all([
    readWriters(tx, wishes),
    gate.look(tx, 'chat', asked),
    kyc.underageAmong(tx, userIds),
    minWageredUsd > 0n ? wageredOfEach(tx, userIds) : undefined,
    transactionTime(tx),
  ]);
  return wishes.map(({ userId, text }, i) => {
    const { known, isEmailVerified, canUseChat, mutedUntil, ...pace } = writers[i]!;
    const refusal = writerRefusal({
      isEmailVerified,
      canUseChat,
      mutedUntil,
      gate: gateRefusals[i],
      isUnderage: underage.has(userId),
      wageredUsd: wagered?.get(userId) ?? 0n,
      minWageredUsd,
    });
    return { known, refusal: refusal ?? paceRefusal(text, { ...pace, now }) };
  });
}
