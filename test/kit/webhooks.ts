import { signatureOf } from '../../src/modules/webhooks/rules.ts';
import type { Answer, TestApp } from './app.ts';

type Sender = Pick<TestApp, 'call'>;
/** How a notice is signed when it is not as it should be. */
export type Signing = { secret: string; at?: number; headers?: Record<string, string> };

/** A notice of a partner, signed with x-signature as our own protocol says. `body` as text goes out as it is. */
export function notify(app: Sender, path: string, body: object | string, signing: Signing): Promise<Answer> {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  const { secret, at = Math.floor(Date.now() / 1000), headers } = signing;
  const signed = { 'content-type': 'application/json', 'x-signature': signatureOf(raw, secret, at) };
  return app.call('POST', path, { raw, headers: { ...signed, ...headers } });
}
