import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { PageNumber, page, pageOf, SortOrder, take } from '../../../http/schemas.ts';
import { AppError } from '../../../platform/errors.ts';
import { isClientSeed } from './rules.ts';
import { type FairnessDeps, FairnessSeeds, fairnessErrors, RevealedSeedPair, readSeeds } from './service.ts';

const common = { tag: 'Fairness', access: 'auth' } as const;

export const getSeeds = operation({
  ...common,
  method: 'GET',
  path: '/fairness/seeds',
  summary: 'Get the current seed hashes, client seed and nonce',
  response: FairnessSeeds,
  handler: ({ db }: FairnessDeps, { user }) => readSeeds(db, user.id),
});

const ClientSeed = z.string().max(64).refine(isClientSeed, 'needs 1 to 64 printable characters');

export const rotateSeeds = operation({
  ...common,
  method: 'POST',
  path: '/fairness/seeds/rotate',
  gate: 'none',
  summary: 'Reveal the server seed and activate the next one',
  description:
    "Send a client seed that was generated on the player's device. If it is omitted, the current client seed is kept.",
  body: z.strictObject({
    clientSeed: ClientSeed.optional().meta({ description: 'If omitted, the current client seed is kept.' }),
  }),
  response: z.object({ revealed: RevealedSeedPair, active: FairnessSeeds }),
  errors: [fairnessErrors.FAIRNESS_ROUND_OPEN],
  handler: ({ fairness }: FairnessDeps, { user, body }) => fairness.rotate(user.id, body.clientSeed),
});

export const listRevealedSeeds = operation({
  ...common,
  method: 'GET',
  path: '/fairness/seeds/history',
  isHistory: true,
  summary: 'List revealed seed pairs',
  query: z.strictObject({
    serverSeedHash: z.string().max(64).optional(),
    sortBy: z.enum(['rotatedAt']).default('rotatedAt'),
    sortOrder: SortOrder.default('desc'),
    page: PageNumber,
    take: take(20),
  }),
  response: page(RevealedSeedPair),
  handler: async ({ db, fairness }: FairnessDeps, { user, query }) => {
    const { serverSeedHash, sortOrder, take } = query;
    const base = db
      .selectFrom('seed_pairs')
      .where('user_id', '=', user.id)
      .where('state', '=', 'REVEALED')
      .$if(serverSeedHash !== undefined, (q) => q.where('server_seed_hash', '=', serverSeedHash!));
    const { total } = await base.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
    const inOrder = base.selectAll().orderBy('rotated_at', sortOrder).orderBy('id', sortOrder);
    return pageOf(query, total, async (offset) => {
      const rows = await inOrder.limit(take).offset(offset).execute();
      return rows.map(fairness.toRevealed);
    });
  },
});

const BATCH = 200;

/**
 * Rotates seed pairs that have been used for SEED_PAIR_BETS bets, as soon as the player has no open round and has not bet for
 * SEED_PAIR_IDLE_MINUTES. The client seed is kept.
 */
export async function rotateOldSeeds({ db, config, fairness, log }: FairnessDeps): Promise<void> {
  for (let after = 0, found = BATCH; found === BATCH; ) {
    const { rows } = await sql<{ userId: number }>`
      select p.user_id as "userId" from players p
      where p.nonce >= ${config.SEED_PAIR_BETS} and p.user_id > ${after} and not exists (select from rounds r where r.user_id = p.user_id)
        and (select b.created_at from bets b where b.user_id = p.user_id order by b.id desc limit 1)
          < now() - ${config.SEED_PAIR_IDLE_MINUTES} * interval '1 minute'
      order by p.user_id limit ${BATCH}`.execute(db);
    for (const { userId } of rows)
      if (await rotateUnlessPlaying(fairness, userId))
        log.named('bets').info({ userId }, 'old seed pair rotated');
    found = rows.length;
    after = rows.at(-1)?.userId ?? after;
  }
}

/** Returns false if the player has started a round after being selected. */
async function rotateUnlessPlaying(fairness: FairnessDeps['fairness'], userId: number): Promise<boolean> {
  try {
    await fairness.rotate(userId);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'FAIRNESS_ROUND_OPEN') return false;
    throw error;
  }
}
