import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { type Outbound, Unanswered } from '../../../platform/net/outbound.ts';
import type { KycMessage, Tier } from './rules.ts';
import type { Person } from './schemas.ts';

/** A company that verifies documents. Its requests throw NotSent or Unanswered (platform/net/outbound.ts). */
export type KycProvider = {
  /** The path segment of the provider in its webhook URL. */
  id: string;
  /** The provider's names of its levels. */
  levels: Readonly<Record<DocumentTier, string>>;
  /** Returns the provider's id for a player. Creates an applicant if the player has none. Safe to repeat. */
  ensureApplicant(request: ApplicantRequest): Promise<string>;
  /** Creates a token with which the player's browser submits documents to the provider. */
  createToken(request: TokenRequest): Promise<{ accessToken: string; expiresAt: Date }>;
  /** Returns true if the provider has signed exactly these bytes. */
  isSigned(raw: Buffer, headers: IncomingHttpHeaders): boolean;
  /**
   * Returns the alpha-2 code of the country that issued a player's identity document, or null if the provider does not know one.
   * Implemented only for providers whose webhooks do not contain the country.
   */
  findDocumentCountry?(applicantId: string): Promise<string | null>;
  /** Known field names of the provider's webhooks. Unknown names are counted in a metric. */
  fields: ReadonlySet<string>;
  /** Reads a signed webhook. Throws 400 VALIDATION_FAILED. */
  read(raw: Buffer): KycMessage;
};

export type ProviderDeps = Pick<KycProvider, 'levels'> & { config: Config; clock: Clock; outbound: Outbound };

export type DocumentTier = Exclude<Tier, 'BASIC'>;
/**
 * `applicantId` is the player's id at the provider, if known. `person` is the identity that the player stated; null if only staff entered
 * data.
 */
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

/**
 * Parses a provider's response. Throws Unanswered if the response is not as expected, because the effect of the request is then unknown.
 */
export function readAnswer<S extends z.ZodType>(
  { status, text }: { status: number; text: string },
  schema: S,
): z.output<S> {
  // The response may contain personal data, so only its status is logged.
  if (status >= 400) throw new Unanswered(`returned status ${status}`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Unanswered('returned an unexpected response');
  }
}
