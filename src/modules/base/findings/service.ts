import { int4Array, textArray } from '../../../platform/database/arrays.ts';
import type { Statement } from '../../../platform/database/db.ts';

/** Provider of findings about partners that supply no games. */
export const NO_PROVIDER = 0;

/** Something that staff have to decide about. Stored once per provider, kind and subject. */
export type NewFinding = {
  providerId: number;
  /** The partner, if it supplies no games (`sumsub`, `skins`). */
  partner?: string;
  kind: string;
  subject: string;
  userId: number | null;
  facts: object;
};

/** Stores findings that do not exist yet. */
export function insertFindings(findings: readonly NewFinding[]): Statement {
  return {
    name: 'provider.findings',
    text: `insert into provider_findings (provider_id, partner, kind, subject, user_id, facts)
      select provider_id, partner, kind, subject, user_id, facts::jsonb
      from unnest($1::int4[], $2::text[], $3::text[], $4::int4[], $5::text[], $6::text[])
        v(provider_id, kind, subject, user_id, facts, partner)
      on conflict (provider_id, kind, subject) do nothing`,
    values: [
      int4Array(findings.map((f) => f.providerId)),
      textArray(findings.map((f) => f.kind)),
      textArray(findings.map((f) => f.subject)),
      int4Array(findings.map((f) => f.userId)),
      textArray(findings.map((f) => JSON.stringify(f.facts))),
      textArray(findings.map((f) => f.partner ?? null)),
    ],
  };
}
