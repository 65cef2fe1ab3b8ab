import { type ComponentType, type ReactNode, Suspense, use } from 'react';
import { session } from './storage.ts';
import { createStore } from './store.ts';

/** Counts the times that the user pressed “Try again”. A component whose import failed is imported again after each of them. */
let round = 0;
export const importAgain = (): void => {
  round++;
};

/** The number of components that have been imported. */
const imported = createStore(0);

export type Lazy<P extends object> = ComponentType<P> & {
  /** Imports the component before it is shown. Resolves to undefined if that fails. */
  preload: () => Promise<unknown>;
};

/**
 * A component that is imported when it is first shown. Unlike `React.lazy` it forgets a failed import, so that a chunk that
 * failed because the connection was lost can be loaded later. Show it within `Imported` and a `Boundary`.
 */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): Lazy<P> {
  let ready: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  let failedIn: number | undefined;
  const start = () => {
    if (loading === undefined || (failedIn !== undefined && failedIn !== round)) {
      failedIn = undefined;
      loading = load();
      loading.then(
        (content) => {
          ready = content;
          imported.set(imported.get() + 1);
        },
        (error: unknown) => {
          failedIn = round;
          void reloadIfOutdated(error);
        },
      );
    }
    return loading;
  };
  const Lazy = (props: P) => {
    const Content = ready ?? use(start());
    return <Content {...props} />;
  };
  return Object.assign(Lazy, { preload: () => start().catch(() => {}) });
}

/**
 * Shows `fallback` while a component of `lazily` in it is imported. React shows the content of a `Suspense` no earlier than 300 ms after its
 * fallback, unless something else renders it again. Here the end of each import does that.
 */
export function Imported({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  imported.use();
  return <Suspense fallback={fallback}>{children}</Suspense>;
}

const KEY = 'reloadedAt';
const AGAIN_MS = 60_000;

/** Returns the address of the file that a failed import names. Browsers word this error differently, but all contain the address. */
const addressIn = (error: unknown): string | undefined =>
  /https?:\/\/[^\s'")]+/.exec(error instanceof Error ? error.message : String(error))?.[0];

/**
 * Reloads the page if a file is gone, because the server has a newer version. The session is kept, as it is in cookies. Reloads at most once
 * a minute, so that a broken build cannot reload forever.
 */
async function reloadIfOutdated(error: unknown): Promise<boolean> {
  const address = addressIn(error);
  if (address === undefined || Date.now() - Number(session.get(KEY) ?? 0) < AGAIN_MS) return false;
  const status = await fetch(address, { method: 'GET', cache: 'no-store' }).then(
    (response) => response.status,
    () => 0,
  );
  // 0: no connection. 200: the file is there, but the browser keeps the failed import; after a second failure only a reload helps.
  if (status !== 404 && !(status === 200 && round > 0)) return false;
  session.set(KEY, String(Date.now()));
  window.location.reload();
  return true;
}
