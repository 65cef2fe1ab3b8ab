import type { Answer, Input, Op, Refused, Withdrawal } from '../../../../client/call.ts';
import { date, plural } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useMissing } from '../../../kit/session.tsx';
import type { Check } from '../../review/spec.ts';
import { CONNECTIONS, GATE } from '../user/shared.ts';
import { connectionCheck } from './connection-check.ts';
import { reasonOf } from './reasons.ts';

const KYC = 'GET /admin/kyc/{userId}';
const USER_NOTES = 'GET /admin/user-notes';

/** The meaning of each reason of a risk score. */
const MEANINGS: Readonly<Record<string, string>> = {
  NOTE_HIGH: 'Read the notes about the player before you decide.',
  NOTE_MEDIUM: 'Read the notes about the player before you decide.',
  NO_SECOND_FACTOR: 'The password alone is enough to request a withdrawal.',
  NEW_ADDRESS: 'The player has never withdrawn to this address before.',
  FIRST_WITHDRAWAL: 'No withdrawal has been sent to this player yet.',
  OTHER_COUNTRY: 'The request came from a country other than that of the account.',
  TURNOVER_WAIVED: 'The player has self-excluded, so deposits need not be wagered.',
};

/** The checks that pass if these reasons do not apply. */
const PASSED: Readonly<Record<string, string>> = {
  NO_SECOND_FACTOR: 'Two-step verification is on',
  NEW_ADDRESS: 'Address used before',
  FIRST_WITHDRAWAL: 'Has withdrawn before',
  OTHER_COUNTRY: 'No other country',
};
const NOTES = ['NOTE_HIGH', 'NOTE_MEDIUM'];

/**
 * The reasons of the stored risk score with their points, and the checks that passed at the time of the request. `notes`: the page with the
 * notes about the player, if this account may read them.
 */
function riskChecks({ riskReasons, riskPoints, holdReason }: Withdrawal, notes: string | undefined): Check[] {
  const failed = riskReasons.map((reason): Check => {
    const points = riskPoints[reason];
    return {
      kind: reason === 'NOTE_HIGH' ? 'bad' : 'warn',
      name: reasonOf(reason),
      about: MEANINGS[reason],
      end: points !== undefined && plural(points, { one: '+# point', other: '+# points' }),
      ...(NOTES.includes(reason) && { to: notes }),
    };
  });
  const passed = Object.entries(PASSED)
    .filter(([reason]) => !riskReasons.includes(reason))
    .map(([, name]): Check => ({ kind: 'good', name, about: 'At the time of the request' }));
  const isNoted = NOTES.some((reason) => riskReasons.includes(reason));
  const isHeld = holdReason !== null && !riskReasons.includes(holdReason);
  return [
    ...(isHeld ? [{ kind: 'warn', name: `On hold: ${reasonOf(holdReason)}` } as const] : []),
    ...failed,
    ...(isNoted
      ? []
      : [{ kind: 'good', name: 'No severe staff notes', about: 'At the time of the request' } as const]),
    ...passed,
  ];
}

/** A request for a check that failed, so that the result is not known. */
type Failed = { op: Op; error: Refused; refetch: () => unknown };

/** Returns the checks of a withdrawal that this account may see, and the requests for checks that failed. */
export function useChecks(w: Withdrawal): { checks: readonly Check[]; failed: readonly Failed[] } {
  const id = w.user?.id ?? 0;
  const gate = useAllowed(GATE, { path: { id }, query: { currencyId: w.currencyId } }, id > 0);
  const kyc = useAllowed(KYC, { path: { userId: id } }, id > 0);
  const readsNotes = useMissing(USER_NOTES) === undefined;
  const connected = useAllowed(CONNECTIONS, { path: { id } }, id > 0);
  return {
    checks: [
      ...riskChecks(w, readsNotes && id > 0 ? `/users/${id}/notes` : undefined),
      ...(gate.data ? gateChecks(gate.data) : []),
      ...(kyc.data ? [identityCheck(kyc.data)] : []),
      ...(connected.data ? [connectionCheck(connected.data, id)] : []),
    ],
    failed: [gate, kyc, connected].flatMap(({ op, error, refetch }) =>
      error ? [{ op, error, refetch }] : [],
    ),
  };
}

/** Reads the response of an operation if this account may call it. An earlier response does not count after a later request failed. */
function useAllowed<O extends Op>(op: O, input: Input<O>, isWanted: boolean) {
  const isAllowed = useMissing(op) === undefined;
  const { data, error, refetch } = useRead(op, input, { isEnabled: isAllowed && isWanted });
  return { op, data: error ? undefined : data, error, refetch };
}

function gateChecks({ actions }: Answer<typeof GATE>): Check[] {
  const answer = actions.find(({ action }) => action === 'withdraw');
  if (!answer) return [];
  if (answer.isAllowed)
    return [
      {
        kind: 'good',
        name: 'May withdraw now',
        about: 'No block, no debt, and nothing left to wager or to verify',
      },
    ];
  return answer.reasons.map(({ code, sentence }) => ({
    kind: 'bad',
    name: GATES[code] ?? words(code),
    about: sentence,
    end: 'Now',
  }));
}

const GATES: Readonly<Record<string, string>> = {
  ROLLOVER_OPEN: 'Wagering is incomplete',
  KYC_REQUIRED: 'Verification is required',
  WITHDRAWAL_BLOCKED: 'Withdrawals are blocked',
  CLAIMS_OPEN: 'Owes money',
  USER_BANNED: 'Account is banned',
};

function identityCheck({ userId, tiers, level }: Answer<typeof KYC>): Check {
  const identity = tiers.find(({ tier }) => tier === 'IDENTITY');
  const to = `/kyc/${userId}`;
  if (identity?.status === 'APPROVED' || identity?.status === 'MANUALLY_APPROVED')
    return {
      kind: 'good',
      name: 'Identity verified',
      about: identity.expiresAt
        ? `Level ${level}, valid until ${date(identity.expiresAt)}`
        : `Level ${level}`,
      to,
    };
  const isOpen = identity !== undefined && identity.status !== 'NONE';
  return {
    kind: isOpen ? 'warn' : 'plain',
    name: 'Identity not verified',
    about: isOpen ? `Level ${level}, ${words(identity.status).toLowerCase()}` : `Level ${level}`,
    to,
  };
}
