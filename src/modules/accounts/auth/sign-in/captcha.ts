import { z } from 'zod';
import type { Config } from '../../../../platform/config/config.ts';
import { authErrors } from '../errors.ts';

const Verdict = z.object({ success: z.boolean() });
const TIMEOUT_MS = 3000;

/**
 * Checks a captcha token with the siteverify protocol that reCAPTCHA, hCaptcha and Turnstile share. Throws AUTH_INVALID_CAPTCHA if the
 * response is missing, late or invalid. The fixed local token is valid only if APP_ENV is `local`.
 */
export function createCaptcha(config: Config) {
  return async (token: string | undefined, ip: string): Promise<void> => {
    if (!token) throw authErrors.AUTH_RECAPTCHA_TOKEN_MISSING();
    if (config.APP_ENV === 'local' && token === config.CAPTCHA_LOCAL_TOKEN) return;
    if (token.length > 4096 || !(await isSolved(token, ip, config))) throw authErrors.AUTH_INVALID_CAPTCHA();
  };
}

async function isSolved(token: string, ip: string, config: Config): Promise<boolean> {
  try {
    const response = await fetch(config.CAPTCHA_VERIFY_URL!, {
      method: 'POST',
      body: new URLSearchParams({ secret: config.CAPTCHA_SECRET, response: token, remoteip: ip }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.ok && Verdict.parse(await response.json()).success;
  } catch {
    return false;
  }
}
