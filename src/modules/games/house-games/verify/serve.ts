import { readFileSync } from 'node:fs';

/** The page on which anybody verifies bets (`npm run verifier` writes it). */
export const verifierPage = () => ({
  name: 'verify',
  path: '/verify',
  about: 'computes any bet again in your browser',
  html: () => readFileSync(new URL('../../../../../web/verifier/verify.html', import.meta.url), 'utf8'),
});
