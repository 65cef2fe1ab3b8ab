import type { SavedView, SavedViews } from '../../../client/call.ts';
import { queries, useAct, useRead } from '../../kit/query.ts';
import { local } from '../../kit/storage.ts';
import { createStore } from '../../kit/store.ts';
import { say } from '../../kit/toast.tsx';
import type { ListName } from './spec.ts';

const VIEWS = 'GET /admin/views/{list}';

export type Saved = {
  views: readonly SavedView[];
  /** The names of the chosen columns in their order. Null stands for the default ones. */
  columns: readonly string[] | null;
  /** Shows the change immediately, and stores it on the server. Returns false and shows an error if the stored views have not loaded. */
  change: (changes: Partial<SavedViews>) => boolean;
};

/** The views and columns that this member of staff has saved for a list. */
export function useSaved(list: ListName): Saved {
  const input = { path: { list } };
  const read = useRead(VIEWS, input, { staleMs: Number.POSITIVE_INFINITY });
  const put = useAct('PUT /admin/views/{list}', { stale: [VIEWS] });
  const saved = read.data ?? { views: [], columns: null };
  return {
    ...saved,
    change: (changes) => {
      // A change replaces everything that is stored, so it needs the stored views first.
      if (!read.data) {
        say('Your saved views have not loaded. Try again.', true);
        void read.refetch();
        return false;
      }
      const body = { ...saved, ...changes };
      queries.setQueryData([VIEWS, input], body);
      void put.run({ ...input, body }).then(async (done) => {
        if (done) return;
        say('Your change to this list was not saved', true);
        await queries.invalidateQueries({ queryKey: [VIEWS] });
      });
      return true;
    },
  };
}

type Density = 'comfortable' | 'compact';
const density = createStore<Density>(local.get('density') === 'compact' ? 'compact' : 'comfortable');

/** The height of rows in all lists, which is stored in the browser because it depends on the screen. */
export const useDensity = density.use;
export function chooseDensity(chosen: Density): void {
  local.set('density', chosen);
  density.set(chosen);
}
