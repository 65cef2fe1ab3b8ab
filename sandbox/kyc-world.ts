import { randomBytes } from 'node:crypto';

export const TIERS = ['IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;

/** `levels`: the levels that tokens were requested for, in order. */
export type Applicant = {
  id: string;
  userId: number;
  person: Record<string, unknown> | null;
  levels: string[];
};
export type KycWorld = {
  key: string;
  secret: string;
  webhookSecret: string;
  /** In the order of TIERS. */
  levels: readonly string[];
  /** By user id. */
  applicants: Map<number, Applicant>;
};

/** The applicant of a user, made when there is none. What is stated about them now replaces what was. */
export function applicantOf(world: KycWorld, userId: number, person: Applicant['person']): Applicant {
  const known = world.applicants.get(userId);
  const applicant = known ?? { id: randomBytes(12).toString('hex'), userId, person: null, levels: [] };
  if (person) applicant.person = person;
  world.applicants.set(userId, applicant);
  return applicant;
}
