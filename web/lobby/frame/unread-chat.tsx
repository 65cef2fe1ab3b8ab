import { Count } from '../../kit/figures.tsx';
import { useFirstRoom, useUnread } from '../unread.ts';

/** The number of unread messages of the first chat room. */
export function UnreadChat() {
  const room = useFirstRoom();
  return room === undefined ? null : <UnreadIn room={room} />;
}

function UnreadIn({ room }: { room: string }) {
  const unread = useUnread(room);
  return unread > 0 ? <Count of={unread} /> : null;
}
