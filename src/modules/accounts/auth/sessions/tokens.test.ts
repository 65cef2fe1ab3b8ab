import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { rawRequest } from '../../../../../test/kit/http/raw-http.ts';

const app = fixture(startApp);
const owner = fixture(() => app.newPlayer());
const other = fixture(() => app.newPlayer());

const b64 = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const HEADER = { alg: 'HS256', typ: 'JWT' };
type Deps = { header?: unknown; payload?: unknown; key?: string | Buffer; hash?: string };

/** Signs a token with the real key. The token is valid except for the given differences. */
function forge({ header = {}, payload = {}, key = app.config.JWT_SECRET, hash = 'sha256' }: Deps): string {
  const isRecord = typeof payload === 'object' && !Array.isArray(payload);
  const whole = isRecord ? { ...decodeJwt(owner.token), ...payload } : payload;
  const text = `${b64({ ...HEADER, ...(header as object) })}.${b64(whole)}`;
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed = generateKeyPairSync('ed25519');
const rsaPublic = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const signedBy = (alg: string, more: object = {}) => {
  const text = `${b64({ alg, typ: 'JWT', ...more })}.${b64(decodeJwt(owner.token))}`;
  const signature =
    alg === 'EdDSA'
      ? sign(null, Buffer.from(text), ed.privateKey)
      : sign('sha256', Buffer.from(text), rsa.privateKey);
  return `${text}.${signature.toString('base64url')}`;
};
const jwk = () => rsa.publicKey.export({ format: 'jwk' });
const now = () => Math.floor(Date.now() / 1000);
const unsigned = (alg: string, signature = '') =>
  `${b64({ ...HEADER, alg })}.${b64(decodeJwt(owner.token))}.${signature}`;
const parts = () => owner.token.split('.') as [string, string, string];
const lastLetter = (by: number) => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return owner.token.slice(0, -1) + letters[letters.indexOf(owner.token.at(-1)!) + by];
};
const flipped = (i: number) => {
  const bytes = Buffer.from(parts()[2], 'base64url');
  bytes[i]! ^= 1;
  return [parts()[0], parts()[1], bytes.toString('base64url')].join('.');
};
const socketToken = async () =>
  (await app.call('POST', `/debug/auth/login/${owner.username}`)).body.socketToken.token as string;

type Forgeries = Record<string, string>;

const byKeyAndAlgorithm = (signature: string): Forgeries => ({
  ...Object.fromEntries(['none', 'None', 'NONE', 'nOnE', ''].map((a) => [`alg ${a}`, unsigned(a)])),
  'alg none with the signature': unsigned('none', signature),
  'alg none in two parts': unsigned('none').slice(0, -1),
  'no alg': forge({ header: { alg: undefined } }),
  'HS384 with the key': forge({ header: { alg: 'HS384' }, hash: 'sha384' }),
  'HS512 with the key': forge({ header: { alg: 'HS512' }, hash: 'sha512' }),
  'RS256 over the shared key': forge({ header: { alg: 'RS256' } }),
  'RS256 with a key pair of their own': signedBy('RS256'),
  'HS256 over their public key': forge({ key: rsaPublic }),
  'EdDSA with a key pair of their own': signedBy('EdDSA'),
  'another key': forge({ key: 'x'.repeat(64) }),
  'no key': forge({ key: '' }),
  'a usual key': forge({ key: 'secret' }),
  'the key of another purpose': forge({ key: app.config.SEED_SECRET }),
  'half the key': forge({ key: app.config.JWT_SECRET.slice(0, 32) }),
  'the bytes that the key looks like': forge({ key: Buffer.from(app.config.JWT_SECRET, 'hex') }),
  'kid out of the tree': forge({ header: { kid: '../../../../dev/null' }, key: '' }),
  'kid with SQL': forge({ header: { kid: "x' union select 'k" }, key: 'k' }),
  jku: signedBy('RS256', { jku: 'https://evil.example/jwks.json', kid: '1' }),
  jwk: signedBy('RS256', { jwk: jwk() }),
  x5u: signedBy('RS256', { x5u: 'https://evil.example/cert.pem' }),
  'jwk of a shared key': forge({ header: { jwk: { kty: 'oct', k: b64('mine') } }, key: 'mine' }),
  'an unknown crit': forge({ header: { crit: ['evil'], evil: 1 } }),
  'typ of something else': forge({ header: { typ: 'refresh+jwt' } }),
  'no typ': forge({ header: { typ: undefined } }),
});

const byClaims = async (otherSid: unknown): Promise<Forgeries> => ({
  'the socket token': await socketToken(),
  'audience socket': forge({ payload: { aud: 'socket' } }),
  'other audiences': forge({ payload: { aud: ['socket', 'admin'] } }),
  'no audience': forge({ payload: { aud: undefined } }),
  'another issuer': forge({ payload: { iss: 'somebody' } }),
  'issuer in another case': forge({ payload: { iss: 'Croupier' } }),
  'no issuer': forge({ payload: { iss: undefined } }),
  'expired a second ago': forge({ payload: { exp: now() - 1 } }),
  'expires now': forge({ payload: { exp: now() } }),
  'no expiry': forge({ payload: { exp: undefined } }),
  'expiry as text': forge({ payload: { exp: String(now() + 600) } }),
  'expiry null': forge({ payload: { exp: null } }),
  'valid in a minute': forge({ payload: { nbf: now() + 60 } }),
  ...Object.fromEntries(
    ['sid', 'sub', 'jti'].map((c) => [`no ${c}`, forge({ payload: { [c]: undefined } })]),
  ),
  'an unknown session': forge({ payload: { sid: randomUUID() } }),
  'a session that is no uuid': forge({ payload: { sid: "' or 1=1 --" } }),
  'a list of sessions': forge({ payload: { sid: [otherSid] } }),
  "the user and another's session": forge({ payload: { sid: otherSid } }),
  'a payload that is no record': forge({ payload: [1] }),
  'a payload that is no JSON': forge({ payload: '{"sub"' }),
});

const bySpelling = (
  [header, payload, signature]: readonly string[],
  [, otherPayload, otherSignature]: readonly string[],
  otherSid: unknown,
): Forgeries => ({
  'altered payload': [header, b64({ ...decodeJwt(owner.token), sub: String(other.id) }), signature].join('.'),
  'altered session': [header, b64({ ...decodeJwt(owner.token), sid: otherSid }), signature].join('.'),
  'altered header': [b64({ ...HEADER, x: 1 }), payload, signature].join('.'),
  "another's payload": [header, otherPayload, signature].join('.'),
  "another's signature": [header, payload, otherSignature].join('.'),
  'stripped signature': `${header}.${payload}.`,
  'no signature': `${header}.${payload}`,
  'truncated signature': owner.token.slice(0, -4),
  'first bit of the signature': flipped(0),
  'last bit of the signature': flipped(31),
  'spare bits of the last letter': lastLetter(1),
  'padded signature': `${owner.token}=`,
  'trailing dot': `${owner.token}.`,
  'trailing bytes': `${owner.token}AAAA`,
  'trailing NUL as text': `${owner.token}%00`,
  'a tab inside': owner.token.replace('.', '.\t'),
  'a high byte': `${owner.token}\xff`,
  'plain base64': `${b64(HEADER)}+/.${payload}.${signature}`,
  'five parts': `${owner.token}.a.b`,
  'JSON serialization': JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
  lowercased: owner.token.toLowerCase(),
  'the refresh token': owner.refreshToken,
  'nobody in words': 'undefined',
  dots: '..',
  'large, with the key': forge({ payload: { filler: 'x'.repeat(3000) } }),
  huge: `${owner.token}${'A'.repeat(15_000)}`,
  'larger than any header': 'A'.repeat(40_000),
});

/** All tokens to test. None of them is the owner's valid token. */
const forgeries = async (): Promise<Forgeries> => {
  const { sid: otherSid } = decodeJwt(other.token);
  return {
    ...byKeyAndAlgorithm(parts()[2]),
    ...(await byClaims(otherSid)),
    ...bySpelling(parts(), other.token.split('.'), otherSid),
  };
};

const me = (headers: Record<string, string>) => rawRequest(app.url, 'GET', '/user/me', { headers });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

test('rejects each of more than 70 forged tokens as bearer or cookie, before and after the real token is cached', async () => {
  const variants = Object.entries(await forgeries());
  expect(variants.length).toBeGreaterThan(70);
  expect((await me(bearer(forge({})))).status).toBe(200);
  const seen: string[] = [];
  for (const real of [false, true]) {
    if (real) expect((await me(bearer(owner.token))).status).toBe(200);
    for (const [name, token] of variants) {
      for (const headers of [bearer(token), { cookie: `__Host-access_token=${token}` }])
        seen.push(`${name}: ${(await me(headers)).status}`);
      expect(app.services.sessions.authenticator.peek(token), name).toBeUndefined();
    }
  }
  expect(seen.filter((s) => !/: (401|431)$/.test(s))).toEqual([]);
  expect(app.lines).toEqual([]);
});
