import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { aHash, depositsOf, giveAddress, tell, webhookOf } from '../../../../../test/kit/money/deposits.ts';

const app = fixture(startApp);
const other = fixture(() => startApp({ database: app.database }));

const STATUSES = [
  'DETECTED',
  'CONFIRMING',
  'PARTIALLY_PAID',
  'EXPIRED',
  'FAILED',
  'COMPLETED',
  'REVERSED',
] as const;
type Report = { output: number; status: (typeof STATUSES)[number]; isShallow: boolean; hasHash: boolean };
const reports: fc.Arbitrary<Report> = fc.record({
  output: fc.integer({ min: 0, max: 1 }),
  status: fc.constantFrom(...STATUSES),
  isShallow: fc.boolean(),
  hasHash: fc.boolean(),
});
/**
 * The expected number of credited outputs, regardless of the order: those that were completed with enough confirmations and not reversed.
 */
const creditedOf = (all: readonly Report[]) =>
  [0, 1].filter((output) => {
    const of = all.filter((t) => t.output === output && (t.hasHash || t.status === 'REVERSED'));
    return (
      of.some((t) => t.status === 'COMPLETED' && !t.isShallow) && !of.some((t) => t.status === 'REVERSED')
    );
  }).length;

async function play(all: readonly Report[], isParallel: boolean): Promise<{ cash: string; credits: number }> {
  const player = await app.newPlayer();
  const address = await giveAddress(app.db, player.id);
  const txHash = aHash();
  const send = ({ output, status, isShallow, hasHash }: Report, i: number) =>
    tell(
      i % 2 ? app : other,
      webhookOf(address, {
        status,
        outputIndex: output,
        externalId: `${player.id}-${output}`,
        confirmations: isShallow ? 3 : 20,
        txHash: hasHash || status === 'REVERSED' ? txHash : undefined,
      }),
    );
  if (isParallel) {
    for (const { status } of await Promise.all(all.map(send))) expect(status).toBe(200);
  } else for (const [i, one] of all.entries()) expect((await send(one, i)).status).toBe(200);
  const rows = await depositsOf(player);
  const { credits } = await app.db
    .selectFrom('payment_credits')
    .select((eb) => eb.fn.countAll<bigint>().as('credits'))
    .where('user_id', '=', player.id)
    .executeTakeFirstOrThrow();
  expect(new Set(rows.map((d) => d.txHash)).size).toBeLessThanOrEqual(2);
  return { cash: await cashOf(player), credits: Number(credits) };
}

test('credits each output at most once and ends with the same balances when webhooks arrive in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(reports, { minLength: 1, maxLength: 8 })
        .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      async ([all, shuffled]) => {
        const expected = String(25 * creditedOf(all));
        for (const order of [all, shuffled]) {
          const { cash, credits } = await play(order, false);
          expect(cash).toBe(expected);
          expect(credits).toBeLessThanOrEqual(2);
        }
      },
    ),
    { seed: 36, numRuns: 15 },
  );
});

test('credits each output at most once when webhooks arrive concurrently at two processes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(reports, { minLength: 2, maxLength: 10 }), async (all) => {
      const { cash } = await play(all, true);
      expect(cash).toBe(String(25 * creditedOf(all)));
    }),
    { seed: 37, numRuns: 15 },
  );
});
