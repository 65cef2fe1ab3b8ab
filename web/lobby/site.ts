import { useRead } from '../kit/query.ts';

/** What the operator has set and anybody may read, as far as the lobby shows it. */
export type Site = {
  maintenanceMessage?: string;
  supportEmail?: string | null;
  termsUrl?: string | null;
  privacyUrl?: string | null;
  responsibleGamblingUrl?: string | null;
  identityProviders?: readonly { name: string; path: string }[];
};

/** Undefined until it is known. */
export const useSite = (): Site | undefined =>
  useRead('GET /config/{code}', { path: { code: 'USER' } }, { staleMs: 300_000 }).data;
