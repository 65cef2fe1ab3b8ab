import type { Player, TestApp } from './app.ts';
import { CRM_KEY } from './crm.ts';
import { sportsbookKey } from './sportsbook.ts';

export const PARTNER_CODE = 'a-partner';

/** What calls of a partner's program carry: somebody of their own with a code, so that nobody replaces or revokes their key. */
export async function partnerKey(
  app: Pick<TestApp, 'newPlayer'>,
  admin: Pick<Player, 'call'>,
): Promise<{ 'x-api-key': string }> {
  const partner = await app.newPlayer();
  await partner.call('POST', '/affiliate/code', { body: { id: PARTNER_CODE } });
  const { body } = await admin.call('POST', '/admin/api-keys', { body: { userId: partner.id } });
  return { 'x-api-key': body.key };
}

/** What calls with a key carry, by the path: of the sportsbook, of the CRM, of a partner. */
export async function keysOf(app: Pick<TestApp, 'newPlayer' | 'call'>, admin: Pick<Player, 'call'>) {
  const sportsbook = await sportsbookKey(app);
  const partner = await partnerKey(app, admin);
  return (path: string): { 'x-api-key': string } => {
    if (path.startsWith('/sportsbook/')) return sportsbook;
    return /^\/(marketing|external-auth)\//.test(path) ? { 'x-api-key': CRM_KEY } : partner;
  };
}
