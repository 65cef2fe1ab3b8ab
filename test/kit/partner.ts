import type { Player, TestApp } from './app.ts';

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
