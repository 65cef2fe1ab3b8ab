import { isUnavailable } from '../../../platform/database-errors.ts';

type Waiting<T> = { item: T; done: () => void; failed: (error: unknown) => void };

/**
 * Writes items with one statement at a time in each process: those that arrive while one is in flight share the next, `most` at a
 * time. However many there are, they occupy one connection.
 */
export function createBatchWriter<T>(most: number, write: (items: readonly T[]) => Promise<void>) {
  const waiting: Waiting<T>[] = [];
  let isWriting = false;
  const work = async () => {
    isWriting = true;
    while (waiting.length > 0) await writeTogether(waiting.splice(0, most), write);
    isWriting = false;
  };
  return (item: T): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ item, done, failed });
      if (!isWriting) void work();
    });
}

/** One item that cannot be stored must not fail the others. */
async function writeTogether<T>(
  batch: readonly Waiting<T>[],
  write: (items: readonly T[]) => Promise<void>,
): Promise<void> {
  try {
    await write(batch.map(({ item }) => item));
    for (const { done } of batch) done();
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) for (const { failed } of batch) failed(error);
    else for (const one of batch) await writeTogether([one], write);
  }
}
