import { useEffect, useReducer, useState } from 'react';
import type { ChatMessage, Events } from '../../../../client/events.ts';
import { serverNow } from '../../../kit/clock.ts';
import { useSocket } from '../../../kit/live.ts';
import { useRoom } from '../../room.ts';

/** Maximum number of messages that are kept per room. Older messages are dropped. */
const KEPT = 200;

type Room = { messages: readonly ChatMessage[]; slowModeSeconds: number; mutedUntil: string | null };
type Heard =
  | { history: Events['chat.history'] }
  | { message: ChatMessage }
  | { deleted: string }
  | { cleared: true }
  | { slow: number }
  | { muted: string | null };

const order = (a: ChatMessage, b: ChatMessage): number => (BigInt(a.id) < BigInt(b.id) ? -1 : 1);

function next(room: Room | undefined, heard: Heard): Room | undefined {
  if ('history' in heard) {
    const { messages, slowModeSeconds } = heard.history;
    return { messages, slowModeSeconds, mutedUntil: room?.mutedUntil ?? null };
  }
  if (!room) return room;
  if ('message' in heard) {
    if (room.messages.some(({ id }) => id === heard.message.id)) return room;
    return { ...room, messages: [...room.messages, heard.message].sort(order).slice(-KEPT) };
  }
  if ('deleted' in heard)
    return { ...room, messages: room.messages.filter(({ id }) => id !== heard.deleted) };
  if ('cleared' in heard) return { ...room, messages: [] };
  if ('slow' in heard) return { ...room, slowModeSeconds: heard.slow };
  return { ...room, mutedUntil: heard.muted };
}

/**
 * A chat room with its history and new messages. After an interruption the server replays the missed events or sends the history again.
 * Undefined until the history is loaded.
 */
export function useChat(roomId: string): { room: Room | undefined; tell: (muted: string | null) => void } {
  const [room, hear] = useReducer(next, undefined);
  useRoom(`chat:${roomId}`, {
    'chat.history': (history) => history.roomId === roomId && hear({ history }),
    'chat.message': (message) => message.roomId === roomId && hear({ message }),
    'chat.deleted': (of) => of.roomId === roomId && hear({ deleted: of.messageId }),
    'chat.cleared': (of) => of.roomId === roomId && hear({ cleared: true }),
    'chat.slow-mode': (of) => of.roomId === roomId && hear({ slow: of.seconds }),
    'chat.muted': ({ until }) => hear({ muted: until }),
  });
  return { room, tell: (muted) => hear({ muted }) };
}

/** Returns true while the timestamp is in the future. */
export function useIsAhead(until: string | null): boolean {
  const [, again] = useState(0);
  const left = until === null ? 0 : Date.parse(until) - serverNow();
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => again((n) => n + 1), Math.min(left + 50, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }, [left]);
  return left > 0;
}

/**
 * Sends a message. If it is unknown whether the message was stored, sending the same text again uses the same key, so that the message is
 * stored only once.
 */
export function useSend(roomId: string) {
  const client = useSocket();
  const [unknown, setUnknown] = useState<{ text: string; key: string }>();
  const send = async (text: string): Promise<void> => {
    if (!client) throw new Error('no socket');
    const key = unknown?.text === text ? unknown.key : crypto.randomUUID();
    setUnknown({ text, key });
    await client.send(`chat:${roomId}`, text, key);
    setUnknown(undefined);
  };
  return { send, isOpen: client !== undefined };
}
