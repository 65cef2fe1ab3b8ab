import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Task } from './streams.ts';
import type { Tally } from './tally.ts';

/** Runs the tasks on all cores and returns their tallies in order. Rejects with the first error from any thread. */
export async function playAll(tasks: readonly Task[], done: (rounds: number) => void): Promise<Tally[]> {
  const tallies: Tally[] = [];
  let taken = 0;
  const threads = Array.from(
    { length: Math.min(availableParallelism(), tasks.length) },
    () => new Worker(new URL('./worker.ts', import.meta.url)),
  );
  const work = (thread: Worker) =>
    new Promise<void>((finished, failed) => {
      let current = -1;
      const takeNext = () => {
        current = taken++;
        if (current < tasks.length) thread.postMessage(tasks[current]);
        else finished();
      };
      thread.on('error', failed);
      thread.on('message', (tally: Tally) => {
        tallies[current] = tally;
        done(tally.rounds);
        takeNext();
      });
      takeNext();
    });
  try {
    await Promise.all(threads.map(work));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  return tallies;
}
