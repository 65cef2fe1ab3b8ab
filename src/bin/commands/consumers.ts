import { readConfig, runOnDb } from '../../app/boot.ts';
import {
  type ConsumerStatus,
  listConsumers,
  pause,
  rebuild,
  replay,
  resume,
} from '../../modules/games/bets/consumers.ts';
import type { Db } from '../../platform/database/db.ts';
import { type CommandFile, misused, type Output, print, timeOf } from '../command.ts';

const ACTIONS = ['list', 'pause', 'resume', 'rebuild', 'replay'] as const;
type Action = (typeof ACTIONS)[number];
type Order = { action: Action; name: string; from: bigint | Date | undefined };

export const file: CommandFile = {
  details:
    'Prints every consumer with its lag. Consumers can be controlled while workers are running. The workers apply the change within a second.',
  examples: [
    'npx croupier consumers',
    'npx croupier consumers pause user-stats',
    'npx croupier consumers replay user-stats --from 2026-11-01T00:00:00Z',
  ],
  define: (command) =>
    command
      .addArgument(command.createArgument('[action]', 'what to do').choices(ACTIONS).default('list'))
      .argument('[name]', 'the consumer, for every action except list')
      .option('--from <position>', 'replay: a sequence position (a number) or a time')
      .action(async (action: Action, name: string | undefined, options: Output & { from?: string }) => {
        const from = readFrom(options.from);
        if (action !== 'list' && !name) misused(command, `name the consumer to ${action}.`);
        if (action === 'list' && name !== undefined) misused(command, 'list accepts no further arguments.');
        if (action !== 'replay' && options.from !== undefined)
          misused(command, 'use --from only with replay.');
        if (action === 'replay' && from === undefined)
          misused(command, '--from takes a sequence position (a number) or a time (2026-11-01T00:00:00Z).');
        const order = { action, name: name ?? '', from };
        process.exit(await runOnDb(readConfig(), { name: 'consumers' }, (db) => control(db, order, options)));
      }),
};

async function control(db: Db, order: Order, output: Output): Promise<number> {
  await carryOut(db, order);
  const consumers = await listConsumers(db);
  print(output, { consumers }, consumers.map(lineOf));
  return 0;
}

async function carryOut(db: Db, { action, name, from }: Order): Promise<unknown> {
  if (action === 'list') return undefined;
  if (action === 'replay') return replay(db, name, from!);
  return { pause, resume, rebuild }[action](db, name);
}

function readFrom(text = ''): bigint | Date | undefined {
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  return timeOf(text);
}

function lineOf(consumer: ConsumerStatus): string {
  const { position, generation, lagBets, lagSeconds, pausedAt, replayFrom } = consumer;
  const state = pausedAt
    ? `paused since ${pausedAt.toISOString()}`
    : replayFrom !== null
      ? `replaying from ${replayFrom}`
      : 'following';
  return `${consumer.name}: ${state}, at ${position}, ${lagBets} bets and ${lagSeconds.toFixed(1)} s behind, generation ${generation}`;
}
