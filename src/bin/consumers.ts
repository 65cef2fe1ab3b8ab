/**
 * npm run consumers: what follows bets, with how far it is behind. npm run consumers -- pause NAME | resume NAME | rebuild NAME |
 * replay NAME --from PLACE|TIME, while workers run: they follow within a second.
 */
import { parseArgs } from 'node:util';
import { readConfig, runOnDb } from '../boot.ts';
import { type Consumer, listConsumers, pause, rebuild, replay, resume } from '../modules/bets/consumers.ts';
import type { Db } from '../platform/db.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { from: { type: 'string' } } });
const [command = 'list', name = ''] = positionals;
process.exit(await runOnDb(readConfig(), { name: 'consumers' }, control));

async function control(db: Db): Promise<number> {
  await carryOut(db);
  for (const consumer of await listConsumers(db)) console.log(told(consumer));
  return 0;
}

async function carryOut(db: Db): Promise<unknown> {
  if (command === 'list') return undefined;
  if (command === 'replay') return replay(db, name, readFrom(values.from ?? ''));
  const verb = { pause, resume, rebuild }[command];
  if (!verb) throw new Error(`${command} is none of list, pause, resume, rebuild, replay`);
  return verb(db, name);
}

function readFrom(text: string): bigint | Date {
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  if (text === '' || Number.isNaN(Date.parse(text)))
    throw new Error('--from takes a place (a number) or a time (ISO 8601)');
  return new Date(text);
}

function told({
  name: who,
  position,
  generation,
  behind,
  behindSeconds,
  pausedAt,
  replayFrom,
}: Consumer): string {
  const state = pausedAt
    ? `paused since ${pausedAt.toISOString()}`
    : replayFrom !== null
      ? `replaying from ${replayFrom}`
      : 'following';
  return `${who}: ${state}, at ${position}, ${behind} bets and ${behindSeconds.toFixed(1)} s behind, generation ${generation}`;
}
