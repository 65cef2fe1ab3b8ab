import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { Player, TestApp } from '../app.ts';

export const STEP_MS = 30_000;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/**
 * Returns the RFC 6238 code (SHA-1, 30 s) of a base32 secret at a time in milliseconds. Implemented independently of the product, so that
 * tests can compare both.
 */
export function code(secret: string, at: number = Date.now(), digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** Returns a well-formed code that is currently invalid. */
export function wrongCode(secret: string): string {
  const now = Date.now();
  const right = [-2, -1, 0, 1, 2].map((steps) => code(secret, now + steps * STEP_MS));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(
    (guess) => !right.includes(guess),
  )!;
}

/** Enables the second factor of a user who has none, in their session. */
export async function turnOnMfa({ db }: Pick<TestApp, 'db'>, { id, call }: Pick<Player, 'id' | 'call'>) {
  const { secret } = (await call('GET', '/user/generate-2fa')).body as { secret: string };
  const answer = await call('POST', '/user/enable-2fa', { body: { mfaCode: code(secret) } });
  expect(answer.status, answer.text).toBe(201);
  return {
    secret,
    recoveryCodes: answer.body.recoveryCodes as string[],
    /** Returns the current code and resets the last used time step, so that tests need not wait for the next code. */
    code: async (): Promise<string> => {
      await db.updateTable('mfa_secrets').set({ last_step: 0n }).where('user_id', '=', id).execute();
      return code(secret);
    },
  };
}
