import { useIsMutating } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { Op, WaitingAction } from '../../client/call.ts';
import { Usd, When } from '../kit/amount.tsx';
import { number } from '../kit/intl.ts';
import { Refusal } from '../kit/note.tsx';
import { Card, Facts, Status, words } from '../kit/page.tsx';
import { refresh, useRead } from '../kit/query.ts';
import { May, missingRight, useMe } from '../kit/session.tsx';
import { UserLink } from './user-link.tsx';

/** Lists the actions that wait for a second person. */
export const APPROVALS = 'GET /admin/approvals';

type Place = (input: Readonly<Record<string, string>>) => string;
const money: Place = ({ userId }) => `/users/${userId}/money`;
const promotion: Place = ({ promoId }) => `/promo/${promoId}`;
const challenge: Place = ({ challengeId }) => `/challenges/${challengeId}`;

/**
 * `needs`: the requests whose permissions a second person needs to approve the action. `place`: the page where that person makes the same
 * change.
 */
type Action = { name: string; needs: readonly Op[]; place: Place };

const ACTIONS = {
  'promo.start': {
    name: 'Start the promotion',
    needs: ['POST /admin/promo/{id}/status', 'POST /admin/promo/{id}/grant'],
    place: promotion,
  },
  'promo.codes': { name: 'Create codes', needs: ['POST /admin/promo/{id}/codes'], place: promotion },
  'promo.grant': { name: 'Grant to players', needs: ['POST /admin/promo/{id}/grant'], place: promotion },
  'leaderboard.special': {
    name: 'Create a custom leaderboard',
    needs: ['POST /admin/leaderboards'],
    place: () => '/leaderboards',
  },
  'leaderboard.schedule': {
    name: 'Change the prizes of the schedule',
    needs: ['POST /admin/leaderboards/schedule/{id}'],
    place: () => '/leaderboards/schedules',
  },
  'leaderboard.prize': {
    name: 'Pay a prize',
    needs: ['POST /admin/leaderboards/give-prize'],
    place: ({ leaderboardId }) => `/leaderboards/${leaderboardId}`,
  },
  'challenge.award': {
    name: 'Pay the reward',
    needs: ['POST /admin/challenge/{id}/award'],
    place: challenge,
  },
  'challenge.rollback': {
    name: 'Reverse the reward',
    needs: ['POST /admin/challenge/{id}/rollback'],
    place: challenge,
  },
  balance: { name: 'Set a balance', needs: ['PUT /admin/user/{id}/balance'], place: money },
  'admin-tip': { name: 'Send a staff tip', needs: ['POST /admin/admin-tips'], place: money },
  'admin-deduction': {
    name: 'Take money from the player',
    needs: ['POST /admin/admin-tips/deduct-balance'],
    place: money,
  },
  'affiliate.level': {
    name: 'Set the affiliate level',
    needs: ['PATCH /admin/user/{id}'],
    place: ({ userId }) => `/users/${userId}/growth`,
  },
  'finding.apply': {
    name: 'Apply an alert',
    needs: ['POST /admin/casino/findings/{id}/apply'],
    place: ({ findingId }) => `/findings/${findingId}`,
  },
  commission: {
    name: 'Save a commission rule',
    needs: ['PUT /admin/casino/games/commission'],
    place: () => '/commissions',
  },
  'casino.category': {
    name: 'Move games to another main category',
    needs: ['POST /admin/casino/games/{slug}'],
    place: () => '/games',
  },
  'vip.promo': {
    name: 'Grant the promotion for the application',
    needs: ['POST /admin/vip-application/{id}/decision'],
    place: ({ applicationId }) => `/vip/${applicationId}`,
  },
  'bet.rollback': {
    name: 'Roll back the bet',
    needs: ['POST /admin/bets/{betId}/rollback'],
    place: ({ betId }) => `/bets/${betId}`,
  },
  config: {
    name: 'Change settings',
    needs: ['PATCH /admin/config/{code}'],
    place: ({ code = '' }) => (code === 'COMMON' ? '/configuration' : `/configuration/${code.toLowerCase()}`),
  },
  'admin-tip.end-turnover': {
    name: 'End the turnover',
    needs: ['POST /admin/admin-tips/end-turnover'],
    place: money,
  },
} as const satisfies Readonly<Record<string, Action>>;

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
  const { input, usdAmount, recipients } = action;
  return (
    <WaitingCard
      of={action}
      facts={{
        Details: aboutOf(input),
        Amount: usdAmount === null ? 'No upper limit' : <Usd of={usdAmount} />,
        Players: recipients.length > 0 ? <Players of={recipients} /> : null,
      }}
    >
      It waits until another person with the same permission makes the same change.{' '}
      {!mayApprove(me, action) && refusalOf(me, action)}
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
        Action: nameOfAction(of),
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

const actionOf = (operation: string): Action => ACTIONS[operation as WaitingOperation];

export const nameOfAction = ({ operation }: Pick<WaitingAction, 'operation'>): string =>
  actionOf(operation).name;

export const placeOfAction = ({ operation, input }: Pick<WaitingAction, 'operation' | 'input'>): string =>
  actionOf(operation).place(input as Record<string, string>);

type Me = ReturnType<typeof useMe>;

/** True if this account can approve the action. Only superadmins approve an amount without an upper limit. */
export const mayApprove = (me: Me, { operation, proposedBy, usdAmount }: WaitingAction): boolean =>
  Object.hasOwn(ACTIONS, operation) &&
  proposedBy?.id !== me.id &&
  actionOf(operation).needs.every((op) => missingRight(me, op) === undefined) &&
  (usdAmount !== null || me.roles.includes('SUPERADMIN'));

/** Says why this account cannot approve the action. */
function refusalOf(me: Me, { proposedBy, usdAmount }: WaitingAction): string {
  if (proposedBy?.id === me.id) return 'You requested it, so you can’t approve it.';
  return usdAmount === null && !me.roles.includes('SUPERADMIN')
    ? 'Only a superadmin can approve it, because its amount has no upper limit.'
    : 'You can’t approve it, because you don’t have this permission.';
}

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
