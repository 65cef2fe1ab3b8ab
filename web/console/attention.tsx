import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { WaitingAction } from '../../client/call.ts';
import { When } from '../kit/amount.tsx';
import { Icon, type IconName } from '../kit/icon.tsx';
import { plural } from '../kit/intl.ts';
import { Card } from '../kit/page.tsx';
import { useRead } from '../kit/query.ts';
import { missingRight, useMe } from '../kit/session.tsx';
import type { Entry, Queue } from './menu.ts';
import { useMenu, useQueue } from './navigation.tsx';
import { APPROVALS, mayApprove, nameOfAction, placeOfAction } from './waiting.tsx';

type Queued = { entry: Entry; queue: Queue; path: string };

/** Returns the menu entries with rows that may wait for this account. */
export const useQueues = (): readonly Queued[] =>
  useMenu()
    .flatMap(({ entries }) => entries)
    .flatMap(({ entry, tab, queue }) => (queue ? [{ entry, queue, path: tab.path }] : []));

/** The queues of this account, as a card. Renders nothing if there are none. */
export function Attention() {
  const queues = useQueues();
  const actions = useApprovals();
  if (queues.length === 0 && actions.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul className="notices">
        {queues.map((queue) => (
          <QueueNotice key={queue.path} {...queue} />
        ))}
        <Approvals of={actions} />
      </ul>
    </Card>
  );
}

export function QueueNotice({ entry, queue, path, onOpen }: Queued & { onOpen?: () => void }) {
  const count = useQueue(queue.op, queue.input);
  return (
    <Notice icon={entry.icon} title={entry.name} to={path} onOpen={onOpen}>
      {count === undefined ? '–' : count === 0 ? 'Nothing waiting' : plural(count, { other: '# waiting' })}
    </Notice>
  );
}

/** Returns the waiting actions that this account can approve as the second person. */
export function useApprovals(): readonly WaitingAction[] {
  const me = useMe();
  const isEnabled = missingRight(me, APPROVALS) === undefined;
  const { data = [] } = useRead(APPROVALS, {}, { isEnabled });
  return isEnabled ? data.filter((action) => mayApprove(me, action)) : [];
}

const MOST_APPROVALS = 5;

/** Actions that wait for a second person. Each leads to the page where that person makes the same change. */
export function Approvals({ of: actions, onOpen }: { of: readonly WaitingAction[]; onOpen?: () => void }) {
  const more = actions.length - MOST_APPROVALS;
  return (
    <>
      {actions.slice(0, MOST_APPROVALS).map((action, at) => (
        <Notice
          key={action.id}
          icon="users"
          title={`Second approval: ${nameOfAction(action)}`}
          to={placeOfAction(action)}
          onOpen={onOpen}
        >
          Requested by {action.proposedBy?.username ?? 'staff'} <When at={action.createdAt} />
          {at === MOST_APPROVALS - 1 && more > 0 && ` · ${plural(more, { other: '# more waiting' })}`}
        </Notice>
      ))}
    </>
  );
}

type NoticeProps = {
  icon: IconName;
  title: string;
  to: string;
  isNew?: boolean;
  onOpen?: (() => void) | undefined;
  children: ReactNode;
};

export const Notice = ({ icon, title, to, isNew = false, onOpen, children }: NoticeProps) => (
  <li>
    <Link href={to} className="notice-row" {...(onOpen && { onClick: onOpen })}>
      <Icon name={icon} size={16} />
      <span>
        <b>
          {title}
          {isNew && <span className="hidden">, new</span>}
        </b>
        <small className="dim">{children}</small>
      </span>
      {isNew && <i className="dot" />}
    </Link>
  </li>
);
