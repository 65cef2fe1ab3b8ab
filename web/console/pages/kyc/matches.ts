import type { KycAdminDetail } from '../../../../client/call.ts';
import { words } from '../../../kit/page.tsx';
import type { Check } from '../../review/spec.ts';

type Signal = KycAdminDetail['riskSignals'][number];

/** Comparisons with the player's statement, by the signal that reports a difference. */
const COMPARED: Readonly<Record<string, { equal: string; other: string }>> = {
  SAME_PERSON: {
    equal: 'Name and birth date are on no other account',
    other: 'Name and birth date are on another account',
  },
  STATED_UNDERAGE: { equal: 'Birth date: of age', other: 'Birth date: below the minimum age' },
  COUNTRY_MISMATCH: {
    equal: 'Country: equal to the sign-up',
    other: 'Country: not equal to the sign-up',
  },
};
/** The country of the document is known as soon as the provider has approved the identity. */
const DOCUMENT = {
  equal: 'Country: equal to the document',
  other: 'Country: not equal to the document',
};
const OTHERS: Readonly<Record<string, string>> = {
  FINALLY_REJECTED: 'Was finally rejected before',
  ON_HOLD: 'On hold at the provider',
  UNDER_REVIEW: 'Waits for a decision',
};
const KINDS = { HIGH: 'bad', MEDIUM: 'warn', LOW: 'plain' } as const;

/**
 * Compares what the player has stated with the account and the documents. The statement itself is encrypted and shown to no one, so these
 * are the results only.
 */
export function matches({ riskSignals, tiers }: KycAdminDetail): readonly Check[] {
  const signalOf = (code: string) => riskSignals.find((signal) => signal.code === code);
  const hasStated = tiers.some(({ tier, status }) => tier === 'BASIC' && status !== 'NONE');
  const isIdentified = tiers.some(({ tier, status }) => tier === 'IDENTITY' && status === 'APPROVED');
  const document = signalOf('DOCUMENT_COUNTRY_MISMATCH');
  const compared = Object.entries(COMPARED).flatMap(([code, { equal, other }]) => {
    const signal = signalOf(code);
    if (signal) return [toCheck(signal, other)];
    return hasStated ? [{ kind: 'good', name: equal } as const] : [];
  });
  const others = riskSignals.filter(
    ({ code }) => !(code in COMPARED) && code !== 'DOCUMENT_COUNTRY_MISMATCH',
  );
  return [
    ...(hasStated ? [] : [{ kind: 'plain', name: 'The player has not stated an identity yet' } as const]),
    ...compared,
    ...(document ? [toCheck(document, DOCUMENT.other)] : []),
    ...(!document && isIdentified ? [{ kind: 'good', name: DOCUMENT.equal } as const] : []),
    ...others.map((signal) => toCheck(signal, OTHERS[signal.code] ?? words(signal.code))),
  ];
}

const toCheck = ({ severity, detail }: Signal, name: string): Check => ({
  kind: KINDS[severity],
  name,
  about: detail,
});
