import './chat-panel.css';
import { Button } from '../../kit/button.tsx';
import { ChatRooms } from '../pages/chat/chat.tsx';
import { words } from '../words.ts';

/** The public chat beside the page. On phones it has a page of its own. */
export const ChatPanel = ({ onClose }: { onClose: () => void }) => (
  <aside className="chat-panel" aria-label={words.frame.chat}>
    <ChatRooms
      end={<Button kind="ghost" size="sm" icon="x" aria-label={words.frame.closeChat} onClick={onClose} />}
    />
  </aside>
);
