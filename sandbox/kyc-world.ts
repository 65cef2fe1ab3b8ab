import { randomBytes } from 'node:crypto';

export const TIERS = ['IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;

/** `levels`: the levels for which tokens were requested, in order. `idDocs`: the examined documents in Sumsub's format. */
export type Applicant = {
  id: string;
  userId: number;
  person: Record<string, unknown> | null;
  levels: string[];
  idDocs: Record<string, unknown>[];
};
export type KycWorld = {
  key: string;
  secret: string;
  webhookSecret: string;
  /** Levels in the order of TIERS. */
  levels: readonly string[];
  /** Applicants by user id. */
  applicants: Map<number, Applicant>;
};

/** Returns a user's applicant, creating one if needed. The given personal data replaces the stored data. */
export function applicantOf(world: KycWorld, userId: number, person: Applicant['person']): Applicant {
  const known = world.applicants.get(userId);
  const applicant = known ?? {
    id: randomBytes(12).toString('hex'),
    userId,
    person: null,
    levels: [],
    idDocs: [],
  };
  if (person) applicant.person = person;
  world.applicants.set(userId, applicant);
  return applicant;
}
