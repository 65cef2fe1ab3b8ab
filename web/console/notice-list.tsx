import { When } from '../kit/amount.tsx';
import { Icon, type IconName } from '../kit/icon.tsx';
import { plural } from '../kit/intl.ts';
import { Empty } from '../kit/page.tsx';
import { useRead } from '../kit/query.ts';
import { useMissing } from '../kit/session.tsx';
import { type Alert, type Kind, readAlerts } from './alerts.ts';
import { Notice, QueueNotice, useQueues } from './attention.tsx';

const APPROVALS = 'GET /admin/approvals';

type About = {
  title: string;
  icon: IconName;
  to: (id: string) => string;
};

/** The text of each kind of alert, and the page to which it leads. */
const ABOUT: Readonly<Record<Kind, About>> = {
  WITHDRAWAL_WAITING: {
    title: 'Withdrawal needs a review',
    icon: 'banknote',
    to: (id) => `/withdrawals/${id}`,
  },
  DEPOSIT_UNDER_REVIEW: {
    title: 'Deposit needs a review',
    icon: 'search-check',
    to: (id) => `/deposit-reviews/${id}`,
  },
  RATE_JUMP: {
    title: 'Exchange rate jumped',
    icon: 'trending-up',
    to: () => '/overview',
  },
  RETURN_ALERT: {
    title: 'RTP of a game is out of range',
    icon: 'triangle-alert',
    to: (id) => `/games/${id}`,
  },
  UNIFORMITY_ALERT: {
    title: 'Game results are not evenly distributed',
    icon: 'triangle-alert',
    to: (id) => `/games/${id}`,
  },
  PROVIDER_FINDINGS: {
    title: 'Provider’s books differ from ours',
    icon: 'triangle-alert',
    to: () => '/findings',
  },
  LEADERBOARD_CHANGED: {
    title: 'Leaderboard changed',
    icon: 'trophy',
    to: (id) => `/leaderboards/${id}`,
  },
  CHALLENGE_REVERSED: {
    title: 'Challenge lost its winner',
    icon: 'target',
    to: (id) => `/challenges/${id}`,
  },
};

/** The content of the bell. */
export function NoticeList({ alerts, onOpen }: { alerts: readonly Alert[]; onOpen: () => void }) {
  return (
    <>
      <div className="line between">
        <h2>Notifications</h2>
        {alerts.some(({ isRead }) => !isRead) && (
          <button type="button" className="link xs" onClick={readAlerts}>
            Mark all read
          </button>
        )}
      </div>
      <ul className="notices">
        {alerts.map(({ kind, id, at, isRead }) => (
          <Notice
            key={`${kind} ${id}`}
            icon={ABOUT[kind].icon}
            title={ABOUT[kind].title}
            isNew={!isRead}
            to={ABOUT[kind].to(id)}
            onOpen={onOpen}
          >
            <When at={at} />
          </Notice>
        ))}
        <Waiting onOpen={onOpen} />
      </ul>
    </>
  );
}

/** The queues that this account may work on, and actions that wait for a second person. */
function Waiting({ onOpen }: { onOpen: () => void }) {
  const queues = useQueues();
  const isApprover = useMissing(APPROVALS) === undefined;
  return (
    <>
      {queues.map((queue) => (
        <QueueNotice key={queue.path} {...queue} onOpen={onOpen} />
      ))}
      {isApprover && <Approvals />}
      {queues.length === 0 && !isApprover && (
        <li>
          <Empty art="no-notices" title="No notifications" />
        </li>
      )}
    </>
  );
}

function Approvals() {
  const { data = [] } = useRead(APPROVALS, {});
  if (data.length === 0) return null;
  return (
    <li className="notice-row">
      <Icon name="users" size={16} />
      <span>
        <b>Second approval</b>
        <small className="dim">
          {plural(data.length, {
            one: '# action is waiting for a second approver',
            other: '# actions are waiting for a second approver',
          })}
        </small>
      </span>
    </li>
  );
}
