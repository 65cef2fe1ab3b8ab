import { useRead } from '../kit/query.ts';

/** The part of the operator's public configuration that the lobby shows. */
export type Site = {
  maintenanceMessage?: string;
  supportEmail?: string | null;
  termsUrl?: string | null;
  privacyUrl?: string | null;
  responsibleGamblingUrl?: string | null;
  identityProviders?: readonly { name: string; path: string }[];
};

/** Undefined until the configuration is loaded. */
export const useSite = (): Site | undefined =>
  useRead('GET /config/{code}', { path: { code: 'USER' } }, { staleMs: 300_000 }).data;
