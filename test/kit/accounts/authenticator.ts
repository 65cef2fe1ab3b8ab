import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign as signWith } from 'node:crypto';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';
type Options = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } };
/** Incorrect values that an authenticator or browser sends instead of the correct ones. */
export type Lies = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  isVerified?: boolean;
  isPresent?: boolean;
  count?: number;
  /** Sets the flags of a synced passkey: backup eligible and backed up. */
  isSynced?: boolean;
  userHandle?: string | null;
  isFramed?: boolean;
  /** Attestation other than `none`: its format and statement (CBOR). */
  attestation?: { format: string; statement: Buffer };
  id?: string;
  algorithm?: number;
};
export type Authenticator = ReturnType<typeof createAuthenticator>;
export type Credential = {
  id: string;
  key: KeyObject;
  algorithm: Algorithm;
  userHandle: string;
  count: number;
};

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/**
 * A software implementation of an authenticator and a browser. It creates passkeys and signs as WebAuthn level 2 requires, or sends the
 * incorrect values in `lies`. `counts` enables the signature counter, which synced passkeys do not have.
 */
export function createAuthenticator({
  origin,
  algorithm = 'ES256',
  counts = false,
}: {
  origin: string;
  algorithm?: Algorithm;
  counts?: boolean;
}) {
  const credentials: Credential[] = [];
  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.isFramed ?? false,
      }),
    );

  return {
    credentials,

    /** Returns the result of `navigator.credentials.create` for these options, as JSON. */
    create(options: Options, lies: Lies = {}) {
      const { publicKey, privateKey } = keyPair(algorithm);
      const id = randomBytes(32);
      const made: Credential = {
        id: base64url(id),
        key: privateKey,
        algorithm,
        userHandle: options.user!.id,
        count: counts ? 1 : 0,
      };
      credentials.push(made);
      const authData = Buffer.concat([
        authenticatorData(lies.rpId ?? options.rp!.id, { ...lies, count: lies.count ?? made.count }, 0x40),
        Buffer.alloc(16),
        uint16(id.length),
        id,
        coseKey(publicKey, algorithm, lies.algorithm),
      ]);
      const { format, statement } = lies.attestation ?? { format: 'none', statement: map([]) };
      const attestationObject = map([
        [text('fmt'), text(format)],
        [text('attStmt'), statement],
        [text('authData'), bytes(authData)],
      ]);
      return {
        id: lies.id ?? made.id,
        rawId: lies.id ?? made.id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: { credProps: { rk: true } },
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', options.challenge, lies)),
          attestationObject: base64url(attestationObject),
          transports: ['internal', 'hybrid', 'a way that nobody knows'],
        },
      };
    },

    /** Returns the result of `navigator.credentials.get` for these options. Uses the newest passkey unless another one is given. */
    get(options: Options, lies: Lies = {}, credential: Credential = credentials.at(-1)!) {
      if (counts) credential.count++;
      const authData = authenticatorData(
        lies.rpId ?? options.rpId!,
        { ...lies, count: lies.count ?? credential.count },
        0,
      );
      const client = clientData('webauthn.get', options.challenge, lies);
      const signature = signed(credential, Buffer.concat([authData, sha256(client)]));
      const handle = lies.userHandle === undefined ? credential.userHandle : lies.userHandle;
      return {
        id: lies.id ?? credential.id,
        rawId: lies.id ?? credential.id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(signature),
          userHandle: handle,
        },
      };
    },
  };
}

function keyPair(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return algorithm === 'EdDSA'
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
}

const signed = ({ algorithm, key }: Credential, data: Buffer): Buffer =>
  signWith(algorithm === 'EdDSA' ? null : 'sha256', data, key);

function authenticatorData(
  rpId: string,
  { isPresent = true, isVerified = true, isSynced = false, count }: Lies,
  more: number,
): Buffer {
  const flags = (isPresent ? 0x01 : 0) | (isVerified ? 0x04 : 0) | (isSynced ? 0x18 : 0) | more;
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(count!);
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
}

/** Returns the public key in COSE format (RFC 9053). */
function coseKey(key: KeyObject, algorithm: Algorithm, otherAlgorithm?: number): Buffer {
  const { x, y, n, e } = key.export({ format: 'jwk' });
  const of = (part: string | undefined) => bytes(Buffer.from(part!, 'base64url'));
  const alg = (number: number) => [int(3), int(otherAlgorithm ?? number)] as const;
  if (algorithm === 'ES256')
    return map([[int(1), int(2)], alg(-7), [int(-1), int(1)], [int(-2), of(x)], [int(-3), of(y)]]);
  if (algorithm === 'EdDSA') return map([[int(1), int(1)], alg(-8), [int(-1), int(6)], [int(-2), of(x)]]);
  return map([[int(1), int(3)], alg(-257), [int(-1), of(n)], [int(-2), of(e)]]);
}

/** The subset of CBOR (RFC 8949) needed for COSE keys and attestations. */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(value)]);
}
const int = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
export const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
export const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
export const map = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);
export const array = (items: readonly Buffer[]) => Buffer.concat([head(4, items.length), ...items]);
export const cborInt = int;

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(value);
  return buffer;
}
