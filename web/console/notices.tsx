import { useEffect } from 'react';
import { Count } from '../kit/figures.tsx';
import { Icon } from '../kit/icon.tsx';
import { plural } from '../kit/intl.ts';
import { useSocket } from '../kit/live.ts';
import { Imported, lazily } from '../kit/load.tsx';
import { Popover } from '../kit/popover.tsx';
import { missingRight, useMe } from '../kit/session.tsx';
import { addAlert, alerts } from './alerts.ts';
import { ALERTS } from './follows.ts';

const NoticeList = lazily(async () => (await import('./notice-list.tsx')).NoticeList);

/** The bell, with the alerts since the page was opened and the queues that wait for staff. */
export function Notices() {
  const me = useMe();
  const socket = useSocket();
  useEffect(() => socket?.on('admin.alert', (alert) => addAlert(alert, new Date().toISOString())), [socket]);
  // Staff see the alerts about lists that they may read.
  const shown = alerts.use().filter(({ kind }) => missingRight(me, ALERTS[kind][0]!) === undefined);
  const unread = shown.filter(({ isRead }) => !isRead).length;
  return (
    <Popover
      label="Notifications"
      className="button ghost only-icon bell"
      title="Notifications"
      content={(close) => (
        <Imported>
          <NoticeList alerts={shown} onOpen={close} />
        </Imported>
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
