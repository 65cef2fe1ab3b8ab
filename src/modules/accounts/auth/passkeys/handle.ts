import { createHmac } from 'node:crypto';
import type { Config } from '../../../../platform/config.ts';
import { deriveKey } from '../../../../platform/encryption.ts';

/**
 * By what authenticators know a user: the same for all of their passkeys, so that one device keeps one of an account, and nothing that
 * says who they are to somebody who finds the device.
 */
export const handleOf = ({ DATA_SECRET }: Pick<Config, 'DATA_SECRET'>, userId: number): string =>
  createHmac('sha256', deriveKey(DATA_SECRET, 'passkey users')).update(String(userId)).digest('base64url');
