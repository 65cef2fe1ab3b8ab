import type { z } from 'zod';
import { type Db, transaction } from '../../../platform/db.ts';
import { emitEvent } from '../../base/events/service.ts';
import { excludedUntil, userNamed } from './details.ts';
import { consentsOf, setEmailConsent, storeConsent } from './queries.ts';
import { CONSENT_TYPES, type CrmConsents, type NewConsents } from './schemas.ts';

/**
 * What a player agrees to, every type. E-mail is what they have set themselves (`isEmailNotificationsEnabled`), the others are off until
 * they agree; nobody who is excluded agrees to anything. Throws 404 USER_NOT_FOUND.
 */
export async function userConsents(db: Db, text: string): Promise<z.input<typeof CrmConsents>> {
  const user = await userNamed(db, text);
  const isExcluded = (await excludedUntil(db, user.id)) !== null;
  const stored = await consentsOf(db, user.id);
  const isIn = (type: (typeof CONSENT_TYPES)[number]) =>
    type === 'email' ? user.is_email_notifications_enabled : (stored.get(type) ?? false);
  return { consents: CONSENT_TYPES.map((type) => ({ type, opted_in: !isExcluded && isIn(type) })) };
}

/** Stores what a player has agreed to at the CRM; what is not named stays. Throws 404 USER_NOT_FOUND. */
export async function storeConsents(
  db: Db,
  text: string,
  { consents }: z.output<typeof NewConsents>,
): Promise<{ success: boolean }> {
  const { id: userId } = await userNamed(db, text);
  await transaction(db, async (tx) => {
    for (const { type, opted_in: isOptedIn } of consents)
      await (type === 'email'
        ? setEmailConsent(tx, userId, isOptedIn)
        : storeConsent(tx, userId, { type, isOptedIn }));
    await emitEvent(tx, { event: 'user.consents', userId, data: {} });
  });
  return { success: true };
}
