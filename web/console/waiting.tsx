import { useIsMutating } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { WaitingAction } from '../../client/call.ts';
import { Usd, When } from '../kit/amount.tsx';
import { number } from '../kit/intl.ts';
import { Refusal } from '../kit/note.tsx';
import { Card, Facts, Status, words } from '../kit/page.tsx';
import { refresh, useRead } from '../kit/query.ts';
import { May, useMe } from '../kit/session.tsx';
import { UserLink } from './user-link.tsx';

/** Lists the actions that wait for a second person. */
export const APPROVALS = 'GET /admin/approvals';

const ACTIONS = {
  'promo.start': 'Start the promotion',
  'promo.codes': 'Create codes',
  'promo.grant': 'Grant to players',
  'leaderboard.special': 'Create a custom leaderboard',
  'leaderboard.schedule': 'Change the prizes of the schedule',
  'leaderboard.prize': 'Pay a prize',
  'challenge.award': 'Pay the reward',
  'challenge.rollback': 'Reverse the reward',
  balance: 'Set a balance',
  'admin-tip': 'Send a staff tip',
  'admin-deduction': 'Take money from the player',
  'affiliate.level': 'Set the affiliate level',
  'finding.apply': 'Apply an alert',
  commission: 'Save a commission rule',
  'casino.category': 'Move games to another main category',
  'vip.promo': 'Grant the promotion for the application',
  'bet.rollback': 'Roll back the bet',
  config: 'Change settings',
  'admin-tip.end-turnover': 'End the turnover',
} as const satisfies Readonly<Record<string, string>>;

export type WaitingOperation = keyof typeof ACTIONS;

/** `about`: fields that identify the subject of this page. Actions that concern other subjects are hidden. */
type WaitingProps = { of: readonly WaitingOperation[]; about?: Readonly<Record<string, string | number>> };

/** Shows the actions of this page that are waiting for a second person. Renders nothing if there are none. */
export const Waiting = (props: WaitingProps) => (
  <May op={APPROVALS}>
    <Open {...props} />
  </May>
);

function Open({ of, about = {} }: WaitingProps) {
  const { data = [], error, refetch } = useRead(APPROVALS, {});
  // Refreshes this list when any request ends. A request that needs a second person is rejected, and a rejected request refreshes no list
  // itself.
  const busy = useIsMutating();
  useEffect(() => {
    if (busy === 0) void refresh(APPROVALS);
  }, [busy]);
  if (error) return <Refusal of={error} onRetry={refetch} />;
  const open = data.filter(
    ({ operation, input }) =>
      of.some((name) => name === operation) &&
      Object.entries(about).every(([name, value]) => String(input[name]) === String(value)),
  );
  return open.map((action) => <OpenAction key={action.id} of={action} />);
}

function OpenAction({ of: action }: { of: WaitingAction }) {
  const me = useMe();
  const { input, usdAmount, recipients, proposedBy } = action;
  return (
    <WaitingCard
      of={action}
      facts={{
        Details: aboutOf(input),
        Amount: usdAmount === null ? 'No upper limit' : <Usd of={usdAmount} />,
        Players: recipients.length > 0 ? <Players of={recipients} /> : null,
      }}
    >
      Another person with the same permission approves this by making the same change. Until then nothing
      changes.{proposedBy?.id === me.id && ' You requested it, so you can’t approve it.'}
    </WaitingCard>
  );
}

type Asked = Pick<WaitingAction, 'operation' | 'reason' | 'proposedBy' | 'createdAt' | 'expiresAt'>;
type WaitingCardProps = { of: Asked; facts?: Readonly<Record<string, ReactNode>>; children: ReactNode };

/** An action that waits for a second person. `facts`: what it changes. `children`: how it is approved. */
export const WaitingCard = ({ of, facts = {}, children }: WaitingCardProps) => (
  <Card title="Waiting for a second approver" actions={<Status of="WAITING" />}>
    <Facts
      of={{
        Action: actionOf(of.operation),
        ...facts,
        'Requested by': <UserLink of={of.proposedBy} />,
        Requested: <When at={of.createdAt} />,
        Expires: <When at={of.expiresAt} />,
        Reason: of.reason,
      }}
    />
    <p className="dim">{children}</p>
  </Card>
);

type Place = (input: Readonly<Record<string, string>>) => string;
const money: Place = ({ userId }) => `/users/${userId}/money`;
const promotion: Place = ({ promoId }) => `/promo/${promoId}`;
const challenge: Place = ({ challengeId }) => `/challenges/${challengeId}`;

/** The page that shows a waiting action, where a second person makes the same change. */
const PLACES: Readonly<Record<WaitingOperation, Place>> = {
  'promo.start': promotion,
  'promo.codes': promotion,
  'promo.grant': promotion,
  'leaderboard.special': () => '/leaderboards',
  'leaderboard.schedule': () => '/leaderboards/schedules',
  'leaderboard.prize': ({ leaderboardId }) => `/leaderboards/${leaderboardId}`,
  'challenge.award': challenge,
  'challenge.rollback': challenge,
  balance: money,
  'admin-tip': money,
  'admin-deduction': money,
  'affiliate.level': ({ userId }) => `/users/${userId}/growth`,
  'finding.apply': ({ findingId }) => `/findings/${findingId}`,
  commission: () => '/commissions',
  'casino.category': () => '/games',
  'vip.promo': ({ applicationId }) => `/vip/${applicationId}`,
  'bet.rollback': ({ betId }) => `/bets/${betId}`,
  config: ({ code = '' }) => (code === 'COMMON' ? '/configuration' : `/configuration/${code.toLowerCase()}`),
  'admin-tip.end-turnover': money,
};

export const placeOfAction = ({ operation, input }: Pick<WaitingAction, 'operation' | 'input'>): string =>
  Object.hasOwn(PLACES, operation)
    ? PLACES[operation as WaitingOperation](input as Record<string, string>)
    : '/overview';

export const actionOf = (operation: string): string =>
  Object.hasOwn(ACTIONS, operation) ? ACTIONS[operation as WaitingOperation] : words(operation);

const MOST_LETTERS = 80;
const shortened = (text: string) => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text);

const MOST = 5;

function Players({ of: recipients }: { of: WaitingAction['recipients'] }) {
  const more = recipients.length - MOST;
  return (
    <>
      {recipients.slice(0, MOST).map((user, at) => (
        <span key={user.id}>
          {at > 0 && ', '}
          <UserLink of={user} />
        </span>
      ))}
      {more > 0 && ` and ${number(more)} more`}
    </>
  );
}

/** Describes the input that the second person has to repeat. Hashes are left out. */
const aboutOf = (input: WaitingAction['input']): string | null =>
  Object.entries(input)
    .filter(([name, value]) => value !== null && !/hash$|^terms$/i.test(name))
    .map(([name, value]) => `${words(name)}: ${shortened(String(value))}`)
    .join(' · ') || null;
