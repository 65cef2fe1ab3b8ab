/** Storage for small values, such as localStorage. */
export type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Wraps a browser storage that may be blocked (reading `localStorage` throws) or full (`setItem` throws). A value that the browser
 * cannot store stays in memory until the page is closed.
 */
export function keeper(place: () => Place) {
  const memory = new Map<string, string>();
  return {
    get(key: string): string | undefined {
      return memory.get(key) ?? attempt(() => place().getItem(key)) ?? undefined;
    },
    /** Returns the stored JSON. Undefined if there is none, or if it is broken or not of the expected type. */
    read<T>(key: string, isValid: (stored: unknown) => stored is T): T | undefined {
      const text = this.get(key);
      const stored = text === undefined ? undefined : attempt(() => JSON.parse(text) as unknown);
      return isValid(stored) ? stored : undefined;
    },
    set(key: string, value: string): void {
      memory.delete(key);
      const isStored = attempt(() => {
        place().setItem(key, value);
        return true;
      });
      if (!isStored) memory.set(key, value);
    },
    remove(key: string): void {
      memory.delete(key);
      attempt(() => place().removeItem(key));
    },
  };
}

/** Storage that survives a browser restart and is shared by all tabs. */
export const local = keeper(() => localStorage);
/** Storage that is cleared when the tab closes. */
export const session = keeper(() => sessionStorage);

/** Opens a channel between the tabs of this browser. Returns undefined if the browser blocks it, as browsers that block storage do. */
export const openChannel = (name: string) => attempt(() => new BroadcastChannel(name));

function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
