import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { times } from '../../../../test/kit/length.ts';
import { transaction } from '../../../platform/database/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { ONE } from '../../../platform/money.ts';
import { post } from './post.ts';

const PLAYERS = 8;
const EACH = 100n * ONE;
const SECONDS = times('BANK_SECONDS', 4, 30);

let players: Player[];
/** On a busy machine, a transfer may wait for its locks longer than the timeouts allow by default. */
const env = {
  DATABASE_POOL_SIZE: '32',
  DATABASE_CONNECT_TIMEOUT_MS: '20000',
  DATABASE_STATEMENT_TIMEOUT_MS: '30000',
};
const app = fixture(() => startApp({ env }));
const second = fixture(() => startApp({ database: app.database, env }));
beforeAll(async () => {
  players = await Promise.all(Array.from({ length: PLAYERS }, () => app.newPlayer({ usdt: 100 })));
});

/** Makes a transfer between two players in one entry, through one of two processes. */
const transfer = (i: number) => {
  const [from, to] = [players[i % PLAYERS]!.id, players[(i * 7 + 3) % PLAYERS]!.id];
  const amount = BigInt((i * 7919) % 40) * ONE + 1n;
  const posting = { currencyId: 'USDT', kind: 'admin.adjustment', amount } as const;
  const entry = {
    key: `test:${randomUUID()}`,
    kind: 'test.tip',
    postings: [
      { ...posting, userId: from, debit: 'cash', credit: 'tips' } as const,
      { ...posting, userId: to, debit: 'tips', credit: 'cash' } as const,
    ],
  };
  return transaction((i % 2 === 0 ? app : second).services.db, (tx) => post(tx, [entry]));
};

test(
  `shows every reader the same total during ${SECONDS} s or more of 64 concurrent transfers among 8 players`,
  async () => {
    const until = Date.now() + SECONDS * 1000;
    const ids = players.map(({ id }) => id);
    const done = { moved: 0, refused: 0, reads: 0 };
    // On a slow machine, keep running until every kind of event has occurred often enough, or the time limit is reached.
    const isEnough = () => done.moved > 100 && done.refused > 0 && done.reads > 20;
    const isOver = () => Date.now() >= until && (isEnough() || Date.now() >= until + 90_000);
    let next = 0;
    const move = async () => {
      while (!isOver()) {
        const i = next++;
        if (i % PLAYERS === (i * 7 + 3) % PLAYERS) continue;
        const refusal = await transfer(i).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (refusal && !(refusal instanceof AppError && refusal.code === 'INSUFFICIENT_BALANCE'))
          throw refusal;
        if (refusal) done.refused++;
        else done.moved++;
      }
    };
    const read = async () => {
      while (!isOver()) {
        const { rows } = await sql<{ sum: bigint; least: bigint }>`
        select sum(cash)::int8 as sum, min(cash) as least from wallets where user_id = any(${ids}::int4[])`.execute(
          app.db,
        );
        expect(rows[0]!.sum).toBe(BigInt(PLAYERS) * EACH);
        expect(rows[0]!.least).toBeGreaterThanOrEqual(0n);
        done.reads++;
      }
    };
    await Promise.all([...Array.from({ length: 64 }, move), read(), read()]);
    expect(done.moved).toBeGreaterThan(100);
    expect(done.refused).toBeGreaterThan(0);
    expect(done.reads).toBeGreaterThan(20);
  },
  (SECONDS + 120) * 1000,
);
