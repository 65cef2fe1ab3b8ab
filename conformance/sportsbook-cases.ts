import { createPublicKey, verify } from 'node:crypto';
import { fieldsOf } from './amounts.ts';
import type { Case } from './case.ts';
import { play, problemIn, read } from './script.ts';
import { Failure, type Table } from './table.ts';

const NOBODY = '2147483646';
const TOKEN_S = 300;

export const sportsbookCases: readonly Case[] = [
  { number: 74, title: 'a bet and its settlement', in: 'B', steps: ['b1 10: OK 90', 'w1 25: OK 115'] },
  {
    number: 75,
    title: 'a repeated settlement',
    in: 'B',
    steps: ['b1 10: OK 90', 'w1 25: OK 115', 'w1 25: SAME 115'],
  },
  {
    number: 76,
    title: 'the same id with another amount',
    in: 'B',
    steps: ['b1 10: OK 90', 'b1 11: CONFLICT', 'w1 25: OK 115', 'w1 26: CONFLICT', 'balance: OK 115'],
  },
  {
    number: 77,
    title: 'a resettle beyond the balance: a claim, which the next credit repays',
    in: 'B',
    steps: ['b1 10: OK 90', 'w1 50: OK 140'],
    async run(table) {
      await table.line.operator.withdraw(await table.guest(), '140');
      await play(table, ['r1 -30: OK 0', 'w2 40: OK 10']);
    },
  },
  { number: 78, title: 'a rollback of a bet', in: 'B', steps: ['b1 10: OK 90', 'x>b1: OK 100'] },
  {
    number: 79,
    title: 'a rollback of an unknown bet, then the bet',
    in: 'B',
    steps: ['x>b1: NOT_FOUND', 'b1 10: ROLLED_BACK', 'balance: OK 100'],
  },
  {
    number: 80,
    title: 'a rollback of a refused bet',
    in: 'B',
    steps: ['b1 101: FUNDS', 'x>b1: PARENT_FAILED', 'balance: OK 100'],
  },
  {
    number: 81,
    title: 'a settlement is cancelled, and the bet is settled again',
    in: 'B',
    steps: ['b1 10: OK 90', 'w1 25: OK 115', 'c1 25: OK 90', 'w2 12: OK 102'],
  },
  {
    number: 82,
    title: 'a banned player: no bet, but the settlement',
    in: 'B',
    steps: ['b1 10: OK 90'],
    async run(table) {
      await table.line.operator.ban(await table.guest());
      await play(table, ['b2 10 @2: BLOCKED', 'w1 25: OK 115']);
    },
  },
  {
    number: 83,
    title: 'an unknown player',
    in: 'B',
    async run(table) {
      const { message } = await read(table, 'b1 10');
      const answer = await table.say({ ...message, seat: { ...message.seat, playerId: NOBODY } });
      expectAnswer(table, `b1 10 of player ${NOBODY}`, { answer, expected: 'NO_PLAYER' });
    },
  },
  {
    number: 84,
    title: 'a free bet moves no money, and its win is credited',
    in: 'B',
    steps: ['g1 0: OK 100', 'w1 12 free: OK 112'],
  },
  {
    number: 85,
    title: 'an unknown API key',
    in: 'B',
    async run(table) {
      const { message } = await read(table, 'b1 10');
      const answer = await table.say(message, { fault: 'secret' });
      expectAnswer(table, 'b1 10 with an unknown key', { answer, expected: 'SIGNATURE' });
      await table.assertCash('100');
    },
  },
  {
    number: 86,
    title: 'a status request for an unknown or refused transaction',
    in: 'B',
    async run(table) {
      const { seat } = await table.guest();
      await play(table, ['b1 101: FUNDS', 'b2 10: OK 90']);
      const statusOf = async (name: string) => {
        const id = table.idOf(name, () => 'a-transaction-that-never-came');
        return (await table.raw({ path: `/wallet/${seat.playerId}/transactions/${id}`, body: '' })).status;
      };
      for (const [name, status] of [
        ['b1', 404],
        ['b2', 200],
        ['b3', 404],
      ] as const) {
        const found = await statusOf(name);
        if (found !== status) throw new Failure(`expected ${status} for ${name} got ${found}`);
      }
    },
  },
  {
    number: 87,
    title: "the player's token has its claims, lasts 300 seconds and can be verified",
    in: 'B',
    run: playersToken,
  },
];

function expectAnswer(table: Table, what: string, expected: Parameters<typeof problemIn>[1]): void {
  const problem = problemIn(table, expected);
  if (problem) throw new Failure(`${what}: ${problem}`);
}

async function playersToken(table: Table): Promise<void> {
  const guest = await table.guest();
  const { token, publicKey, kid } = await table.line.operator.sportsbookToken(guest);
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { alg, kid: named } = decoded(head);
  const signed = Buffer.from(`${head}.${claims}`);
  const isGenuine = verify('sha256', signed, createPublicKey(publicKey), Buffer.from(signature, 'base64url'));
  if (alg !== 'RS256' || named !== kid || !isGenuine)
    throw new Failure('the public key does not verify the token');
  const { externalUserId, defaultCurrency, iat, exp } = decoded(claims);
  if (externalUserId !== guest.seat.playerId || defaultCurrency !== guest.seat.currency)
    throw new Failure(`the token is about ${String(externalUserId)} in ${String(defaultCurrency)}`);
  if (Number(exp) - Number(iat) !== TOKEN_S)
    throw new Failure(`the token is valid for ${Number(exp) - Number(iat)} s`);
}

const decoded = (part: string) => fieldsOf(Buffer.from(part, 'base64url').toString());
