import type { Player, TestApp } from '../app.ts';
import { CRM_KEY } from '../backoffice/crm.ts';
import { sportsbookKey } from './sportsbook.ts';

export const PARTNER_CODE = 'a-partner';

/**
 * Returns the API key header of a partner. Creates a player with a referral code as the partner, so that no other test replaces or revokes
 * the key.
 */
export async function partnerKey(
  app: Pick<TestApp, 'newPlayer'>,
  admin: Pick<Player, 'call'>,
): Promise<{ 'x-api-key': string }> {
  const partner = await app.newPlayer();
  await partner.call('POST', '/affiliate/code', { body: { id: PARTNER_CODE } });
  const { body } = await admin.call('POST', '/admin/api-keys', { body: { userId: partner.id } });
  return { 'x-api-key': body.key };
}

/** Returns a function that returns the API key header for a path: that of the sportsbook, the CRM or a partner. */
export async function keysOf(app: Pick<TestApp, 'newPlayer' | 'call'>, admin: Pick<Player, 'call'>) {
  const sportsbook = await sportsbookKey(app);
  const partner = await partnerKey(app, admin);
  return (path: string): { 'x-api-key': string } => {
    if (path.startsWith('/sportsbook/')) return sportsbook;
    return /^\/(marketing|external-auth)\//.test(path) ? { 'x-api-key': CRM_KEY } : partner;
  };
}
