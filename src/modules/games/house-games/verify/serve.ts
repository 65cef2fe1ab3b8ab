import { readFileSync } from 'node:fs';

/** The page on which anyone can verify bets. `npm run verifier` builds it. */
export const verifierPage = () => ({
  name: 'verify',
  path: '/verify',
  about: 'computes any bet again in your browser',
  html: () => readFileSync(new URL('../../../../../web/verifier/verify.html', import.meta.url), 'utf8'),
});
