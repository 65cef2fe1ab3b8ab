import { useState, useSyncExternalStore } from 'react';
import type { local } from './storage.ts';

/** A value outside the component tree to which components subscribe. */
export function createStore<T>(first: T) {
  let value = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set(next: T) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, () => value),
  };
}

/** A state that the browser keeps in `place`. A stored value that is not valid is ignored, and the usual one is used. */
export function useKept<T>(
  place: Pick<typeof local, 'read' | 'set'>,
  key: string,
  [usual, isValid]: readonly [usual: T, isValid: (stored: unknown) => stored is T],
) {
  const [value, change] = useState(() => place.read(key, isValid) ?? usual);
  const keep = (next: T) => {
    change(next);
    place.set(key, JSON.stringify(next));
  };
  return [value, keep] as const;
}
