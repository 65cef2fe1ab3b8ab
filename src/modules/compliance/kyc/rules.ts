import { type CountrySet, codesIn, UNREADABLE_COUNTRY } from '../../../platform/countries/rules.ts';

/** The tiers in order. A player's level is the number of approved tiers before the first unapproved one. */
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

/** A tier of one player. `asOf` is the time of the latest accepted event. */
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

/** Returns the state of a tier that has not been started. `asOf` is the time of the tier's reset. */
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
/** An approval by staff is shown to players as an ordinary approval. */
export const shownStatus = (status: Status): Exclude<Status, 'MANUALLY_APPROVED'> =>
  status === 'MANUALLY_APPROVED' ? 'APPROVED' : status;
/** Returns true if the player may submit new documents after the previous ones were found insufficient. */
export const canResubmit = (state: TierState): boolean =>
  state.status === 'RESUBMIT' ||
  state.status === 'EXPIRED' ||
  (state.status === 'REJECTED' && !isClosed(state));

/** Returns the tier as it is at a given time. An approval ends when it expires. */
export const asOfNow = (state: TierState, now: Date): TierState =>
  isApproved(state) && state.expiresAt && state.expiresAt <= now ? { ...state, status: 'EXPIRED' } : state;

/** Returns the number of approved tiers before the first unapproved one. */
export function levelOf(states: readonly TierState[], now: Date): number {
  const missing = TIERS.findIndex((tier) => {
    const state = states.find((s) => s.tier === tier);
    return !state || !isApproved(asOfNow(state, now));
  });
  return missing < 0 ? TIERS.length : missing;
}

/** The status that a provider reports for a tier. `RESET` invalidates all earlier submissions. */
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

/** A report as the provider sent it. `tier` is null if the provider's level is not used by the platform. */
export type KycReport = Omit<TierReport, 'provider'> & {
  eventId: string;
  applicantId: string;
  userId: number | null;
  tier: Tier | null;
  /** Alpha-2 code of the country that issued the identity document, if the webhook contains it. */
  documentCountry: string | null;
};

/** A webhook about the end of a provider's record of a person. */
export type KycNotice = Pick<KycReport, 'eventId' | 'applicantId' | 'userId' | 'at'> & {
  status: 'DEACTIVATED' | 'DELETED';
};

/**
 * A webhook from a provider. Both `report` and `notice` are undefined if the platform has no use for it. `unknownTypes` lists types and
 * results that are unknown to the platform.
 */
export type KycMessage = { report?: KycReport; notice?: KycNotice; unknownTypes?: readonly string[] };

/** The result of a report. Only APPLIED changes the tier. */
export type Outcome = 'APPLIED' | 'STALE' | 'CLOSED' | 'STAFF_DECIDED';

/**
 * The priority of each status. If several reports have the same time, the status with the highest number wins, regardless of the order of
 * arrival.
 */
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
 * Returns a tier after a provider's report. A report changes nothing if it is older than the last applied one or if the tier is closed. An
 * approval by staff is replaced only by a hold, a rejection or the expiry of a document.
 */
export function afterReport(
  state: TierState,
  report: TierReport,
  now: Date,
): { outcome: Outcome; next: TierState } {
  // The provider's clock may be fast. Later reports must not appear to be older because of this.
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

const COMMENTS: Readonly<Record<KycNotice['status'], string>> = {
  DEACTIVATED: 'The provider has deactivated its record of this person.',
  DELETED: 'The provider has deleted its record of this person.',
};

/**
 * Returns a tier after the provider's record of the person has ended. An approval or a review is put on hold until staff or the provider
 * decide again. Reports from before that time no longer change the tier.
 */
export function afterNotice(
  state: TierState,
  { provider, status, at }: Pick<KycNotice, 'status' | 'at'> & { provider: string },
  now: Date,
): { outcome: Outcome; next: TierState } {
  const { rejectType, rejectLabels, moderationComment, expiresAt } = UNDECIDED;
  const hold: TierReport = {
    provider,
    status: 'ON_HOLD',
    at,
    checks: [{ name: 'review', result: 'PENDING', detail: null }],
    rejectType,
    rejectLabels,
    moderationComment,
    clientComment: COMMENTS[status],
    expiresAt,
  };
  const { outcome, next } = afterReport(state, hold, now);
  const isVerified = isApproved(state) || isInReview(state);
  return { outcome, next: outcome !== 'APPLIED' || isVerified ? next : { ...state, asOf: next.asOf } };
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

/** Returns the latest result of each check in one attempt. A new attempt begins without checks. */
function checksAfter(state: TierState, report: TierReport, at: Date): Check[] {
  const known = isInReview(state) || report.status === 'EXPIRED' ? state.checks : [];
  const said = new Map<string, Check>(known.map((check) => [check.name, check]));
  for (const check of report.checks) said.set(check.name, { ...check, at });
  return [...said.values()];
}

export const ACTIONS = ['APPROVE', 'REJECT', 'REQUEST_RESUBMIT', 'RESET'] as const;
export type Action = (typeof ACTIONS)[number];
export type Decision = { action: Action; rejectType?: RejectType | undefined; by: number };

/** Returns a tier after a staff decision, or undefined if the decision changes nothing. */
export function afterDecision(state: TierState, decision: Decision, now: Date): TierState | undefined {
  const { action, rejectType = null, by } = decision;
  const decided: TierState = { ...state, ...UNDECIDED, asOf: now, decidedAt: now, decidedBy: by };
  switch (action) {
    case 'APPROVE': {
      if (state.status === 'MANUALLY_APPROVED') return undefined;
      // A repeated approval must not extend the document's expiry.
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

/**
 * Returns a person's age in whole years. A birthday counts only once it has begun everywhere in these countries. In years without 29
 * February, a birthday on that day counts from 1 March.
 */
export function ageOn(birthDate: string, now: Date, countries: CountrySet): number {
  const today = earliestDay(now, countries);
  const years = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return today.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/** The time zone in which each day begins last. It is used for countries whose zones are unknown. */
const LAST_ZONE = 'Etc/GMT+12';
const calendars = new Map<string, Intl.DateTimeFormat[]>();

/** Returns the earliest date (YYYY-MM-DD) that is current in any time zone of the countries. */
const earliestDay = (now: Date, countries: CountrySet): string =>
  codesIn(countries ?? UNREADABLE_COUNTRY)
    .flatMap(calendarsIn)
    .map((calendar) => calendar.format(now))
    .sort()[0]!;

function calendarsIn(country: string): Intl.DateTimeFormat[] {
  const known = calendars.get(country) ?? calendarsOf(country);
  calendars.set(country, known);
  return known;
}

function calendarsOf(country: string): Intl.DateTimeFormat[] {
  const region: Intl.Locale & { getTimeZones?(): string[] | undefined } = new Intl.Locale(`und-${country}`);
  const zones = region.getTimeZones?.() ?? [];
  // The Swedish locale formats dates as in ISO 8601.
  return (zones.length > 0 ? zones : [LAST_ZONE]).map(
    (timeZone) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }),
  );
}

/** Returns a string that is the same for the same person, regardless of letter case, accents, punctuation and the order of names. */
export function sameness(person: { firstName: string; lastName: string; birthDate: string }): string {
  const plain = `${person.firstName} ${person.lastName}`
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // The okina and the modifier apostrophe are often typed as a quotation mark.
    .replace(/[\u02bb\u02bc]/g, ' ')
    .toLowerCase();
  const words = [...(plain.match(/\p{L}+/gu) ?? [])].sort();
  return `${words.join(' ')}|${person.birthDate}`;
}
