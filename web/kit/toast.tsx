import { createStore } from './store.ts';

type Toast = { id: number; text: string; isBad: boolean };
const SHOWN_MS = 6000;

const toasts = createStore<readonly Toast[]>([]);
let next = 0;

/** Shows a short message in the corner. */
export function say(text: string, isBad = false): void {
  const toast = { id: next++, text, isBad };
  toasts.set([...toasts.get(), toast]);
  setTimeout(() => toasts.set(toasts.get().filter((t) => t !== toast)), SHOWN_MS);
}

/** Shows the messages. Render it once per page. */
export function Toasts() {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.use().map(({ id, text, isBad }) => (
        <p key={id} className={isBad ? 'bad' : 'good'}>
          {isBad ? '✕' : '✓'} {text}
        </p>
      ))}
    </div>
  );
}
