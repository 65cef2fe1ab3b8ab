/**
 * Minimal servers that show how fast Node and Fastify can be: `node bench/servers/bare.ts http|fastify`. They parse the body of a dice bet as
 * JSON and send the response of a dice bet. They use none of the platform's code: no token, validation, log or database.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { z } from 'zod';
import type { DiceResult } from '../../src/modules/games/house-games/schemas.ts';
import { type BET, serve } from '../load/protocol.ts';
import { pathBy, READS, routeOf } from './plays.ts';

/**
 * The responses of our service to each read request, as parsed objects, because a real service must serialise a different response for each
 * player. A response schema would hardly change the result: its serialiser is at most 0.2 µs faster.
 */
const answers = new Map<string, unknown>();

let bets = 0;
const answer = ({ currencyId, threshold, above }: typeof BET): z.input<typeof DiceResult> => ({
  currencyId,
  betAmount: '0.01',
  payout: '0.0198',
  createdAt: new Date().toISOString(),
  betId: String(1_000_000 + bets++),
  multiplier: 1.98,
  offeredMultiplier: 1.98,
  above,
  randomValue: 71.25,
  threshold,
  didWin: true,
});

const starts: Record<string, () => Promise<number>> = {
  async http() {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString())));
        response.writeHead(201, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
        });
        response.end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
  async fastify() {
    const app = Fastify();
    app.post<{ Body: typeof BET }>(pathBy('fastify', routeOf('dice')), async ({ body }, reply) => {
      reply.status(201);
      return answer(body);
    });
    for (const name of READS) app.get(pathBy('fastify', routeOf(name)), async () => answers.get(name));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },
};

const start = starts[process.argv[2]!];
if (!start) throw new Error(`unknown bare server ${process.argv[2]}`);
const calls = {
  /** Sets the response to each read, by the name of the read. */
  answers(texts: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(texts)) answers.set(name, JSON.parse(text));
  },
};
export type Served = typeof calls;
serve(calls, await start());
