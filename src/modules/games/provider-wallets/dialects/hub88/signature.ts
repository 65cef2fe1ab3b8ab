import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Checks RSA PKCS#1 v1.5 signatures with SHA-256 in base64 by any of the keys, each of which is parsed once. */
export function createVerifier(pems: readonly string[]) {
  const keys = pems.map((pem) => createPublicKey(pem));
  return (raw: Buffer, header: string | string[] | undefined): boolean => {
    // A header sent twice comes joined by a comma.
    if (typeof header !== 'string' || !/^[A-Za-z0-9+/]{1,2000}={0,2}$/.test(header)) return false;
    const signature = Buffer.from(header, 'base64');
    if (signature.toString('base64') !== header) return false;
    return keys.some((key) => verify('sha256', raw, key, signature));
  };
}

export function createSigner(pem: string): (text: string) => string {
  const key: KeyObject = createPrivateKey(pem);
  return (text) => sign('sha256', Buffer.from(text), key).toString('base64');
}
