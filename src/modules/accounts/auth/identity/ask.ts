import { readBody } from '../../../../platform/outbound.ts';

/**
 * Asks an identity provider: follows no redirect and reads `limit` bytes at most. The time-out is the caller's `signal`.
 * Throws when the provider does not answer, or says more than that.
 */
export async function ask(url: string, init: RequestInit, limit: number): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: 'manual' });
  const { status, headers } = answer;
  const bytes = await readBody(answer, limit);
  return new Response(bytes.length > 0 ? bytes : null, { status, headers });
}
