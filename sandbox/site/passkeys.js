import { call, captcha } from './api.js';

const create = async (options) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return (await navigator.credentials.create({ publicKey })).toJSON();
};
const get = async (options) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
};

/** Adds a passkey to the account. Returns the recovery codes that come with the first second factor. */
export async function addPasskey(name) {
  const options = await call('POST', '/user/passkeys/registration/options');
  const response = await create(options);
  return call('POST', '/user/passkeys', { body: { name, response } });
}

/** Signs in with one of the browser's passkeys for this site. */
export async function signInWithPasskey() {
  const { attempt, options } = await call('POST', '/user/passkeys/sign-in/options');
  const response = await get(options);
  await call('POST', '/user/passkeys/sign-in', { body: { attempt, response }, headers: await captcha() });
}

/** Completes a sign-in with a passkey instead of a code. */
export async function completeWithPasskey(halfSignedIn) {
  const options = await call('POST', '/user/passkeys/second-factor/options', { body: halfSignedIn });
  const response = await get(options);
  await call('POST', '/user/passkeys/second-factor', { body: { ...halfSignedIn, response } });
}

/** Proves this session's second factor. Returns a single-use code, to be sent in place of an authenticator app's. */
export async function provePasskey() {
  const options = await call('POST', '/user/passkeys/proof/options');
  const response = await get(options);
  return (await call('POST', '/user/passkeys/proof', { body: { response } })).mfaCode;
}
