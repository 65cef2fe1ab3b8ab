import { readFileSync } from 'node:fs';

/** The page on which anybody verifies bets (`npm run verifier` writes it). */
export const verifierPage = () => ({
  path: '/verify',
  html: readFileSync(new URL('page/verify.html', import.meta.url), 'utf8'),
});
