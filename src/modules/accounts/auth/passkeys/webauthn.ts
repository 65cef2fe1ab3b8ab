import { z } from 'zod';
import { strictObject } from '../../../../http/schemas.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Logs } from '../../../../platform/observability/log.ts';

/** Bytes in the encoding that browsers use in JSON (base64url). */
const Base64Url = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[\w-]+$/, 'needs base64url');

const credential = {
  id: Base64Url(1364),
  rawId: Base64Url(1364),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(32).nullable().optional(),
  // Results of WebAuthn extensions are ignored.
  clientExtensionResults: z.record(z.string(), z.unknown()).optional(),
};
const ClientDataJson = Base64Url(4096);

/** The result of `PublicKeyCredential.toJSON()` after `navigator.credentials.create`. */
export const RegistrationResponse = strictObject('PasskeyRegistrationResponse', {
  ...credential,
  response: z.strictObject({
    clientDataJSON: ClientDataJson,
    attestationObject: Base64Url(16_384),
    authenticatorData: Base64Url(16_384).optional(),
    transports: z.array(z.string().max(32)).max(16).optional(),
    publicKey: Base64Url(4096).nullable().optional(),
    publicKeyAlgorithm: z.number().int().optional(),
  }),
});
type RegistrationResponse = z.output<typeof RegistrationResponse>;

/** The result of `PublicKeyCredential.toJSON()` after `navigator.credentials.get`. */
export const AssertionResponse = strictObject('PasskeyAssertionResponse', {
  ...credential,
  response: z.strictObject({
    clientDataJSON: ClientDataJson,
    authenticatorData: Base64Url(4096),
    signature: Base64Url(2048),
    userHandle: Base64Url(128).nullable().optional(),
    attestationObject: Base64Url(16_384).nullable().optional(),
  }),
});
export type AssertionResponse = z.output<typeof AssertionResponse>;

/** The COSE ids of EdDSA, ES256 and RS256, in order of preference. */
export const ALGORITHMS = [-8, -7, -257];

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** Returns the known transports among those that a browser reports. */
export const knownTransports = (named?: readonly string[]): string[] =>
  TRANSPORTS.filter((transport) => named?.includes(transport));

type Deps = { config: Pick<Config, 'PASSKEY_RP_ID' | 'passkeyOrigins'>; log: Logs };
export type Credential = {
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: bigint;
  isBackedUp: boolean;
  isMultiDevice: boolean;
  transports: string[];
};

/** Every signature must be made on a page of this site and for its domain, and must include user verification. */
const expected = ({ PASSKEY_RP_ID, passkeyOrigins }: Deps['config'], challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: [...passkeyOrigins],
  expectedRPID: PASSKEY_RP_ID,
  requireUserVerification: true,
});

/** Returns the new passkey, or undefined if the response is invalid. */
export const verifyRegistration = (
  { config, log }: Deps,
  response: RegistrationResponse,
  challenge: string,
): Promise<Credential | undefined> =>
  undefinedOnError(log, async () => {
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    await assertNoCertificate(response);
    const { registrationInfo } = await verifyRegistrationResponse({
      ...expected(config, challenge),
      response: toLibraryInput(response),
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) return undefined;
    const { credential, credentialBackedUp, credentialDeviceType } = registrationInfo;
    // Only the attested id is stored, so the id outside the attestation must be identical.
    if (credential.id !== response.id) throw new Error('the id differs from the attested credential');
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      signCount: BigInt(credential.counter),
      isBackedUp: credentialBackedUp,
      isMultiDevice: credentialDeviceType === 'multiDevice',
      transports: knownTransports(response.response.transports),
    };
  });

/**
 * Returns the authenticator's data, or undefined if the signature was not made with this key for this challenge and site. The caller checks
 * the signature counter, because that requires a lock.
 */
export const verifyAssertion = (
  { config, log }: Deps,
  response: AssertionResponse,
  { challenge, publicKey }: { challenge: string; publicKey: Buffer },
): Promise<Pick<Credential, 'signCount' | 'isBackedUp' | 'isMultiDevice'> | undefined> =>
  undefinedOnError(log, async () => {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected(config, challenge),
      response: toLibraryInput(response),
      credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    if (!verified) return undefined;
    const { newCounter, credentialBackedUp, credentialDeviceType } = authenticationInfo;
    return {
      signCount: BigInt(newCounter),
      isBackedUp: credentialBackedUp,
      isMultiDevice: credentialDeviceType === 'multiDevice',
    };
  });

/**
 * Rejects attestation certificates. They contain URLs of revocation lists, which the library would fetch, so the client could choose which
 * addresses the server calls.
 */
async function assertNoCertificate({ response }: RegistrationResponse): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(
    new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
  );
  const format = attestation.get('fmt');
  const isSelfSigned = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfSigned) throw new Error('unexpected attestation certificate');
}

/** Returns undefined if `verify` throws. The library throws only for invalid input. */
async function undefinedOnError<T>(log: Logs, verify: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await verify();
  } catch (error) {
    log.named('auth').info({ reason: messageOf(error) }, 'passkey rejected');
    return undefined;
  }
}

/** Converts a response to the library's input format, without extension results. */
const toLibraryInput = <R extends RegistrationResponse | AssertionResponse>({
  id,
  rawId,
  type,
  response,
}: R) => ({
  id,
  rawId,
  type,
  response: Object.fromEntries(
    Object.entries(response).filter(([, value]) => value !== null && value !== undefined),
  ) as { [K in keyof R['response']]: NonNullable<R['response'][K]> },
  clientExtensionResults: {},
});
