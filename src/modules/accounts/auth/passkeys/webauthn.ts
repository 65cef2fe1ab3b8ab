import type { Config } from '../../../../platform/config.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { knownTransports } from './rules.ts';
import type { AssertionResponse, RegistrationResponse } from './schemas.ts';

/** EdDSA, ES256, RS256 (COSE): what authenticators speak, in the order in which we like it. */
export const ALGORITHMS = [-8, -7, -257];

type Deps = { config: Pick<Config, 'PASSKEY_RP_ID' | 'passkeyOrigins'>; log: Log };
type Credential = {
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: bigint;
  isBackedUp: boolean;
  transports: string[];
};

/** What the site expects of everything that is signed: its own pages, its own domain, a user who was verified. */
const expected = ({ PASSKEY_RP_ID, passkeyOrigins }: Deps['config'], challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: [...passkeyOrigins],
  expectedRPID: PASSKEY_RP_ID,
  requireUserVerification: true,
});

/** A new passkey as its authenticator has made it; undefined when it does not fit. */
export const verifyRegistration = (
  { config, log }: Deps,
  response: RegistrationResponse,
  challenge: string,
): Promise<Credential | undefined> =>
  orRefused(log, async () => {
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    await assertUncertified(response);
    const { registrationInfo } = await verifyRegistrationResponse({
      ...expected(config, challenge),
      response: jsonOf(response),
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) return undefined;
    const { credential, credentialBackedUp } = registrationInfo;
    // What is stored is what was attested, not the id beside it.
    if (credential.id !== response.id) throw new Error('the id is not that of the attested credential');
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      signCount: BigInt(credential.counter),
      isBackedUp: credentialBackedUp,
      transports: knownTransports(response.response.transports),
    };
  });

/**
 * What an authenticator says when it is used: undefined when the signature is not that of this key, or not for this challenge and site. The
 * count of uses is not judged here: it may only count once the signature is good, and under a lock.
 */
export const verifyAssertion = (
  { config, log }: Deps,
  response: AssertionResponse,
  { challenge, publicKey }: { challenge: string; publicKey: Buffer },
): Promise<{ signCount: bigint; isBackedUp: boolean } | undefined> =>
  orRefused(log, async () => {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected(config, challenge),
      response: jsonOf(response),
      credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    if (!verified) return undefined;
    const { newCounter, credentialBackedUp } = authenticationInfo;
    return { signCount: BigInt(newCounter), isBackedUp: credentialBackedUp };
  });

/**
 * Nobody asked for an attestation, and its certificates name addresses of revocation lists, which the library would fetch: whoever
 * registers would choose what the platform calls.
 */
async function assertUncertified({ response }: RegistrationResponse): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(
    new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
  );
  const format = attestation.get('fmt');
  const isSelfSigned = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfSigned) throw new Error('a certificate that nobody asked for');
}

/** Everything that the library throws is about what was sent. */
async function orRefused<T>(log: Log, verify: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await verify();
  } catch (error) {
    log.info({ reason: messageOf(error) }, 'a passkey was not accepted');
    return undefined;
  }
}

/** As the library takes it: what extensions say is not read. */
const jsonOf = <R extends RegistrationResponse | AssertionResponse>({ id, rawId, type, response }: R) => ({
  id,
  rawId,
  type,
  response: Object.fromEntries(
    Object.entries(response).filter(([, value]) => value !== null && value !== undefined),
  ) as { [K in keyof R['response']]: NonNullable<R['response'][K]> },
  clientExtensionResults: {},
});
