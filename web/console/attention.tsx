import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from '../kit/icon.tsx';
import { plural } from '../kit/intl.ts';
import { Card } from '../kit/page.tsx';
import type { Entry, Queue } from './menu.ts';
import { useMenu, useQueue } from './navigation.tsx';

type Queued = { entry: Entry; queue: Queue; path: string };

/** Returns the menu entries with rows that may wait for this account. */
export const useQueues = (): readonly Queued[] =>
  useMenu()
    .flatMap(({ entries }) => entries)
    .flatMap(({ entry, tab, queue }) => (queue ? [{ entry, queue, path: tab.path }] : []));

/** The queues of this account, as a card. Renders nothing if there are none. */
export function Attention() {
  const queues = useQueues();
  if (queues.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul className="notices">
        {queues.map((queue) => (
          <QueueNotice key={queue.path} {...queue} />
        ))}
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
