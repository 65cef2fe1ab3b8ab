import {
  type PasskeyAssertionOptions,
  type PasskeyAssertionResponse,
  type PasskeyRegistrationOptions,
  type PasskeyRegistrationResponse,
  Refused,
} from '../../client/call.ts';
import { call } from './api.ts';
import { kit } from './words.ts';

/** True if this browser supports passkeys in JSON format. */
export const hasPasskeys =
  typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** Creates a passkey in the browser. Throws `Refused` if the browser does not create one. */
export const createPasskey = (options: PasskeyRegistrationOptions): Promise<PasskeyRegistrationResponse> =>
  inWords(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
  );

/** Lets the user select a passkey. Throws `Refused` if the user cancels. */
export const askForPasskey = (options: PasskeyAssertionOptions): Promise<PasskeyAssertionResponse> =>
  inWords(() =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  );

/** Checks a passkey as the second factor of this session. Returns a value that can replace a code in one request. */
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
