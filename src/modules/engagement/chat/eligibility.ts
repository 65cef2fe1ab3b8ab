import type { Tx } from '../../../platform/db.ts';
import type { AppError } from '../../../platform/errors.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import { wageredOf } from '../user-stats/service.ts';
import { readWriter } from './queries.ts';
import { paceRefusal, writerRefusal } from './rules.ts';

export type EligibilityDeps = {
  siteConfig: Pick<SiteConfig, 'get'>;
  gate: Pick<Gate, 'refusals'>;
  kyc: Pick<Kyc, 'isUnderage'>;
};

/** Who wants to write what, and from which address. */
export type Wish = { userId: number; ip: string; roomId: string; text: string };

/** Why a player may not write this now, by who they are and by the limits of the chat; undefined: they may. Locks the player. */
export async function refusalToWrite(
  tx: Tx,
  { siteConfig, gate, kyc }: EligibilityDeps,
  { userId, ip, roomId, text }: Wish,
): Promise<AppError | undefined> {
  const asked = { action: 'chat', userId, country: countryOfIp(ip) } as const;
  const [gateRefusal] = await gate.refusals(tx, asked);
  const { isEmailVerified, canUseChat, mutedUntil, ...pace } = await readWriter(tx, userId, roomId);
  const minWageredUsd = units(siteConfig.get('COMMON').chat.minWageredUsd);
  const refusal = writerRefusal({
    isEmailVerified,
    canUseChat,
    mutedUntil,
    gate: gateRefusal,
    isUnderage: await kyc.isUnderage(tx, userId),
    wageredUsd: minWageredUsd > 0n ? await wageredOf(tx, userId) : 0n,
    minWageredUsd,
  });
  return refusal ?? paceRefusal(text, { ...pace, now: await transactionTime(tx) });
}
