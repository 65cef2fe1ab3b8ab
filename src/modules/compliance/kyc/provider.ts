import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import { type Outbound, Unanswered } from '../../../platform/outbound.ts';
import type { KycReport, Tier } from './rules.ts';
import type { Person } from './schemas.ts';

/** A party that examines documents. Its requests throw NotSent or Unanswered (platform/outbound.ts). */
export type KycProvider = {
  /** Segment of its webhook address. */
  id: string;
  /** The provider's names of its levels. */
  levels: Readonly<Record<DocumentTier, string>>;
  /** The provider's id of a player, created if there is none. Safe to repeat. */
  ensureApplicant(request: ApplicantRequest): Promise<string>;
  /** What lets the player's browser show documents to the provider. */
  createToken(request: TokenRequest): Promise<{ accessToken: string; expiresAt: Date }>;
  /** Whether the provider has signed exactly these bytes. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /** What a signed webhook reports; undefined: nothing about a tier. Throws 400 VALIDATION_FAILED. */
  read(raw: Buffer): KycReport | undefined;
};

export type ProviderDeps = Pick<KycProvider, 'levels'> & { config: Config; clock: Clock; outbound: Outbound };

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

/** What a provider has answered. Throws Unanswered for anything but what was asked for: nobody can say what it did. */
export function readAnswer<S extends z.ZodType>(
  { status, text }: { status: number; text: string },
  schema: S,
): z.output<S> {
  // The answer may contain personal data: only its status is for the log.
  if (status >= 400) throw new Unanswered(`answered ${status}`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Unanswered('answered something that is not what was asked for');
  }
}
