import { randomBytes } from 'node:crypto';
import {
  createModes,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  type SandboxService,
  setting,
} from './endpoint.ts';

type Challenges = Map<string, Challenge>;
type Challenge = { action: string | undefined; solvedAt: number; used: boolean };

const TOKEN_LIFE_MS = 5 * 60_000;

/** A CAPTCHA verifier with the siteverify protocol that reCAPTCHA, hCaptcha and Turnstile share. */
export function captcha({ url }: { url: string }): SandboxService {
  const challenges: Challenges = new Map();
  const modes = createModes(
    '/captcha/behaviour',
    ['ok', 'down', 'slow', 'garbage'],
    'Sets the behaviour of siteverify: ok, down (no response), slow (five seconds) or garbage (no JSON).',
  );
  return {
    name: 'Captcha',
    about: 'Verifies that the client is a person. A token is valid once and for five minutes.',
    settings: { CAPTCHA_VERIFY_URL: `${url}/captcha/siteverify` },
    endpoints: [
      {
        method: 'GET',
        path: '/captcha/widget.js',
        about:
          'The widget for CAPTCHA_SCRIPT_URL. It needs no interaction: each load gives the page a new token.',
        handle: () => ({
          status: 200,
          type: 'text/javascript; charset=utf-8',
          body: widgetWith(createToken(challenges, undefined)),
        }),
      },
      {
        method: 'POST',
        path: '/captcha/token',
        about:
          'Solves a challenge and returns { token } for x-captcha-token. The body may contain an action.',
        example: '{ "action": "sign-up" }',
        handle: (request) => issue(challenges, request),
      },
      {
        method: 'POST',
        path: '/captcha/siteverify',
        about: 'Verifies a token, sent as a form.',
        example: 'secret=…&response=<token>&remoteip=203.0.113.7',
        handle: modes.behaving((request) => json(200, verdict(challenges, request))),
      },
      modes.endpoint,
    ],
  };
}

function issue(challenges: Challenges, { body }: SandboxRequest): SandboxAnswer {
  const input = body === '' ? {} : parseObject(body);
  const action = input?.action;
  if (!input || (action !== undefined && typeof action !== 'string')) {
    return json(400, { error: 'the body is empty or { "action": "…" }' });
  }
  return json(200, { token: createToken(challenges, action) });
}

function createToken(challenges: Challenges, action: string | undefined): string {
  forgetOld(challenges);
  const token = randomBytes(32).toString('base64url');
  challenges.set(token, { action, solvedAt: Date.now(), used: false });
  return token;
}

/** Returns a script with one token and Turnstile's interface. A reset loads the script again, because each token can be used only once. */
const widgetWith = (token: string) => `
(() => {
  const own = (window.turnstile ??= {
    address: document.currentScript.src,
    render(place, { callback }) {
      place.textContent = 'Captcha of the sandbox: solved.';
      own.callback = callback;
      callback(own.token);
    },
    reset() {
      const next = document.createElement('script');
      next.src = own.address + '?' + Math.random();
      next.onload = () => next.remove();
      document.head.append(next);
    },
  });
  own.token = ${JSON.stringify(token)};
  own.callback?.(own.token);
})();
`;

function verdict(challenges: Challenges, { headers, body }: SandboxRequest) {
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return refusal('bad-request');
  const form = new URLSearchParams(body);
  const given = form.get('secret');
  const token = form.get('response');
  const problems = [];
  if (!given) problems.push('missing-input-secret');
  else if (given !== setting('CAPTCHA_SECRET', 'sandbox-captcha-secret'))
    problems.push('invalid-input-secret');
  if (!token) problems.push('missing-input-response');
  if (!token || problems.length > 0) return refusal(...problems);

  const challenge = challenges.get(token);
  if (!challenge) return refusal('invalid-input-response');
  if (challenge.used || isOld(challenge)) return refusal('timeout-or-duplicate');
  challenge.used = true;
  return {
    success: true,
    challenge_ts: new Date(challenge.solvedAt).toISOString(),
    hostname: 'localhost',
    ...(challenge.action !== undefined && { action: challenge.action }),
    'error-codes': [],
  };
}

const refusal = (...codes: string[]) => ({ success: false, 'error-codes': codes });

const isOld = ({ solvedAt }: Challenge) => Date.now() - solvedAt > TOKEN_LIFE_MS;

/**
 * Deletes tokens after twice their lifetime. Expired tokens are kept until then, because the responses for expired and unknown tokens
 * differ.
 */
function forgetOld(challenges: Challenges): void {
  for (const [token, { solvedAt }] of challenges) {
    if (Date.now() - solvedAt < 2 * TOKEN_LIFE_MS) return;
    challenges.delete(token);
  }
}
