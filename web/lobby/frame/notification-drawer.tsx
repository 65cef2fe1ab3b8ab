import { ButtonLink } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { MarkRead, NotificationList, useNotifications } from '../pages/notifications.tsx';
import { words } from '../words.ts';

/** The player's notifications beside the page. */
export function NotificationDrawer({ onClose }: { onClose: () => void }) {
  const { data = [] } = useNotifications();
  return (
    <Dialog
      title={words.news.title}
      kind="drawer"
      onClose={onClose}
      foot={
        data.length > 0 && (
          <>
            <ButtonLink to="/notifications" kind="ghost">
              {words.frame.allNotifications}
            </ButtonLink>
            {data.some(({ isAware }) => !isAware) && <MarkRead />}
          </>
        )
      }
    >
      <NotificationList />
    </Dialog>
  );
}
