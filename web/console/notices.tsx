import { useEffect } from 'react';
import { When } from '../kit/amount.tsx';
import { Count } from '../kit/figures.tsx';
import { Icon } from '../kit/icon.tsx';
import { plural } from '../kit/intl.ts';
import { useSocket } from '../kit/live.ts';
import { Empty } from '../kit/page.tsx';
import { Popover } from '../kit/popover.tsx';
import { useRead } from '../kit/query.ts';
import { missingRight, useMe, useMissing } from '../kit/session.tsx';
import { ABOUT, addAlert, alerts, readAlerts } from './alerts.ts';
import { Notice, QueueNotice, useQueues } from './attention.tsx';

const APPROVALS = 'GET /admin/approvals';

/** The bell, with the alerts since the page was opened and the queues that wait for staff. */
export function Notices() {
  const me = useMe();
  const socket = useSocket();
  useEffect(() => socket?.on('admin.alert', (alert) => addAlert(alert, new Date().toISOString())), [socket]);
  const shown = alerts.use().filter(({ kind }) => missingRight(me, ABOUT[kind].of) === undefined);
  const unread = shown.filter(({ isRead }) => !isRead).length;
  return (
    <Popover
      label="Notifications"
      className="button ghost only-icon bell"
      title="Notifications"
      content={(close) => (
        <>
          <div className="line between">
            <h2>Notifications</h2>
            {unread > 0 && (
              <button type="button" className="link xs" onClick={readAlerts}>
                Mark all read
              </button>
            )}
          </div>
          <ul className="notices">
            {shown.map(({ kind, id, at, isRead }) => (
              <Notice
                key={`${kind} ${id}`}
                icon={ABOUT[kind].icon}
                title={ABOUT[kind].title}
                isNew={!isRead}
                to={ABOUT[kind].to(id)}
                onOpen={close}
              >
                <When at={at} />
              </Notice>
            ))}
            <Waiting onOpen={close} />
          </ul>
        </>
      )}
    >
      <Icon name="bell" size={18} />
      <span className="hidden">
        {unread > 0
          ? plural(unread, { one: 'Notifications, # new', other: 'Notifications, # new' })
          : 'Notifications'}
      </span>
      {unread > 0 && <Count of={unread} />}
    </Popover>
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
          {plural(data.length, { one: '# action waits', other: '# actions wait' })} for another person
        </small>
      </span>
    </li>
  );
}
