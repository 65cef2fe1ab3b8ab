import './chat.css';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { moment, unit } from '../../../kit/intl.ts';
import { useIsCut } from '../../../kit/live.ts';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Note } from '../../../kit/note.tsx';
import { Empty, Loaded, Loading, Page } from '../../../kit/page.tsx';
import { Pick } from '../../../kit/pick/pick.tsx';
import { useMe } from '../../../kit/session.tsx';
import { useExclusion } from '../../exclusion.ts';
import { useSiteRead } from '../../site.ts';
import { markRead } from '../../unread.ts';
import { loadSection, words } from '../../words.ts';
import { Messages } from './messages.tsx';
import { useChat, useIsAhead } from './room.ts';
import { Write } from './write.tsx';

/** Shown in place of the field. Without a verified email address the server accepts no message. */
const Unverified = lazily(async () => {
  const [part] = await Promise.all([import('../profile/unverified.tsx'), loadSection('account')]);
  return part.Unverified;
});

/** The public chat on a page of its own, for phones. */
export const Chat = () => (
  <Page title={words.club.chat.title} isTitleHidden>
    <div className="chat-page">
      <ChatRooms />
    </div>
  </Page>
);

/** The public chat: its rooms, and the one that is open. `end`: a button at the end of the header. */
export function ChatRooms({ end }: { end?: ReactNode }) {
  const { chat } = words.club;
  const site = useSiteRead();
  const [chosen, choose] = useState<string>();
  const [isRulesShown, showRules] = useState(false);
  const rooms = site.data?.isChatEnabled ? (site.data.chat?.rooms ?? []) : [];
  const at = rooms.find(({ id }) => id === chosen) ?? rooms[0];
  return (
    <section className="chat" aria-label={chat.title}>
      <header>
        {rooms.length > 1 ? (
          <Pick
            label={chat.room}
            isLabelHidden
            className="button ghost"
            options={rooms.map(({ id, name }) => ({ value: id, text: name }))}
            value={at!.id}
            onChange={choose}
          />
        ) : (
          <>
            <Icon name="message-circle" />
            <h2>{at?.name ?? chat.title}</h2>
          </>
        )}
        <Connection />
        <Button
          kind="ghost"
          size="sm"
          icon="info"
          aria-label={chat.rulesTitle}
          aria-expanded={isRulesShown}
          onClick={() => showRules(!isRulesShown)}
        />
        {end}
      </header>
      {isRulesShown && <Note icon="shield-check">{chat.rules}</Note>}
      <Loaded of={site}>
        {() => (at ? <InRoom key={at.id} id={at.id} /> : <Empty title={chat.off}>{chat.offHint}</Empty>)}
      </Loaded>
    </section>
  );
}

/** Takes the space between the name of the room and the buttons. */
const Connection = () => (
  <span className="grow">
    {useIsCut() && (
      <span className="line warn xs" role="status">
        <span className="dot" /> {words.frame.notLive}
      </span>
    )}
  </span>
);

function InRoom({ id }: { id: string }) {
  const { chat } = words.club;
  const { room, tell } = useChat(id);
  const isMuted = useIsAhead(room?.mutedUntil ?? null);
  const excluded = useExclusion();
  const { emailVerified } = useMe();
  const newest = room?.messages.at(-1)?.id;
  useEffect(() => {
    if (newest !== undefined) markRead(newest);
  }, [newest]);
  if (!room)
    return (
      <Loading>
        {[70, 45, 85, 60].map((width) => (
          <Skeleton key={width} width={`${width}%`} />
        ))}
      </Loading>
    );
  const said = isMuted
    ? chat.muted(moment(room.mutedUntil!))
    : room.slowModeSeconds > 0
      ? chat.slow(unit(room.slowModeSeconds, 'second', 'long'))
      : '';
  return (
    <>
      <Messages of={room.messages} mayTip={!excluded} />
      <p className="hint-line" role="status">
        {said && <Icon name={isMuted ? 'volume-x' : 'timer'} size={14} />}
        {said}
      </p>
      {excluded ? (
        <Note icon="lock">{chat.excluded}</Note>
      ) : !emailVerified ? (
        <Imported>
          <Unverified why={chat.unverified} />
        </Imported>
      ) : (
        <Write roomId={id} isMuted={isMuted} onMuted={tell} />
      )}
    </>
  );
}
