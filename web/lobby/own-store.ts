import { userId } from '../kit/query.ts';
import { createStore } from '../kit/store.ts';
import { own } from './own.ts';

/** A value of the player to which components subscribe. A page keeps the value that it has set, even if another tab sets another one. */
export function ownStore(key: string) {
  const page = createStore<{ of: number | undefined; value: string } | undefined>(undefined);
  const valueIn = (set: ReturnType<typeof page.get>) =>
    set && set.of === userId() ? set.value : own.get(key);
  /** Sets the value for this page only. */
  const pin = (value: string) => page.set({ of: userId(), value });
  return {
    get: () => valueIn(page.get()),
    use: () => valueIn(page.use()),
    set(value: string) {
      own.set(key, value);
      pin(value);
    },
    pin,
  };
}
