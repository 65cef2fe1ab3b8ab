/**
 * npm run consumers: lists the consumers of bets and their lag. npm run consumers -- pause NAME | resume NAME | rebuild NAME | replay NAME
 * --from POSITION|TIME controls a consumer while workers are running. The workers apply the change within a second.
 */

import { readConfig, runOnDb } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';
import {
  type ConsumerStatus,
  listConsumers,
  pause,
  rebuild,
  replay,
  resume,
} from '../modules/games/bets/consumers.ts';
import type { Db } from '../platform/database/db.ts';

const VERBS = { pause, resume, rebuild };
const usage =
  'npm run consumers [-- list | pause NAME | resume NAME | rebuild NAME | replay NAME --from POSITION|TIME]';
const { values, positionals } = readArguments(usage, {
  options: { from: { type: 'string' } },
  words: 2,
  check({ values, positionals: [command = 'list', name] }) {
    if (![...Object.keys(VERBS), 'list', 'replay'].includes(command)) return `Unknown command ${command}.`;
    if (command !== 'list' && !name) return `Name the consumer to ${command}.`;
    if (command === 'replay' && readFrom(values.from) === undefined)
      return '--from takes a sequence position (a number) or a time (2026-11-01T00:00:00Z).';
    return undefined;
  },
});
const [command = 'list', name = ''] = positionals;
process.exit(await runOnDb(readConfig(), { name: 'consumers' }, control));

async function control(db: Db): Promise<number> {
  await carryOut(db);
  for (const consumer of await listConsumers(db)) console.log(told(consumer));
  return 0;
}

async function carryOut(db: Db): Promise<unknown> {
  if (command === 'list') return undefined;
  if (command === 'replay') return replay(db, name, readFrom(values.from)!);
  return VERBS[command as keyof typeof VERBS](db, name);
}

function readFrom(text = ''): bigint | Date | undefined {
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  return Number.isNaN(Date.parse(text)) ? undefined : new Date(text);
}

function told(consumer: ConsumerStatus): string {
  const { position, generation, lagBets, lagSeconds, pausedAt, replayFrom } = consumer;
  const state = pausedAt
    ? `paused since ${pausedAt.toISOString()}`
    : replayFrom !== null
      ? `replaying from ${replayFrom}`
      : 'following';
  return `${consumer.name}: ${state}, at ${position}, ${lagBets} bets and ${lagSeconds.toFixed(1)} s behind, generation ${generation}`;
}
