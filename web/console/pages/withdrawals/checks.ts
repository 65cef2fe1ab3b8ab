import type { Answer, Op, Withdrawal } from '../../../../client/call.ts';
import { date, list, plural } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useMissing } from '../../../kit/session.tsx';
import type { Check } from '../../review/spec.ts';
import { reasonOf } from './reasons.ts';

const GATE = 'GET /admin/users/{id}/gate';
const KYC = 'GET /admin/kyc/{userId}';
const CONNECTIONS = 'GET /admin/users/{id}/connections';

/** The meaning of each reason of a risk score. */
const RISKS: Readonly<Record<string, string>> = {
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

/** The reasons of the stored risk score with their points, and the checks that passed at the time of the request. */
function riskChecks({ riskReasons, riskPoints, holdReason }: Withdrawal): Check[] {
  const failed = riskReasons.map((reason): Check => {
    const points = riskPoints[reason];
    return {
      kind: reason === 'NOTE_HIGH' ? 'bad' : 'warn',
      name: reasonOf(reason),
      about: RISKS[reason],
      end: points !== undefined && plural(points, { one: '+# point', other: '+# points' }),
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

/** Returns the checks of a withdrawal that this account may see. */
export function useChecks(w: Withdrawal): readonly Check[] {
  const id = w.user?.id ?? 0;
  const gate = useAllowed(GATE, { path: { id }, query: { currencyId: w.currencyId } });
  const kyc = useAllowed(KYC, { path: { userId: id } });
  const connected = useAllowed(CONNECTIONS, { path: { id } });
  return [
    ...riskChecks(w),
    ...(gate ? gateChecks(gate) : []),
    ...(kyc ? [identityCheck(kyc)] : []),
    ...(connected ? [connectionCheck(connected, id)] : []),
  ];
}

/** Reads the response of an operation if this account may call it. */
function useAllowed<O extends Op>(op: O, input: Parameters<typeof useRead<O>>[1]): Answer<O> | undefined {
  const isEnabled = useMissing(op) === undefined;
  return useRead(op, input, { isEnabled }).data;
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

function connectionCheck({ connections, total }: Answer<typeof CONNECTIONS>, id: number): Check {
  if (total === 0)
    return { kind: 'good', name: 'No connected accounts', about: 'No shared device, address or identity' };
  const same = connections.filter(({ isSamePerson }) => isSamePerson).length;
  const banned = connections.filter(({ isBanned }) => isBanned).length;
  const facts = [
    ...(same > 0
      ? [plural(same, { one: '# is likely the same person', other: '# are likely the same person' })]
      : []),
    ...(banned > 0 ? [plural(banned, { one: '# is banned', other: '# are banned' })] : []),
  ];
  return {
    kind: facts.length > 0 ? 'warn' : 'plain',
    name: plural(total, { one: '# connected account', other: '# connected accounts' }),
    about: facts.length > 0 ? list(facts) : connections.map(({ user }) => user.username).join(', '),
    to: `/users/${id}/connections`,
  };
}
