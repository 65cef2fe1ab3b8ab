/** A thread of `npm exec -- node rtp/run.ts`. Runs incoming tasks one after the other. */

import { parentPort } from 'node:worker_threads';
import type { ReturningGame } from '../games.ts';
import type { Case } from './case.ts';
import { casesOf } from './cases.ts';
import { playTask } from './play.ts';
import type { Task } from './streams.ts';

const cases = new Map<ReturningGame, readonly Case[]>();

parentPort?.on('message', (task: Task) => {
  const known = cases.get(task.game) ?? casesOf(task.game);
  cases.set(task.game, known);
  const one = known.find(({ name }) => name === task.caseName);
  if (!one) throw new Error(`${task.game} has no case ${task.caseName}`);
  parentPort?.postMessage(playTask(task, one));
});
