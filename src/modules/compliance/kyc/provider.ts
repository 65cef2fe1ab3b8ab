import type { IncomingHttpHeaders } from 'node:http';
import type { Tier, TierNotice } from './rules.ts';
import type { Person } from './schemas.ts';

/** A party that looks at documents. Its requests throw NotSent or Unanswered (platform/outbound.ts). */
export type KycProvider = {
  /** Segment of its webhook address. */
  id: string;
  /** The name of its level for a tier. */
  levelOf(tier: DocumentTier): string;
  /** The provider's id of a player, created if there is none. Safe to repeat. */
  ensureApplicant(request: ApplicantRequest): Promise<string>;
  /** What lets the player's browser show documents to the provider. */
  createToken(request: TokenRequest): Promise<{ accessToken: string; expiresAt: Date }>;
  /** Whether the provider has signed exactly these bytes. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** What a signed notice says. Throws 400 VALIDATION_FAILED. A notice about nothing of ours: undefined. */
  read(raw: Buffer): KycNotice | undefined;
};

export type DocumentTier = Exclude<Tier, 'BASIC'>;
/** `applicantId`: the player's id there, if known. `person`: what the player has stated, null if only staff entered anything. */
export type ApplicantRequest = {
  userId: number;
  applicantId: string | null;
  levelName: string;
  person: Person | null;
};
export type TokenRequest = {
  userId: number;
  applicantId: string;
  levelName: string;
  language: string | undefined;
};

/** `tier` null: a level that is none of ours. */
export type KycNotice = Omit<TierNotice, 'provider'> & {
  eventId: string;
  applicantId: string;
  userId: number | null;
  tier: Tier | null;
};
