import type { TestApp } from '../app.ts';

/** Returns the API key header of the sportsbook's calls. */
export async function sportsbookKey(app: Pick<TestApp, 'call'>): Promise<{ 'x-api-key': string }> {
  const body = { login: 'sandbox', password: 'sandbox-sportsbook-password' };
  const { body: session } = await app.call('POST', '/sportsbook/external/auth/login', { body });
  return { 'x-api-key': session.token };
}
