import type { Notice } from '../../../http/route.ts';
import type { Tx } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import { changeTiers, lockStanding, tierIn } from './level.ts';
import type { KycNotice, KycProvider } from './provider.ts';
import { findApplicantUser, takeEvent } from './queries.ts';
import { afterNotice, type Tier } from './rules.ts';

type Deps = { provider: KycProvider | undefined; webhooks: Webhooks; log: Log };

/** What the provider says about players: signed, kept before it is looked at, each event once. */
export function createNotices({ provider, webhooks, log }: Deps) {
  const take = async (tx: Tx, id: string, notice: KycNotice): Promise<void> => {
    const { applicantId, tier } = notice;
    const owner = await findApplicantUser(tx, id, applicantId);
    const isOurs = owner !== undefined && (notice.userId === null || notice.userId === owner.user_id);
    if (isOurs && tier) return applyTo(tx, owner.user_id, { ...notice, provider: id, tier });
    const outcome = !owner ? 'UNKNOWN_APPLICANT' : isOurs ? 'UNKNOWN_LEVEL' : 'WRONG_USER';
    if (!(await takeEvent(tx, { ...notice, provider: id, outcome }))) return;
    const { eventId } = notice;
    log.warn({ provider: id, eventId, applicantId, outcome }, 'a notice about nobody of ours was kept');
  };

  webhooks.on('kyc', async (tx, event) => {
    // Another provider may have been configured since it was received.
    if (provider?.id !== event.provider) throw webhookErrors.PROVIDER_NOT_FOUND();
    const notice = provider.read(event.raw);
    if (notice) await take(tx, provider.id, notice);
  });

  return {
    /** Resolves once what follows is committed. Throws 404 PROVIDER_NOT_FOUND, 401 SIGNATURE_INVALID, 400 VALIDATION_FAILED. */
    async receive(id: string, notice: Notice): Promise<{ success: boolean }> {
      if (provider?.id !== id) throw webhookErrors.PROVIDER_NOT_FOUND();
      if (!provider.isSigned(notice.raw, notice.headers)) throw webhookErrors.SIGNATURE_INVALID();
      await webhooks.receive('kyc', { provider: id, raw: notice.raw });
      return { success: true };
    },
  };
}

/** Of all notices about a player one at a time is looked at; an event that was seen before changes nothing. */
async function applyTo(
  tx: Tx,
  userId: number,
  notice: KycNotice & { provider: string; tier: Tier },
): Promise<void> {
  const standing = await lockStanding(tx, userId);
  const { outcome, next } = afterNotice(tierIn(standing, notice.tier), notice, standing.now);
  const isNew = await takeEvent(tx, { ...notice, outcome });
  if (!isNew || outcome !== 'APPLIED') return;
  await changeTiers(tx, standing, [next], { reason: notice.provider });
}
