import { type SubmitEvent, useRef, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { number, unit } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { kit } from '../../../kit/words.ts';
import { words } from '../../words.ts';
import { useSend } from './room.ts';

/** The server counts characters as readers see them. This limit is close enough for the field. */
const LONGEST = 200;
const EMOJI = [...'😀😂😅😍😎🤔😢😡👍👎👏🙏🔥🎉🍀🎲🎰🚀💎🐒☕👋😴🤞'];

type Said = { code: string; message: string; details: Readonly<Record<string, unknown>> };
type WriteProps = { roomId: string; isMuted: boolean; onMuted: (until: string) => void };

/** The field below the messages. */
export function Write({ roomId, isMuted, onMuted }: WriteProps) {
  const { chat } = words.club;
  const { send, isOpen } = useSend(roomId);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Said>();
  const field = useRef<HTMLInputElement>(null);
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
      {refused && (
        <Note kind="bad">
          {kit.refusal(refused)} {waitOf(refused)}
        </Note>
      )}
      <span className="input">
        <input
          ref={field}
          aria-label={chat.text}
          placeholder={chat.text}
          value={text}
          maxLength={LONGEST}
          autoComplete="off"
          disabled={isMuted}
          onChange={(event) => {
            setText(event.target.value);
            setRefused(undefined);
          }}
        />
        <Emoji
          isOff={isMuted}
          onChoose={(one) => {
            setText(`${text}${one}`.slice(0, LONGEST));
            field.current?.focus();
          }}
        />
        <Button
          type="submit"
          kind="main"
          size="sm"
          icon="send"
          aria-label={chat.send}
          isBusy={isBusy}
          disabled={isMuted || !isOpen}
        />
      </span>
      <span className="line between xs faint">
        <span>{chat.secret}</span>
        <span className="nowrap">{chat.length(number(text.length), number(LONGEST))}</span>
      </span>
    </form>
  );
}

function Emoji({ isOff, onChoose }: { isOff: boolean; onChoose: (one: string) => void }) {
  const { chat } = words.club;
  const [isShown, show] = useState(false);
  return (
    <>
      <Button
        kind="ghost"
        size="sm"
        icon="smile"
        aria-label={chat.emoji}
        aria-expanded={isShown}
        disabled={isOff}
        onClick={() => show(!isShown)}
      />
      {isShown && (
        <ul className="emoji" aria-label={chat.emoji}>
          {EMOJI.map((one) => (
            <li key={one}>
              <button type="button" onClick={() => onChoose(one)}>
                {one}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
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
  return typeof seconds === 'number' ? words.club.chat.wait(unit(seconds, 'second', 'long')) : '';
}
