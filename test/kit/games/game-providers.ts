import { createHash, createHmac, sign } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createGameProviders } from '../../../src/modules/games/seamless-wallet/providers/dialects/registry.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { vectors } from './provider-vectors.ts';

export { vectors };

export type Dialect = 'generic' | 'hub88' | 'softswiss' | 'pragmatic';
export const DIALECTS: readonly Dialect[] = ['generic', 'hub88', 'softswiss', 'pragmatic'];

const CODES = ['USDT', 'EUR', 'BTC'];
const currencies = (decimals: number) => [
  ...CODES.map((code) => ({ ours: code, code, decimals })),
  { ours: 'USD', code: 'US$', decimals },
];

/** Returns the settings of one provider per dialect with the keys from the vectors. `change` overrides settings by dialect. */
function providerSettings(url: string, change: Partial<Record<Dialect, object>> = {}): object[] {
  const common = (dialect: Dialect, decimals: number) => ({
    slug: dialect,
    name: `Games of ${dialect}`,
    dialect,
    apiUrl: `${url}/api/${dialect}`,
    operatorId: 'casino',
    launchOrigins: [url],
    currencies: currencies(decimals),
  });
  return [
    { ...common('generic', 8), secrets: [vectors.generic.secret], ...change.generic },
    {
      ...common('hub88', 5),
      publicKeys: [vectors.hub88.publicKey],
      privateKey: vectors.hub88.privateKey,
      ...change.hub88,
    },
    { ...common('softswiss', 2), secrets: [vectors.softswiss.authToken], ...change.softswiss },
    { ...common('pragmatic', 2), secrets: [vectors.pragmatic.secret], ...change.pragmatic },
  ];
}

type Options = { url?: string; now?: number; change?: Partial<Record<Dialect, object>> };

export const gameProviders = ({ url = 'http://127.0.0.1:9', now, change = {} }: Options = {}) =>
  createGameProviders({
    config: loadConfig({ APP_ENV: 'test', GAME_PROVIDERS: JSON.stringify(providerSettings(url, change)) }),
    log: createLog({ level: 'silent', service: 'test' }),
    ...(now === undefined ? {} : { clock: { now: () => now } }),
  });

const hmac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex');

/** Returns the headers with which a supplier signs a body. Implemented independently of the platform. */
export function supplierHeaders(
  dialect: Dialect,
  body: string,
  { at = Date.now(), secret }: { at?: number; secret?: string } = {},
): IncomingHttpHeaders {
  const seconds = Math.floor(at / 1000);
  switch (dialect) {
    case 'generic':
      return {
        'x-signature': `t=${seconds},v1=${hmac(`${seconds}.${body}`, secret ?? vectors.generic.secret)}`,
      };
    case 'hub88':
      return {
        'x-hub88-signature': sign(
          'RSA-SHA256',
          Buffer.from(body),
          secret ?? vectors.hub88.privateKey,
        ).toString('base64'),
      };
    case 'softswiss':
      return { 'x-request-sign': hmac(body, secret ?? vectors.softswiss.authToken) };
    default:
      return {};
  }
}

/** Returns a Pragmatic Play form with its hash. */
export function pragmaticForm(fields: Record<string, string>, secret = vectors.pragmatic.secret): string {
  const base = Object.keys(fields)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `${name}=${fields[name]}`)
    .join('&');
  const hash = createHash('md5')
    .update(base + secret)
    .digest('hex');
  return new URLSearchParams({ ...fields, hash }).toString();
}
