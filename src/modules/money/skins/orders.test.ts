import { expect, test } from 'vitest';
import { cashOf } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startSkins } from '../../../../test/kit/money/skins.ts';
import { nextStatus, type SkinStatus } from './rules.ts';

const skins = fixture(startSkins);

const STATUSES: readonly SkinStatus[] = ['IN_HOLD', 'HOLD_APPROVED', 'SUCCESS', 'FAIL', 'HOLD_RETURNED'];

const ordersOf = <T>(all: readonly T[]): T[][] =>
  all.length === 0
    ? [[]]
    : all.flatMap((one) => ordersOf(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));

/** Sends the webhooks one after another. Each webhook is sent to both processes. */
async function sendAll(
  order: readonly SkinStatus[],
): Promise<{ order: string; got: string; wanted: string }> {
  const { player, depositId, transactionId } = await skins.opened();
  for (const status of order) {
    const occurredAt = '2026-11-21T09:30:00.000Z';
    const webhook = { userRisk: { score: 0 }, occurredAt };
    const [first, second] = await Promise.all([
      skins.say(transactionId, status, webhook),
      skins.say(transactionId, status, { ...webhook, failReason: 'again' }, skins.second),
    ]);
    expect([first.status, second.status]).toEqual([200, 200]);
  }
  const end = order.reduce<SkinStatus>((status, said) => nextStatus(status, said) ?? status, 'PENDING');
  const { status } = await skins.seen(player, depositId);
  return {
    order: order.join(' '),
    got: `${status} ${await cashOf(player)}`,
    wanted: `${end} ${end === 'SUCCESS' || end === 'HOLD_APPROVED' ? '50' : '0'}`,
  };
}

test('reaches an allowed status and balanced books for every order of webhooks, even if some are lost', async () => {
  const whole = ordersOf(STATUSES);
  // Orders with lost webhooks: either only the first three statuses arrive, or SUCCESS and FAIL do not arrive.
  const partial = ordersOf(STATUSES.slice(0, 3)).concat(
    ordersOf<SkinStatus>(['IN_HOLD', 'HOLD_APPROVED', 'HOLD_RETURNED']),
  );
  const orders = [...whole, ...partial, ['HOLD_APPROVED'], ['IN_HOLD', 'HOLD_APPROVED']] as SkinStatus[][];
  const results: Awaited<ReturnType<typeof sendAll>>[] = [];
  const queue = [...orders];
  const lane = async () => {
    for (let order = queue.shift(); order; order = queue.shift()) results.push(await sendAll(order));
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  expect(results).toHaveLength(120 + 12 + 2);
  expect(results.filter(({ got, wanted }) => got !== wanted)).toEqual([]);
  const ends = new Set(results.map(({ got }) => got));
  expect([...ends].sort()).toEqual(['FAIL 0', 'HOLD_APPROVED 50', 'HOLD_RETURNED 0', 'SUCCESS 50']);
  await skins.app.assertInvariants();
}, 240_000);
