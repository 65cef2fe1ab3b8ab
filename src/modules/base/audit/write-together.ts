import { isUnavailable } from '../../../platform/database/errors.ts';

type Waiting<T> = { item: T; done: () => void; failed: (error: unknown) => void };

/**
 * Writes items in batches, with at most one statement at a time in each process. Items that arrive while a statement is in flight share the
 * next one, up to `most` items. The writer never uses more than one connection.
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

/** Writes a batch. If that fails, writes its items one by one, so that an item that cannot be stored does not fail the others. */
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
