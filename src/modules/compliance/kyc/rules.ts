/** In their order: the level is how many of them are approved from the first on. */
export const TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;
export type Tier = (typeof TIERS)[number];
export const STATUSES = [
  ...(['NONE', 'PENDING', 'ON_HOLD', 'APPROVED', 'MANUALLY_APPROVED', 'REJECTED'] as const),
  ...(['RESUBMIT', 'EXPIRED'] as const),
] as const;
export type Status = (typeof STATUSES)[number];
export const REJECT_TYPES = ['RETRY', 'FINAL'] as const;
export type RejectType = (typeof REJECT_TYPES)[number];
export const CHECK_RESULTS = ['PASSED', 'FAILED', 'PENDING'] as const;

export type Check = { name: string; result: (typeof CHECK_RESULTS)[number]; detail: string | null; at: Date };

/** A tier of one player. `asOf`: when the newest thing happened that was accepted. */
export type TierState = {
  tier: Tier;
  status: Status;
  provider: string | null;
  asOf: Date;
  submittedAt: Date | null;
  decidedAt: Date | null;
  decidedBy: number | null;
  expiresAt: Date | null;
  moderationComment: string | null;
  clientComment: string | null;
  rejectLabels: readonly string[];
  rejectType: RejectType | null;
  checks: readonly Check[];
};

const UNDECIDED = {
  decidedAt: null,
  decidedBy: null,
  expiresAt: null,
  rejectType: null,
  rejectLabels: [],
  moderationComment: null,
  clientComment: null,
} as const;

/** A tier in which nothing has happened since `asOf`. */
export const nothingIn = (tier: Tier, asOf = new Date(0)): TierState => ({
  ...UNDECIDED,
  tier,
  status: 'NONE',
  provider: null,
  asOf,
  submittedAt: null,
  checks: [],
});

export const isApproved = ({ status }: Pick<TierState, 'status'>): boolean =>
  status === 'APPROVED' || status === 'MANUALLY_APPROVED';
export const isClosed = ({ status, rejectType }: TierState): boolean =>
  status === 'REJECTED' && rejectType === 'FINAL';
export const isInReview = ({ status }: Pick<TierState, 'status'>): boolean =>
  status === 'PENDING' || status === 'ON_HOLD';
/** Staff's approval is an approval to the player. */
export const shownStatus = (status: Status): Exclude<Status, 'MANUALLY_APPROVED'> =>
  status === 'MANUALLY_APPROVED' ? 'APPROVED' : status;
/** Whether the player may show something anew that was not enough. */
export const canResubmit = (state: TierState): boolean =>
  state.status === 'RESUBMIT' ||
  state.status === 'EXPIRED' ||
  (state.status === 'REJECTED' && !isClosed(state));

/** The tier as it counts at a moment: an approval ends when it expires. */
export const asOfNow = (state: TierState, now: Date): TierState =>
  isApproved(state) && state.expiresAt && state.expiresAt <= now ? { ...state, status: 'EXPIRED' } : state;

/** How many tiers are approved in their order: the first that is not ends the count. */
export function levelOf(states: readonly TierState[], now: Date): number {
  const missing = TIERS.findIndex((tier) => {
    const state = states.find((s) => s.tier === tier);
    return !state || !isApproved(asOfNow(state, now));
  });
  return missing < 0 ? TIERS.length : missing;
}

/** What a provider reports about a tier. `RESET`: everything that was shown no longer counts. */
export type ReportStatus = 'PENDING' | 'ON_HOLD' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'RESET';
export type TierReport = {
  provider: string;
  status: ReportStatus;
  checks: readonly Omit<Check, 'at'>[];
  rejectType: RejectType | null;
  rejectLabels: readonly string[];
  moderationComment: string | null;
  clientComment: string | null;
  expiresAt: Date | null;
  at: Date;
};

/** A report as the provider sends it. `tier` null: a level that is none of ours. */
export type KycReport = Omit<TierReport, 'provider'> & {
  eventId: string;
  applicantId: string;
  userId: number | null;
  tier: Tier | null;
};

/** What came of a report; all but APPLIED leave the tier as it is. */
export type Outcome = 'APPLIED' | 'STALE' | 'CLOSED' | 'STAFF_DECIDED';

/** Of reports about the same moment a decision counts, in whatever order they arrive. */
const WEIGHTS: Readonly<Record<Status | ReportStatus, number>> = {
  NONE: 0,
  RESET: 0,
  PENDING: 1,
  ON_HOLD: 2,
  APPROVED: 3,
  MANUALLY_APPROVED: 3,
  EXPIRED: 4,
  RESUBMIT: 5,
  REJECTED: 5,
};

/**
 * A tier after a provider's report. A report that is older than the last one applied changes nothing, and neither does any once the
 * tier is closed; an approval by staff yields only to a hold, a rejection or the end of a document.
 */
export function afterReport(
  state: TierState,
  report: TierReport,
  now: Date,
): { outcome: Outcome; next: TierState } {
  // A clock that is ahead must not make everything later look old.
  const at = report.at > now ? now : report.at;
  const isOlder =
    at < state.asOf ||
    (at.getTime() === state.asOf.getTime() && WEIGHTS[report.status] < WEIGHTS[state.status]);
  if (isOlder) return { outcome: 'STALE', next: state };
  if (isClosed(state)) return { outcome: 'CLOSED', next: state };
  if (state.status === 'MANUALLY_APPROVED' && ['PENDING', 'APPROVED', 'RESET'].includes(report.status))
    return { outcome: 'STAFF_DECIDED', next: state };
  return { outcome: 'APPLIED', next: applied(state, report, { at, now }) };
}

function applied(state: TierState, report: TierReport, { at, now }: { at: Date; now: Date }): TierState {
  if (report.status === 'RESET') return { ...nothingIn(state.tier, at), provider: report.provider };
  const said = { ...UNDECIDED, asOf: at, provider: report.provider, checks: checksAfter(state, report, at) };
  const { rejectLabels, moderationComment, clientComment } = report;
  const comments = { rejectLabels, moderationComment, clientComment };
  const open: TierState = {
    ...state,
    ...said,
    ...comments,
    submittedAt: isInReview(state) ? (state.submittedAt ?? at) : at,
  };
  const decided = { ...open, submittedAt: state.submittedAt ?? at, decidedAt: at };
  switch (report.status) {
    case 'PENDING':
    case 'ON_HOLD':
      return { ...open, status: report.status };
    case 'APPROVED':
      if (!said.checks.every(({ result }) => result === 'PASSED'))
        return { ...open, status: state.status === 'ON_HOLD' ? 'ON_HOLD' : 'PENDING' };
      return asOfNow({ ...decided, status: 'APPROVED', expiresAt: report.expiresAt }, now);
    case 'REJECTED': {
      const rejectType = report.rejectType ?? 'RETRY';
      return { ...decided, status: rejectType === 'FINAL' ? 'REJECTED' : 'RESUBMIT', rejectType };
    }
    case 'EXPIRED':
      return {
        ...open,
        status: 'EXPIRED',
        submittedAt: state.submittedAt,
        decidedAt: state.decidedAt,
        expiresAt: report.expiresAt ?? state.expiresAt ?? at,
      };
  }
}

/** Of one attempt each check counts as it was said last; the next attempt begins without any. */
function checksAfter(state: TierState, report: TierReport, at: Date): Check[] {
  const known = isInReview(state) || report.status === 'EXPIRED' ? state.checks : [];
  const said = new Map<string, Check>(known.map((check) => [check.name, check]));
  for (const check of report.checks) said.set(check.name, { ...check, at });
  return [...said.values()];
}

export const ACTIONS = ['APPROVE', 'REJECT', 'REQUEST_RESUBMIT', 'RESET'] as const;
export type Action = (typeof ACTIONS)[number];
export type Decision = { action: Action; rejectType?: RejectType | undefined; by: number };

/** A tier after staff has decided; undefined: it is so already. */
export function afterDecision(state: TierState, decision: Decision, now: Date): TierState | undefined {
  const { action, rejectType = null, by } = decision;
  const decided: TierState = { ...state, ...UNDECIDED, asOf: now, decidedAt: now, decidedBy: by };
  switch (action) {
    case 'APPROVE': {
      if (state.status === 'MANUALLY_APPROVED') return undefined;
      // Who confirms an approval does not make the document last longer.
      const expiresAt = state.status === 'APPROVED' ? state.expiresAt : null;
      return { ...decided, status: 'MANUALLY_APPROVED', expiresAt };
    }
    case 'REJECT':
      if (state.status === 'REJECTED' && state.rejectType === rejectType) return undefined;
      return { ...decided, status: 'REJECTED', rejectType };
    case 'REQUEST_RESUBMIT':
      return state.status === 'RESUBMIT' ? undefined : { ...decided, status: 'RESUBMIT' };
    case 'RESET':
      return state.status === 'NONE' ? undefined : { ...nothingIn(state.tier, now), decidedBy: by };
  }
}

/** Whole years of somebody born on a day (YYYY-MM-DD) on the UTC day of `now`. A birthday on 29 February counts on 1 March. */
export function ageOn(birthDate: string, now: Date): number {
  const today = now.toISOString();
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return today.slice(5, 10) < birthDate.slice(5) ? years - 1 : years;
}

/** Equal for the same person however the name is written: case, accents, order and punctuation aside. */
export function sameness(person: { firstName: string; lastName: string; birthDate: string }): string {
  const plain = `${person.firstName} ${person.lastName}`
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase();
  const words = [...(plain.match(/\p{L}+/gu) ?? [])].sort();
  return `${words.join(' ')}|${person.birthDate}`;
}
