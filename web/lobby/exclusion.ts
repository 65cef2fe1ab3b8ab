import { Refused } from '../../client/call.ts';
import { queries } from '../kit/query.ts';
import { useMe } from '../kit/session.tsx';
import { openChannel } from '../kit/storage.ts';
import { createStore } from '../kit/store.ts';

/** Until when the player is kept from play; null: for good. */
export type Excluded = { until: string | null };

/** What an event or a refusal has said, before the profile says it. */
const told = createStore<Excluded | undefined>(undefined);

/** Tabs without a socket hear it from those that have one. */
const tabs = openChannel('exclusion');
tabs?.addEventListener('message', ({ data }: MessageEvent<Excluded>) => told.set(data));

export function beginExclusion(until: string | null): void {
  told.set({ until });
  tabs?.postMessage({ until } satisfies Excluded);
}
export const endExclusion = (): void => told.set(undefined);

let player: number | undefined;

/** What was said to one player holds for nobody else. */
export function heardBy(id: number | undefined): void {
  if (id !== player) endExclusion();
  player = id;
}

const lasts = (excluded: Excluded | undefined): excluded is Excluded =>
  excluded !== undefined && (excluded.until === null || Date.parse(excluded.until) > Date.now());

/** Whether play is known to be over in this tab. */
export const isExcluded = (): boolean => lasts(told.get());

/** Whoever is refused for an exclusion sees it at once, whatever they pressed. */
export function noteRefusal(error: unknown): void {
  if (!(error instanceof Refused) || error.code !== 'SELF_EXCLUDED') return;
  const { until } = error.details;
  beginExclusion(typeof until === 'string' ? until : null);
}

/** Looks at every refusal of what is read and sent. Answers how that ends. */
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

/** The exclusion that lasts now; undefined: there is none. */
export function useExclusion(): Excluded | undefined {
  const { selfExclusion } = useMe();
  const heard = told.use();
  const known = selfExclusion?.isActive ? { until: selfExclusion.expiresAt } : undefined;
  return [heard, known].find(lasts);
}
