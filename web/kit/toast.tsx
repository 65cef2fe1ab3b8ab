import './toast.css';
import { useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { createStore } from './store.ts';
import { kit } from './words.ts';

type Toast = {
  id: number;
  text: string;
  isBad: boolean;
  /** Neither a success nor an error, for example “nothing has changed”. */
  isPlain: boolean;
  /** For what can be undone. */
  action?: { label: string; run: () => void } | undefined;
};
/** A success message, or one that is neither a success nor an error. */
export type Said = string | { text: string; isPlain: boolean };

const SHOWN_MS = 5000;
const MOST = 3;

const toasts = createStore<readonly Toast[]>([]);
let next = 0;

const close = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id));

/**
 * Shows a short message in the corner for five seconds. An error, and a message with an action, stays until it is closed. At most three
 * messages are shown.
 */
export function say(said: Said, isBad = false, action?: Toast['action']): void {
  const { text, isPlain } = typeof said === 'string' ? { text: said, isPlain: false } : said;
  const toast = { id: next++, text, isBad, isPlain, action };
  toasts.set([...toasts.get().slice(1 - MOST), toast]);
  if (!isBad && !action) setTimeout(() => close(toast.id), SHOWN_MS);
}

/** Shows the messages. Render it once per page. F6 moves the focus to them. */
export function Toasts() {
  const shown = toasts.use();
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    const place = region.current;
    // A popover that is shown again is above a dialog that was opened in the meantime.
    if (!place || shown.length === 0) return;
    place.hidePopover();
    place.showPopover();
  }, [shown]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const first = event.key === 'F6' ? region.current?.querySelector('button') : undefined;
      if (!first) return;
      event.preventDefault();
      first.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  return (
    <section ref={region} className="toasts" popover="manual" aria-label={kit.messages}>
      <div role="status" aria-live="polite">
        {shown.map(({ id, text, isBad, isPlain, action }) => (
          <div key={id} className={`toast ${isBad ? 'bad' : isPlain ? '' : 'good'}`}>
            <Icon name={isBad ? 'circle-alert' : isPlain ? 'info' : 'circle-check'} />
            <p>{text}</p>
            {action && (
              <button
                type="button"
                className="link"
                onClick={() => {
                  action.run();
                  close(id);
                }}
              >
                {action.label}
              </button>
            )}
            <Button kind="ghost" size="sm" icon="x" aria-label={kit.close} onClick={() => close(id)} />
          </div>
        ))}
      </div>
    </section>
  );
}
