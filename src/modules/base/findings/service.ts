import { hash } from 'node:crypto';
import { int4Array, textArray } from '../../../platform/database/arrays.ts';
import { type DbOrTx, run, type Statement } from '../../../platform/database/db.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';

/** The `providerId` of findings about partners that supply no games. */
export const NO_PROVIDER = 0;

/** An issue that needs a decision by staff. It is stored once per provider, kind and subject. */
export type NewFinding = {
  providerId: number;
  /** The name of a partner that supplies no games (`sumsub`, `skins`). */
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

export type PartnerReports = ReturnType<typeof createPartnerReports>;

/** The kind of findings about reports that could not be booked. */
const UNBOOKED = 'UNBOOKED_REPORT';
const CUT = 'AMOUNT_CUT';

/** The maximum number of bytes of a message that are stored in a finding. */
const MAX_STORED = 4096;

/** The partner that sent a report. `providerId` is set if the partner supplies games. */
type Partner = { slug: string; providerId?: number };

export type Unbooked = {
  reason: 'UNKNOWN_TYPE' | 'UNREADABLE' | 'UNBOOKABLE';
  type: string;
  /** The partner's id for the report. If the id is undefined, a hash of the message is used. */
  subject?: string | undefined;
  userId?: number | null;
  raw: Buffer;
  /** True if the message contains personal data. The finding then stores only a hash of the message. */
  isPersonal?: boolean;
};

type Cut = {
  subject: string;
  userId: number | null;
  facts: { said: string } & Record<string, unknown>;
};

/** Stores reports that cannot be booked as findings for staff, and counts unknown names in reports. */
export function createPartnerReports({ log, metrics }: { log: Log; metrics: Metrics }) {
  const countFields = createNameCounter((partner, field) => metrics.unknownFields.inc({ partner, field }));
  const countTypes = createNameCounter((partner, type) => metrics.unknownTypes.inc({ partner, type }));
  return {
    countFields,
    countType: (partner: string, type: string): void => countTypes(partner, [type]),

    /** Stores a report as a finding, once per subject. */
    async store(db: DbOrTx, { slug, providerId = NO_PROVIDER }: Partner, report: Unbooked): Promise<void> {
      const { reason, type, raw } = report;
      const digest = hash('sha256', raw, 'hex');
      const named = report.subject?.slice(0, 200) || undefined;
      const subject = storable(named ?? digest);
      const message = report.isPersonal ? { hash: digest } : { message: storable(start(raw)) };
      const facts = {
        reason,
        type: storable(type.slice(0, 200)),
        transactionId: named === undefined ? null : subject,
        ...message,
      };
      const of = { providerId, ...(providerId === NO_PROVIDER && { partner: slug }) };
      const userId = report.userId ?? null;
      await run(db, insertFindings([{ ...of, kind: UNBOOKED, subject, userId, facts }]));
      metrics.reportsUnbooked.inc({ provider: slug, reason });
      if (reason === 'UNKNOWN_TYPE') countTypes(slug, [type]);
      log.warn({ provider: slug, reason, type, subject }, 'partner report stored without booking');
    },

    /** Stores a finding about an amount whose digits below the platform's smallest unit were removed. */
    async storeCut(db: DbOrTx, { slug, providerId = NO_PROVIDER }: Partner, cut: Cut): Promise<void> {
      const { subject, userId } = cut;
      const facts = { ...cut.facts, said: cut.facts.said.slice(0, 200) };
      const of = { providerId, ...(providerId === NO_PROVIDER && { partner: slug }) };
      await run(db, insertFindings([{ ...of, kind: CUT, subject, userId, facts }]));
      metrics.amountsCut.inc({ provider: slug });
    },
  };
}

/** Truncates the message before decoding it, so that a long message does not cost more to decode. */
const start = (raw: Buffer): string => raw.subarray(0, MAX_STORED).toString();

/** Removes or replaces characters that PostgreSQL cannot store. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The number of names that are counted separately for each partner. All other names are counted as `other`. */
const MAX_NAMES = 20;
const NAME = /^[\w.-]{1,40}$/;

/** Counts names chosen by partners. Limits how many different metric labels partners can create. */
function createNameCounter(count: (partner: string, name: string) => void) {
  const namesOf = new Map<string, Set<string>>();
  return (partner: string, names: readonly string[]): void => {
    const known = namesOf.get(partner) ?? new Set();
    namesOf.set(partner, known);
    for (const given of names) {
      const name = given.trim().replaceAll(/\s+/g, '_');
      const isCounted = NAME.test(name) && (known.has(name) || known.size < MAX_NAMES);
      if (isCounted) known.add(name);
      count(partner, isCounted ? name : 'other');
    }
  };
}
