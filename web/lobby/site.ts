import { useRead } from '../kit/query.ts';

/** A VIP level and what it takes to reach it. */
export type Level = { level: number; wageredUsd: string; rewardUsd: string; boostPercent: number };

/** The part of the operator's public configuration that the lobby shows. */
export type Site = {
  maintenanceMessage?: string;
  minimumAge?: number;
  isRegistrationOpen?: boolean;
  supportEmail?: string | null;
  termsUrl?: string | null;
  privacyUrl?: string | null;
  responsibleGamblingUrl?: string | null;
  identityProviders?: readonly { name: string; path: string }[];
  isChatEnabled?: boolean;
  chat?: { rooms: readonly { id: string; name: string }[] };
  vip?: { ladder: readonly Level[]; rewardTurnoverPercent: number };
  rakeback?: { expiryDays: number | null };
  tips?: { recipientTurnoverPercent: number };
};

/** Reads the configuration, with the states of the request. */
export function useSiteRead() {
  const read = useRead('GET /config/{code}', { path: { code: 'USER' } }, { staleMs: 300_000 });
  return { ...read, data: read.data as Site | undefined };
}

/** Undefined until the configuration is loaded. */
export const useSite = (): Site | undefined => useSiteRead().data;
