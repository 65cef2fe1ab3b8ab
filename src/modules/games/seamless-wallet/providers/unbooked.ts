import type { Db } from '../../../../platform/database/db.ts';
import type { PartnerReports } from '../../../base/findings/service.ts';
import type { WalletCall, WalletStatus } from '../engine/call.ts';
import { userIdOf } from '../engine/rules.ts';
import type { KnownProvider, UnreadReport } from './provider.ts';

type Deps = { db: Db; partnerReports: PartnerReports };

/** Statuses with which a report can never be booked. With any other, a retry may succeed or the dialect defines the response. */
const UNBOOKABLE: ReadonlySet<WalletStatus> = new Set([
  'INVALID_REQUEST',
  'INVALID_TYPE',
  'INVALID_CURRENCY',
]);

/** Returns true if a call only reports what has already happened and takes no stake. */
const isReport = ({ actions }: WalletCall): boolean =>
  actions.length > 0 && actions.every(({ type }) => type !== 'BET');

/** Returns the report to store for a call that can never be booked; undefined if it was booked or failed for another reason. */
export function unbookable(action: string, call: WalletCall, status: WalletStatus): UnreadReport | undefined {
  if (!UNBOOKABLE.has(status) || !isReport(call)) return undefined;
  const [first] = call.actions;
  return {
    reason: 'UNBOOKABLE',
    type: action || first!.type,
    transactionId: first!.id,
    playerId: call.playerId,
  };
}

/** Stores a report that cannot be booked as a finding, once per transaction, or per message if it has no transaction id. */
export const storeReport = (
  { db, partnerReports }: Deps,
  { provider: { id: providerId, slug }, raw }: { provider: KnownProvider; raw: Buffer },
  { reason, type, transactionId: subject, playerId }: UnreadReport,
): Promise<void> => {
  const userId = (playerId === undefined ? undefined : userIdOf(playerId)) ?? null;
  return partnerReports.store(db, { slug, providerId }, { reason, type, subject, userId, raw });
};

/** Stores a finding for each amount of a call that was cut below our smallest unit. */
export async function storeCuts(
  { db, partnerReports }: Deps,
  { id: providerId, slug }: KnownProvider,
  { actions, currencyId, playerId }: WalletCall,
): Promise<void> {
  for (const { id: subject, type, amount, said } of actions) {
    if (said === undefined) continue;
    const facts = { type, said, bookedUnits: String(amount), currencyId: currencyId ?? null };
    const userId = userIdOf(playerId) ?? null;
    await partnerReports.storeCut(db, { slug, providerId }, { subject, userId, facts });
  }
}
