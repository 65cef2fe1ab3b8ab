import { useState } from 'react';
import type { ChatMessage } from '../../client/events.ts';
import { useMe } from '../kit/session.tsx';
import { ownStore } from './own-store.ts';
import { useRoom } from './room.ts';
import { useSite } from './site.ts';

/** The id of the newest chat message that the player has seen. Ids increase. */
const marked = ownStore('chatReadUpTo');
/** Lower than the id of any message. */
const BEFORE_ALL = '0';
const readUpTo = (): string | undefined => /^\d{1,30}$/.exec(marked.get() ?? '')?.[0];

const isNewer = (id: string, than: string | undefined) => than === undefined || BigInt(id) > BigInt(than);

export function markRead(messageId: string): void {
  if (isNewer(messageId, readUpTo())) marked.set(messageId);
}

/** The first room, where public tips appear. Undefined if the chat is switched off. */
export const useFirstRoom = (): string | undefined => {
  const site = useSite();
  return site?.isChatEnabled ? site.chat?.rooms[0]?.id : undefined;
};

type Ids = readonly string[];

/** Counts the messages of other players in a room since the player last saw it. For a player who has never seen a room, the messages of its
 * history count as seen. */
export function useUnread(roomId: string): number {
  const { username } = useMe();
  const [ids, setIds] = useState<Ids>([]);
  marked.use();
  const read = readUpTo();
  const newest = (messages: readonly ChatMessage[]) =>
    messages.filter(({ user }) => user.username !== username).map(({ id }) => id);
  useRoom(`chat:${roomId}`, {
    'chat.history': (history) => {
      if (history.roomId !== roomId) return;
      setIds(newest(history.messages));
      if (readUpTo() === undefined) markRead(history.messages.at(-1)?.id ?? BEFORE_ALL);
    },
    'chat.message': (message) =>
      message.roomId === roomId && setIds((known) => [...known, ...newest([message])].slice(-100)),
    'chat.deleted': ({ messageId }) => setIds((known) => known.filter((id) => id !== messageId)),
    'chat.cleared': (of) => of.roomId === roomId && setIds([]),
  });
  return read === undefined ? 0 : ids.filter((id) => isNewer(id, read)).length;
}
