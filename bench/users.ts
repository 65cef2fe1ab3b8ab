/**
 * npm run bench:users: what the list of users costs with 10,000 and with 1,000,000 of them, over HTTP and with its audit row,
 * request by request in turn. `--users=N` makes the large list N long, `--rounds=N` asks everything N times.
 */
import { parseArgs } from 'node:util';
import { cell, openStaffHouse, quantile, timed } from './staff.ts';
import { CASES } from './users-cases.ts';
import { fillUsers } from './users-world.ts';
import { createWorld, type World } from './world.ts';

const SMALL = 10_000;
const MOST = 2;
const { values } = parseArgs({
  options: { users: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '60' } },
});
const [large, rounds] = [Number(values.users), Number(values.rounds)];

type House = Awaited<ReturnType<typeof openHouse>>;

/** The main API over a database with so many users, and a superadmin who asks for lists. */
const openHouse = (world: World, count: number) =>
  openStaffHouse(world, {
    name: `users_${count}`,
    path: '/admin/user/all',
    async fill(db) {
      const ms = await timed(() => fillUsers(db, count));
      console.log(`${count} users made in ${(ms / 1000).toFixed(0)} s`);
    },
  });

async function compare([few, many]: readonly [House, House]): Promise<string[]> {
  const over: string[] = [];
  console.log(
    `${'ms'.padEnd(34)}${['p50 small', 'p50 large', 'p95 small', 'p95 large', 'ratio'].map((t) => cell(t, 11)).join('')}`,
  );
  for (const { name, body } of CASES) {
    const times: [number[], number[]] = [[], []];
    // The first of each warms caches and plans.
    for (let round = -2; round < rounds; round++)
      for (const [i, house] of [few, many].entries()) {
        const ms = await timed(() => house.ask(body));
        if (round >= 0) times[i]!.push(ms);
      }
    const [a, b] = times;
    const ratio = quantile(b, 0.95) / quantile(a, 0.95);
    const numbers = [quantile(a, 0.5), quantile(b, 0.5), quantile(a, 0.95), quantile(b, 0.95), ratio];
    console.log(
      `${name.slice(0, 33).padEnd(34)}${numbers.map((n) => cell(n, 11)).join('')}${ratio > MOST ? '  above' : ''}`,
    );
    if (ratio > MOST) over.push(name);
  }
  return over;
}

const world = await createWorld({ timed: false });
try {
  const houses = [await openHouse(world, SMALL), await openHouse(world, large)] as const;
  const over = await compare(houses);
  console.log(
    `${CASES.length - over.length} of ${CASES.length} within ${MOST} times what ${SMALL} users cost`,
  );
  if (over.length > 0) console.log(`above: ${over.join(', ')}`);
  for (const house of houses) await house.close();
} finally {
  await world.close();
}
