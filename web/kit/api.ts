import { createCaller } from '../../client/call.ts';
import { noteServerTime } from './clock.ts';

const listeners = new Set<() => void>();

/** Calls `listener` when the session has ended. Returns a function that unsubscribes it. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls API operations at the origin of the page, with the session's cookies. */
export const call = createCaller({
  onDate: noteServerTime,
  onSignedOut: () => {
    for (const listener of listeners) listener();
  },
});

type Settings = {
  realtime: string;
  hasCaptcha: boolean;
  /** The operator's name, and the addresses of the drawings of BRAND_DIR. */
  brand: { name: string; mark?: string; wordmark?: string; wordmarkLight?: string };
  /** APP_ENV, which only the console shows. */
  environment?: string;
};

/** Settings that the server embeds in the page. */
export const settings: Settings = {
  realtime: '',
  hasCaptcha: false,
  brand: { name: 'Croupier' },
  ...JSON.parse(document.getElementById('settings')?.textContent ?? '{}'),
};
