import { z } from 'zod';
import { line, object, strictObject, Timestamp } from '../../../../http/schemas.ts';

/** Bytes as browsers write them into JSON. */
const Base64Url = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[\w-]+$/, 'needs base64url');
/** What extensions of a browser have answered: nothing is read of it. */
const Extensions = z.record(z.string(), z.unknown());

const credential = {
  id: Base64Url(1364),
  rawId: Base64Url(1364),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(32).nullable().optional(),
  clientExtensionResults: Extensions.optional(),
};
const ClientDataJson = Base64Url(4096);

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.create`. */
const RegistrationResponse = strictObject('PasskeyRegistrationResponse', {
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
export type RegistrationResponse = z.output<typeof RegistrationResponse>;

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.get`. */
const AssertionResponse = strictObject('PasskeyAssertionResponse', {
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

const Descriptor = object('PasskeyDescriptor', {
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()),
});

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const RegistrationOptions = object('PasskeyRegistrationOptions', {
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
  timeout: z.number().int(),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const AssertionOptions = object('PasskeyAssertionOptions', {
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.number().int(),
  allowCredentials: z.array(Descriptor),
  userVerification: z.literal('required'),
});

export const Passkey = object('Passkey', {
  id: z.string(),
  name: z.string(),
  isBackedUp: z.boolean().meta({ description: 'Whether it is also kept elsewhere than on one device.' }),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});

export const SecondFactors = object('SecondFactors', {
  passkeys: z.array(Passkey),
  isAppEnabled: z.boolean(),
  recoveryCodesLeft: z.number().int(),
});

const Name = line(64).meta({ description: 'What its owner calls it.', example: 'Laptop' });

export const NewPasskey = strictObject('NewPasskey', { name: Name, response: RegistrationResponse });

export const PasskeyAdded = object('PasskeyAdded', {
  passkey: Passkey,
  recoveryCodes: z
    .array(z.string())
    .optional()
    .meta({ description: 'Ten, shown this once, with the first second factor of an account.' }),
});

export const PasskeyPath = z.strictObject({ id: z.uuid() });
export const PasskeyName = strictObject('PasskeyName', { name: Name });
export const RemovePasskey = z.strictObject({ mfaCode: z.string().min(1).max(64).optional() });

export const PasskeyProof = strictObject('PasskeyProof', { response: AssertionResponse });

export const PasskeyProven = object('PasskeyProven', {
  mfaCode: z
    .string()
    .meta({ description: 'Goes where a code of the authenticator app goes, once, in this session.' }),
  expiresAt: Timestamp,
});

export const PasskeySignInOptions = object('PasskeySignInOptions', {
  attempt: z.string().meta({ description: 'Comes back with the passkey.' }),
  options: AssertionOptions,
});

export const PasskeySignIn = strictObject('PasskeySignIn', {
  attempt: z.string().min(1).max(64),
  response: AssertionResponse,
});

const HalfSignedIn = {
  token: z.string().min(1).max(128).meta({ description: 'Of a sign-in that answered `requireMfa`.' }),
  provider: z.string().max(64).optional(),
  state: z.string().max(512).optional(),
};
export const SecondFactorOptions = strictObject('PasskeySecondFactorOptions', HalfSignedIn);
export const SecondFactor = strictObject('PasskeySecondFactor', {
  ...HalfSignedIn,
  response: AssertionResponse,
});
