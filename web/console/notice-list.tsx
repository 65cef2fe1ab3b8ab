import { When } from '../kit/amount.tsx';
import type { IconName } from '../kit/icon.tsx';
import { Empty } from '../kit/page.tsx';
import { type Alert, type Kind, readAlerts } from './alerts.ts';
import { Approvals, Notice, QueueNotice, useApprovals, useQueues } from './attention.tsx';

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
  const actions = useApprovals();
  return (
    <>
      {queues.map((queue) => (
        <QueueNotice key={queue.path} {...queue} onOpen={onOpen} />
      ))}
      <Approvals of={actions} onOpen={onOpen} />
      {queues.length === 0 && actions.length === 0 && (
        <li>
          <Empty art="no-notices" title="No notifications" />
        </li>
      )}
    </>
  );
}
