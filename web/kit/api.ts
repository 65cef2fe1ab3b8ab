import { createCaller } from '../../client/call.ts';

const listeners = new Set<() => void>();

/** Calls back when the session has ended. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Every call of the pages: to where they came from, with the session's cookies. */
export const call = createCaller({
  onSignedOut: () => {
    for (const listener of listeners) listener();
  },
});

type Settings = { realtime: string; hasCaptcha: boolean };

/** What the server has written into the page. */
export const settings: Settings = JSON.parse(
  document.getElementById('settings')?.textContent ?? '{"realtime":"","hasCaptcha":false}',
);
