import { Refused } from '../../client/call.ts';
import { serverNow } from '../kit/clock.ts';
import { queries } from '../kit/query.ts';
import { useOptionalMe } from '../kit/session.tsx';
import { openChannel } from '../kit/storage.ts';
import { createStore } from '../kit/store.ts';

/** End of the exclusion; null if it is permanent. */
export type Excluded = { until: string | null };

/** An exclusion that an event or an error reported before the profile contains it. */
const told = createStore<Excluded | undefined>(undefined);

/** Tabs with a socket report the exclusion to tabs without a socket. */
const tabs = openChannel('exclusion');
tabs?.addEventListener('message', ({ data }: MessageEvent<Excluded>) => told.set(data));

export function beginExclusion(until: string | null): void {
  told.set({ until });
  tabs?.postMessage({ until } satisfies Excluded);
}
export const endExclusion = (): void => told.set(undefined);

let player: number | undefined;

/** Clears the exclusion when another player signs in. */
export function heardBy(id: number | undefined): void {
  if (id !== player) endExclusion();
  player = id;
}

const lasts = (excluded: Excluded | undefined): excluded is Excluded =>
  excluded !== undefined && (excluded.until === null || Date.parse(excluded.until) > serverNow());

/** Returns true if this tab knows of an active exclusion. */
export const isExcluded = (): boolean => lasts(told.get());

/** Shows the exclusion immediately if any request fails because of it. */
export function noteRefusal(error: unknown): void {
  if (!(error instanceof Refused) || error.code !== 'SELF_EXCLUDED') return;
  const { until } = error.details;
  beginExclusion(typeof until === 'string' ? until : null);
}

/** Checks the errors of all queries and mutations. Returns a function that unsubscribes. */
export function watchRefusals(): () => void {
  const ends = [
    queries.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error') noteRefusal(event.action.error);
    }),
    queries.getMutationCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error') noteRefusal(event.action.error);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Returns the player's active exclusion, or undefined. Visitors have none. */
export function useExclusion(): Excluded | undefined {
  const selfExclusion = useOptionalMe()?.selfExclusion;
  const heard = told.use();
  const known = selfExclusion?.isActive ? { until: selfExclusion.expiresAt } : undefined;
  return [heard, known].find(lasts);
}
