import type { Answer } from '../../../client/call.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Count } from '../../kit/figures.tsx';
import { Icon } from '../../kit/icon.tsx';
import { month } from '../../kit/intl.ts';
import { Menu, type MenuEntry } from '../../kit/pick/menu.tsx';
import { queries, useAct, useRead } from '../../kit/query.ts';
import { dropPending } from '../pending.ts';
import { forgetSignedIn, noteSignedIn } from '../session-end.ts';
import { useFirstRoom, useUnread } from '../unread.ts';
import { words } from '../words.ts';
import { useOverlayLink } from './overlay.ts';
import type { ChatState } from './shell.tsx';

type Me = Answer<'GET /user/me'>;

/** The number of unread notifications. */
export function Bell() {
  const link = useOverlayLink();
  const { data } = useRead('GET /notifications/unread', {}, { staleMs: 60_000 });
  const fresh = data?.count ?? 0;
  return (
    <span className="bell">
      <ButtonLink
        to={link('show', 'notifications')}
        kind="ghost"
        icon="bell"
        label={words.frame.bell(fresh)}
      />
      {fresh > 0 && <Count of={fresh} />}
    </span>
  );
}

export function AccountMenu({ me }: { me: Me }) {
  const link = useOverlayLink();
  const leave = useAct('DELETE /session/log-out/current', { onDone: () => void queries.resetQueries() });
  const signOut = async () => {
    dropPending();
    forgetSignedIn();
    if (!(await leave.run({}))) noteSignedIn();
  };
  const name = me.username ?? '';
  const entries: readonly MenuEntry[] = [
    { text: words.menu.wallet, icon: 'wallet', to: link('wallet', 'overview') },
    { text: words.menu.bets, icon: 'receipt', to: '/bets' },
    { text: words.menu.transactions, icon: 'arrow-left-right', to: link('wallet', 'history') },
    'line',
    { text: words.menu.verification, icon: 'id-card', to: '/verification' },
    { text: words.menu.security, icon: 'fingerprint-pattern', to: '/profile/security' },
    { text: words.menu.settings, icon: 'settings', to: '/profile' },
    { text: words.menu.protection, icon: 'shield', to: '/protection' },
    'line',
    { text: words.frame.appearance, icon: 'sun-moon', to: link('show', 'appearance') },
    { text: words.entry.signOut, icon: 'log-out', run: () => void signOut() },
  ];
  return (
    <Menu
      label={words.frame.account}
      className="me"
      aria-label={`${words.frame.account}: ${name}`}
      entries={entries}
      head={<Who me={me} />}
    >
      <Avatar name={name} image={me.avatar} />
      <span className="wide-only">
        <Icon name="chevron-down" size={14} />
      </span>
    </Menu>
  );
}

const Who = ({ me }: { me: Me }) => (
  <div className="line who">
    <Avatar name={me.username ?? ''} image={me.avatar} />
    <span className="grow">
      <strong className="clip" translate="no">
        {me.username}
      </strong>
      <br />
      <span className="xs faint">{words.frame.since(month(me.createdAt))}</span>
    </span>
    {me.vipLevel > 0 && <span className="badge accent">{words.frame.vip(me.vipLevel)}</span>}
  </div>
);

/** Opens the chat beside the page. It shows the number of unread messages while the chat is closed. */
export function ChatButton(state: ChatState) {
  const room = useFirstRoom();
  return room === undefined || state.isChatOpen ? (
    <Chat {...state} unread={0} />
  ) : (
    <ChatWithCount {...state} room={room} />
  );
}

const ChatWithCount = ({ room, ...state }: ChatState & { room: string }) => (
  <Chat {...state} unread={useUnread(room)} />
);

const Chat = ({ isChatOpen, onChat, unread }: ChatState & { unread: number }) => (
  <span className="bell wide-only">
    <Button
      kind="ghost"
      icon="message-circle"
      aria-label={words.frame.unread(unread)}
      aria-expanded={isChatOpen}
      onClick={onChat}
    />
    {unread > 0 && <Count of={unread} />}
  </span>
);
