import { Fragment, useEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../../../../client/events.ts';
import { Boundary } from '../../../kit/boundary.tsx';
import { Button } from '../../../kit/button.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { date, exactly, money, relativeDay, time } from '../../../kit/intl.ts';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Empty } from '../../../kit/page.tsx';
import { useMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';

const PlayerCard = lazily(async () => (await import('./player-card.tsx')).PlayerCard);

const isNewDay = (before: ChatMessage | undefined, { createdAt }: ChatMessage) =>
  before === undefined || new Date(before.createdAt).toDateString() !== new Date(createdAt).toDateString();

/** Messages with a line between days. Scrolls to the newest one, unless the reader has scrolled up. */
export function Messages({ of, mayTip }: { of: readonly ChatMessage[]; mayTip: boolean }) {
  const { chat } = words.club;
  const list = useRef<HTMLOListElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [shown, show] = useState<string>();
  const toEnd = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  };
  const stays = useRef(true);
  useEffect(() => {
    if (of.length > 0 && stays.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [of]);
  return (
    <div className="log">
      <ol
        ref={list}
        className="messages"
        aria-label={chat.messages}
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: at }) => setAtEnd(at.scrollHeight - at.scrollTop - at.clientHeight < 40)}
      >
        {of.map((message, index) => (
          <Fragment key={message.id}>
            {isNewDay(of[index - 1], message) && (
              <li className="day">
                <span>{relativeDay(message.createdAt) ?? date(message.createdAt)}</span>
              </li>
            )}
            <Message of={message} onName={show} />
          </Fragment>
        ))}
      </ol>
      {of.length === 0 && <Empty title={chat.none}>{chat.noneHint}</Empty>}
      {!isAtEnd && (
        <Button size="sm" icon="arrow-down" className="to-end" onClick={toEnd}>
          {chat.toEnd}
        </Button>
      )}
      {shown !== undefined && (
        <Boundary at={shown}>
          <Imported>
            <PlayerCard username={shown} mayTip={mayTip} onClose={() => show(undefined)} />
          </Imported>
        </Boundary>
      )}
    </div>
  );
}

type Named = ChatMessage['user'];

function Message({ of, onName }: { of: ChatMessage; onName: (username: string) => void }) {
  const { chat } = words.club;
  const { user, text, tip, isStaff, createdAt } = of;
  const { username } = useMe();
  return (
    <li className={tip ? 'msg tip' : isStaff ? 'msg staff' : user.username === username ? 'msg own' : 'msg'}>
      {tip && <Icon name="gift" size={14} />}
      {isStaff && <span className="lvl">{chat.staff}</span>}
      {!isStaff && user.vipLevel !== null && user.vipLevel > 0 && (
        <span className="lvl" title={words.frame.vip(user.vipLevel)}>
          <span className="hidden">{words.frame.vip(user.vipLevel)}</span>
          <span aria-hidden="true">{user.vipLevel}</span>
        </span>
      )}
      <Name of={user} onName={onName} />{' '}
      {tip && (
        <>
          {chat.tipped} <Name of={tip.recipient} onName={onName} />{' '}
          <b className="sum" translate="no">
            {money(tip.amount, tip.currencyId)}
          </b>{' '}
        </>
      )}
      <span className="text">{text}</span>{' '}
      <time dateTime={createdAt} title={exactly(createdAt)}>
        {time(createdAt)}
      </time>
    </li>
  );
}

/** A player's name, which opens the player's card. Players who hide their names have no id. */
function Name({ of: { id, username }, onName }: { of: Named; onName: (username: string) => void }) {
  if (id === null) return <span className="who faint">{words.club.hidden}</span>;
  return (
    <button type="button" className="who" translate="no" onClick={() => onName(username)}>
      {username}
    </button>
  );
}
