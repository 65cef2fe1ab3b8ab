import type { TestApp } from './app.ts';

/** What the sportsbook's own calls carry. */
export async function sportsbookKey(app: Pick<TestApp, 'call'>): Promise<{ 'x-api-key': string }> {
  const body = { login: 'sandbox', password: 'sandbox-sportsbook-password' };
  const { body: session } = await app.call('POST', '/sportsbook/external/auth/login', { body });
  return { 'x-api-key': session.token };
}
