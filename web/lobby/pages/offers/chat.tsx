import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../../../../client/events.ts';
import { Amount } from '../../../kit/amount.tsx';
import { useIsLive } from '../../../kit/live.ts';
import { Empty, Loaded, Loading, Page } from '../../../kit/page.tsx';
import { Button, useMe } from '../../../kit/session.tsx';
import { kit } from '../../../kit/words.ts';
import { useExclusion } from '../../exclusion.ts';
import { words } from '../../words.ts';
import { useChat, useIsAhead, useSend } from './chat-room.ts';
import { useSite } from './parts.tsx';
import './offers.css';

const LONGEST = 200;

/** The public chat rooms. */
export function Chat() {
  const { chat } = words.offers;
  const site = useSite();
  const [chosen, choose] = useState<string>();
  return (
    <Page title={chat.title}>
      <Loaded of={site}>
        {(known) => {
          const rooms = known?.chat.rooms ?? [];
          const at = rooms.find(({ id }) => id === chosen) ?? rooms[0];
          if (!known?.isChatEnabled || !at) return <Empty>{chat.off}</Empty>;
          return (
            <div className="stack">
              <p className="dim">{chat.rules}</p>
              {rooms.length > 1 && (
                <div className="actions">
                  {rooms.map(({ id, name }) => (
                    <button key={id} type="button" aria-pressed={id === at.id} onClick={() => choose(id)}>
                      {name}
                    </button>
                  ))}
                </div>
              )}
              <InRoom key={at.id} id={at.id} name={at.name} />
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

function InRoom({ id, name }: { id: string; name: string }) {
  const { chat } = words.offers;
  const { room, tell } = useChat(id);
  const isLive = useIsLive();
  const isMuted = useIsAhead(room?.mutedUntil ?? null);
  const excluded = useExclusion();
  if (!room) return <Loading />;
  return (
    <section className="card chat" aria-label={name}>
      <header>
        <h2>{name}</h2>
        {!isLive && <span className="status open">○ {chat.cut}</span>}
      </header>
      <Messages of={room.messages} />
      <p className="dim" role="status">
        {isMuted
          ? chat.muted(new Date(room.mutedUntil!).toLocaleString(kit.locale))
          : room.slowModeSeconds > 0
            ? chat.slow(room.slowModeSeconds)
            : ''}
      </p>
      {excluded ? <p>{chat.excluded}</p> : <Write roomId={id} isMuted={isMuted} onMuted={tell} />}
    </section>
  );
}

/** Scrolls to the newest message, unless the reader has scrolled up. */
function Messages({ of }: { of: readonly ChatMessage[] }) {
  const { chat } = words.offers;
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const shown = list.current;
    if (shown && isAtEnd.current && of.length > 0) shown.scrollTop = shown.scrollHeight;
  }, [of]);
  return (
    <ol
      ref={list}
      className="messages"
      aria-label={chat.messages}
      aria-live="polite"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: at }) => {
        isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 40;
      }}
    >
      {of.length === 0 && <li className="dim">{chat.none}</li>}
      {of.map((message) => (
        <Message key={message.id} of={message} />
      ))}
    </ol>
  );
}

function Message({ of: { user, text, tip, createdAt } }: { of: ChatMessage }) {
  const { chat } = words.offers;
  const { username } = useMe();
  const at = new Date(createdAt).toLocaleTimeString(kit.locale, { timeStyle: 'short' });
  return (
    <li className={user.username === username ? 'own' : undefined}>
      <small className="dim">
        <time dateTime={createdAt}>{at}</time>
      </small>{' '}
      <strong>{user.username}</strong>
      {user.vipLevel !== null && user.vipLevel > 0 && <small className="dim"> VIP {user.vipLevel}</small>}
      {tip && (
        <span>
          {' '}
          {chat.tipped} <strong>{tip.recipient.username}</strong>{' '}
          <Amount of={tip.amount} in={tip.currencyId} />
        </span>
      )}
      {text && <span className="text">: {text}</span>}
    </li>
  );
}

type Said = { code: string; message: string; details: Readonly<Record<string, unknown>> };

type WriteProps = { roomId: string; isMuted: boolean; onMuted: (until: string) => void };

function Write({ roomId, isMuted, onMuted }: WriteProps) {
  const { chat } = words.offers;
  const { send, isOpen } = useSend(roomId);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Said>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const written = text.trim();
    if (written === '' || isBusy) return;
    setBusy(true);
    setRefused(undefined);
    try {
      await send(written);
      setText('');
    } catch (error) {
      const said = asSaid(error);
      setRefused(said);
      if (said.code === 'CHAT_MUTED' && typeof said.details.until === 'string') onMuted(said.details.until);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="write" onSubmit={(event) => void submit(event)}>
      <label className="field">
        <span>{chat.text}</span>
        <input
          value={text}
          maxLength={LONGEST}
          autoComplete="off"
          disabled={isMuted}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Button type="submit" kind="main" isBusy={isBusy} disabled={isMuted || !isOpen}>
        {chat.send}
      </Button>
      {refused && (
        <p className="problem" role="alert">
          {kit.refusal(refused)} {waitOf(refused)}
        </p>
      )}
    </form>
  );
}

/**
 * Returns the text of an error. If the server rejected the message, the error contains the reason. For any other error it is unknown
 * whether the message was stored.
 */
function asSaid(error: unknown): Said {
  const { code, message, details = {} } = error as Partial<Said>;
  return code === undefined
    ? { code: 'NO_ANSWER', message: String(message), details: {} }
    : { code, message: message ?? code, details };
}

function waitOf({ details }: Said): string {
  const seconds = details.retryAfterSeconds;
  return typeof seconds === 'number' ? words.offers.chat.wait(seconds) : '';
}
