import {
  type PasskeyAssertionOptions,
  type PasskeyAssertionResponse,
  type PasskeyRegistrationOptions,
  type PasskeyRegistrationResponse,
  Refused,
} from '../../client/call.ts';
import { call } from './api.ts';
import { kit } from './words.ts';

/** Whether this browser reads and writes passkeys in JSON. */
export const hasPasskeys =
  typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** Lets the browser make a passkey. Throws `Refused` when it does not. */
export const createPasskey = (options: PasskeyRegistrationOptions): Promise<PasskeyRegistrationResponse> =>
  inWords(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
  );

/** Lets the person choose one of their passkeys. Throws `Refused` when they do not. */
export const askForPasskey = (options: PasskeyAssertionOptions): Promise<PasskeyAssertionResponse> =>
  inWords(() =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  );

/** Proves the second factor of this session; answers what goes where a code goes, once. */
export async function provePasskey(): Promise<string> {
  const response = await askForPasskey(await call('POST /user/passkeys/proof/options', {}));
  return (await call('POST /user/passkeys/proof', { body: { response } })).mfaCode;
}

async function inWords<T>(work: () => Promise<Credential | null>): Promise<T> {
  try {
    return ((await work()) as PublicKeyCredential).toJSON() as T;
  } catch (error) {
    const { name, message } = error as Error;
    throw new Refused(0, { code: 'PASSKEY_NOT_GIVEN', message: kit.passkeyRefusals[name] ?? message });
  }
}
