import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { Player, TestApp } from './app.ts';

export const STEP_MS = 30_000;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of RFC 6238 (SHA-1, 30 s) for a secret in base32 at a moment in ms: written anew, to have something to compare with. */
export function code(secret: string, at: number = Date.now(), digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** A code of the right form that is none of those which count now. */
export function wrongCode(secret: string): string {
  const now = Date.now();
  const right = [-2, -1, 0, 1, 2].map((steps) => code(secret, now + steps * STEP_MS));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(
    (guess) => !right.includes(guess),
  )!;
}

/** Turns on the second factor of a user who has none, in their session. */
export async function turnOnMfa({ db }: Pick<TestApp, 'db'>, { id, call }: Pick<Player, 'id' | 'call'>) {
  const { secret } = (await call('GET', '/user/generate-2fa')).body as { secret: string };
  const answer = await call('POST', '/user/enable-2fa', { body: { mfaCode: code(secret) } });
  expect(answer.status, answer.text).toBe(201);
  return {
    secret,
    recoveryCodes: answer.body.recoveryCodes as string[],
    /** The code of now, as if no code had been used yet: tests do not wait for the next one. */
    code: async (): Promise<string> => {
      await db.updateTable('mfa_secrets').set({ last_step: 0n }).where('user_id', '=', id).execute();
      return code(secret);
    },
  };
}
