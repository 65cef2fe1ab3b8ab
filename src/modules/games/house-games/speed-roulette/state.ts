/**
 * One read for all who ask at about the same time: one is under way, and who comes meanwhile waits for the next one, which
 * begins after they came and so sees what they have done.
 */
export function createSharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let flying: Promise<T> | undefined;
  let queued: Promise<T> | undefined;
  const start = (): Promise<T> => {
    queued = undefined;
    const own = read().finally(() => {
      if (flying === own) flying = undefined;
    });
    flying = own;
    return own;
  };
  return () => {
    if (queued) return queued;
    if (!flying) return start();
    queued = flying.then(start, start);
    return queued;
  };
}
