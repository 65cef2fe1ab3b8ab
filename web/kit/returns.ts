import { createStore } from './store.ts';

/** Counts how often the connection to the server came back, so that messages about its loss can disappear. */
export const returns = createStore(0);
export const noteReturn = (): void => returns.set(returns.get() + 1);

globalThis.addEventListener?.('online', noteReturn);
