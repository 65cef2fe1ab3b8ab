import { signatureOf } from '../../../src/modules/base/webhooks/signature.ts';
import type { Answer, TestApp } from '../app.ts';
import { supplierProof } from '../games/supplier-calls.ts';

type Sender = Pick<TestApp, 'call'>;
/** Values that override the signature of a webhook. */
export type Signing = { secret: string; at?: number; headers?: Record<string, string> };

/** Returns the header that signs a body for one of the sandbox's webhook routes. */
export function proofOf(app: Pick<TestApp, 'config'>, path: string, text: string): Record<string, string> {
  const { config } = app;
  if (path.startsWith('/webhooks/games/')) return supplierProof(app, path, text);
  const [, kind] = /^\/webhooks\/(\w+)/.exec(path) ?? [];
  const secrets = {
    payments: config.PAYMENT_WEBHOOK_SECRETS,
    kyc: config.KYC_WEBHOOK_SECRETS,
    skins: config.SKINS_WEBHOOK_SECRETS,
  }[kind as 'skins'] as readonly string[] | undefined;
  if (!secrets) throw new Error(`nobody is known to sign what ${path} takes`);
  return { 'x-signature': signatureOf(text, secrets[0]!, Math.floor(Date.now() / 1000)) };
}

/** Sends a partner webhook, signed with x-signature as our own protocol requires. If `body` is a string, it is sent unchanged. */
export function notify(app: Sender, path: string, body: object | string, signing: Signing): Promise<Answer> {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  const { secret, at = Math.floor(Date.now() / 1000), headers } = signing;
  const signed = { 'content-type': 'application/json', 'x-signature': signatureOf(raw, secret, at) };
  return app.call('POST', path, { raw, headers: { ...signed, ...headers } });
}
