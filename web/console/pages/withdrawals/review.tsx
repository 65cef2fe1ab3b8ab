import type { Withdrawal } from '../../../../client/call.ts';
import { Amount, Coin, Usd, When } from '../../../kit/amount.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { Refusal } from '../../../kit/note.tsx';
import { Card, Copy, Facts, Loaded, Status } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Network } from '../../network.tsx';
import { Checks } from '../../review/checks.tsx';
import { Player } from '../../review/player.tsx';
import { reviewPage } from '../../review/review-page.tsx';
import { SecondPerson } from '../../review/second-person.tsx';
import { queuesBy } from '../../review/spec.ts';
import { type Step, Trail } from '../../review/trail.tsx';
import { levelOf, RiskScore } from '../../risk.tsx';
import { UserLink } from '../../user-link.tsx';
import { useChecks } from './checks.ts';
import { Decision } from './decision.tsx';
import { APPROVE, isOpen, LIST, ONE, reasonOf } from './reasons.ts';

const ORDER = { sortBy: 'createdAt', sortOrder: 'asc', page: 1, take: 50 } as const;
const queue = queuesBy(ORDER);

export const WithdrawalReview = reviewPage<typeof LIST, Withdrawal>({
  title: 'Withdrawals',
  path: '/withdrawals',
  op: LIST,
  queues: [
    { name: 'Waiting', value: 'waiting', input: { query: { ...ORDER, isWaiting: true } } },
    queue('Pending approval', 'WAITING_FOR_APPROVAL'),
    queue('On hold', 'ON_HOLD'),
    queue('Unknown outcome', 'UNKNOWN_OUTCOME'),
  ],
  rowOf: (w) => ({
    id: w.id,
    name: w.user?.username ?? '–',
    avatar: w.user?.avatar,
    end: <Usd of={w.usdAmount} />,
    usdAmount: w.usdAmount,
    about: <Amount of={w.amount} in={w.currencyId} />,
    at: w.createdAt,
    mark: <Mark of={w} />,
    text: `${w.recipientAddress} ${w.txHash ?? ''}`,
  }),
  empty: 'No withdrawals are waiting',
  search: 'Player, address or ID',
  useCase: (id) => useRead(ONE, { path: { id } }),
  headingOf: (w) => ({
    picture: <Coin of={w.currencyId} size={40} />,
    title: (
      <>
        <Amount of={w.amount} in={w.currencyId} />{' '}
        <small>
          <Usd of={w.usdAmount} />
        </small>
      </>
    ),
    about: (
      <>
        <UserLink of={w.user} />
        <span>
          Requested <When at={w.createdAt} />
        </span>
        <Copy text={w.id} label="Copy the ID" />
      </>
    ),
    badges:
      w.firstApprovedByUser && isOpen(w) ? (
        <Badge tone="warn" icon="users">
          1 of 2 approvals
        </Badge>
      ) : (
        <Status of={w.status} />
      ),
  }),
  Body,
  Side: ({ of }) => (
    <>
      <FourEyes of={of} />
      {of.user && <Player of={of.user} />}
    </>
  ),
  // All decisions about withdrawals need the same permission.
  decides: () => [APPROVE],
  Decision,
});

/** The most important fact about a row of the queue. */
function Mark({ of: w }: { of: Withdrawal }) {
  if (w.status === 'UNKNOWN_OUTCOME')
    return (
      <Badge tone="warn" icon={null}>
        Unknown outcome
      </Badge>
    );
  if (w.firstApprovedByUser)
    return (
      <Badge tone="warn" icon={null}>
        Needs 2nd approval
      </Badge>
    );
  if (levelOf(w.riskScore) === 'HIGH')
    return (
      <Badge tone="bad" icon={null}>
        High risk
      </Badge>
    );
  const heaviest = w.riskReasons.toSorted((one, other) => pointsIn(w, one) - pointsIn(w, other)).at(-1);
  const reason = w.holdReason ?? heaviest;
  return reason === undefined ? null : <Badge>{reasonOf(reason)}</Badge>;
}

const pointsIn = ({ riskPoints }: Withdrawal, reason: string): number => riskPoints[reason] ?? 0;

function Body({ of: w }: { of: Withdrawal }) {
  const { checks, failed } = useChecks(w);
  return (
    <>
      <div className="flow">
        <div>
          <span className="xs dim">Network</span>
          <p>
            <strong>{w.networkId ? <Network of={w.networkId} in={w.currencyId} /> : '–'}</strong>
          </p>
        </div>
        <Icon name="arrow-right" size={18} />
        <div>
          <span className="xs dim">To</span>
          <p>
            <Copy text={w.recipientAddress} label="Copy the address" />
          </p>
          {w.recipientMemo && (
            <p>
              Memo <Copy text={w.recipientMemo} label="Copy the memo" />
            </p>
          )}
        </div>
      </div>
      <Checks of={checks}>
        <span className="line">
          Risk score <RiskScore of={w.riskScore} />
        </span>
      </Checks>
      {failed.map(({ op, error, refetch }) => (
        <Refusal key={op} of={error} onRetry={refetch} />
      ))}
      <Payout of={w} />
      {w.user && <Earlier of={w} userId={w.user.id} />}
    </>
  );
}

/** The state of the payout after the decision. */
function Payout({ of: w }: { of: Withdrawal }) {
  if (!w.txHash && !w.failedReason && !w.transactionId) return null;
  return (
    <Card title="Payout">
      <Facts
        of={{
          Transaction: w.txHash && <Copy text={w.txHash} />,
          Confirmations: w.confirmations,
          'Provider ID': w.transactionId && <Copy text={w.transactionId} />,
          'Failure reason': w.failedReason,
        }}
      />
    </Card>
  );
}

/** The number of the player's withdrawals in which the page looks for the address. */
const SEARCHED = 100;
const MOST = 5;

const COLUMNS: Columns<Withdrawal> = [
  { head: 'Requested', of: ({ createdAt }) => <When at={createdAt} />, isMain: true },
  { head: 'Amount', of: (w) => <Amount of={w.amount} in={w.currencyId} />, end: true, isMain: true },
  { head: 'Status', of: ({ status }) => <Status of={status} /> },
];

/** Earlier withdrawals of the player to the same address. */
function Earlier({ of: w, userId }: { of: Withdrawal; userId: number }) {
  const found = useRead(LIST, { query: { userId, sortBy: 'createdAt', sortOrder: 'desc', take: SEARCHED } });
  const isSame = (other: Withdrawal) =>
    other.id !== w.id &&
    other.createdAt <= w.createdAt &&
    other.recipientAddress.toLowerCase() === w.recipientAddress.toLowerCase() &&
    other.recipientMemo === w.recipientMemo;
  return (
    <Card title="Earlier withdrawals to this address">
      <Loaded of={found}>
        {({ data, total }) => {
          const same = data.filter(isSame);
          return (
            <>
              <Table
                rows={same.slice(0, MOST)}
                columns={COLUMNS}
                caption="Earlier withdrawals to this address"
                keyOf={({ id }) => id}
                empty={<p className="dim">None</p>}
              />
              <p className="xs dim">
                {same.length > MOST && `${same.length} in all. `}
                {total > SEARCHED && `Only the latest ${SEARCHED} withdrawals of the player are searched.`}
              </p>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function FourEyes({ of: w }: { of: Withdrawal }) {
  return <Trail of={stepsOf(w)} />;
}

function stepsOf(w: Withdrawal): Step[] {
  const first = w.firstApprovedByUser;
  const last = w.confirmedByUser;
  const isRejected = w.status === 'REJECTED';
  return [
    ...(first ? [{ name: `${first.username} approved first`, by: first }] : []),
    ...(last
      ? [
          {
            name: `${last.username} ${isRejected ? 'rejected' : 'approved'}`,
            by: last,
            about: (
              <>
                <When at={w.confirmedAt} />
                {w.rejectReason && ` · “${w.rejectReason}”`}
              </>
            ),
          },
        ]
      : []),
    ...(w.status === 'ON_HOLD' ? [held(w)] : []),
    ...(isOpen(w) ? [pending(w)] : []),
    ...(isRejected || w.status === 'CANCELLED' ? [] : [sent(w)]),
  ];
}

const pending = (w: Withdrawal): Step => {
  const { firstApprovedByUser: first, user } = w;
  return {
    name: first ? 'Second approval' : 'Approval',
    about: (
      <>
        {!first && whyOf(w)}
        <SecondPerson op={APPROVE} right="withdraw.approve" first={first} did="approved" player={user} />
      </>
    ),
  };
};

/** Says how many people must approve a withdrawal, and why. */
const whyOf = ({ holdReason, needsTwoPeople }: Withdrawal): string => {
  if (needsTwoPeople === undefined) return '';
  if (!needsTwoPeople) return 'One person is enough. ';
  return holdReason === 'UNPRICED'
    ? 'It has no exchange rate, so two people must approve it. '
    : 'Together with the player’s other pending and recent withdrawals it is large or has no exchange rate, so two people must approve it. ';
};

/** Says why the platform put a withdrawal on hold, and when the hold ends. */
const held = ({ holdReason, holdUntil }: Withdrawal): Step => ({
  name: 'The platform put it on hold',
  icon: 'lock',
  about: (
    <>
      {holdReason && `${reasonOf(holdReason)}. `}
      {holdUntil ? (
        <>
          Until <When at={holdUntil} />, then it waits for approval.
        </>
      ) : (
        'Until staff decide.'
      )}
    </>
  ),
});

const sent = (w: Withdrawal): Step =>
  isOpen(w)
    ? { name: <span className="dim">Sent immediately</span>, icon: 'send' }
    : { name: <Status of={w.status} />, icon: 'send', about: <When at={w.updatedAt} /> };
