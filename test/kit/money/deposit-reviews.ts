import { expect } from 'vitest';
import type { Player, TestApp } from '../app.ts';
import { giveAddress, tell, webhookOf } from './deposits.ts';

const REVIEWER = ['deposit.read', 'deposit.review', 'deposit.approve'];

/** A staff member who decides about deposits under review. */
export const aReviewer = (app: TestApp): Promise<Player> => app.as({ permissions: REVIEWER });

const path = (id: string) => `/admin/payments/deposit/${id}/review`;

/** Makes or proposes a decision about a deposit. */
export const review = (by: Player, id: string, body: object, key?: string) =>
  by.call('POST', path(id), {
    body: { reason: 'checked with the provider', ...body },
    ...(key && { headers: { 'idempotency-key': key } }),
  });
export const approve = (by: Player, id: string, proposalId: string, key?: string) =>
  by.call('POST', `${path(id)}/approve`, {
    body: { proposalId },
    ...(key && { headers: { 'idempotency-key': key } }),
  });
export const reject = (by: Player, id: string, proposalId: string, key?: string) =>
  by.call('POST', `${path(id)}/reject`, {
    body: { proposalId, reason: 'not this one' },
    ...(key && { headers: { 'idempotency-key': key } }),
  });

/** Proposes a decision as one staff member and approves it as another. Returns the response to the approval. */
export async function decideByTwo(by: readonly [Player, Player], id: string, body: object) {
  const proposed = await review(by[0], id, body);
  expect([proposed.status, proposed.body.code], proposed.text).toEqual([409, 'APPROVAL_NEEDED']);
  return approve(by[1], id, proposed.body.details.proposalId);
}

/** Returns the newest deposit. */
export async function newestDeposit(app: TestApp) {
  return app.db
    .selectFrom('deposits')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

/** Creates a confirmed deposit of 0.5 USDT for a new player. It is under review because it is below the minimum. */
export async function aSmallDeposit(app: TestApp, fields: object = {}) {
  const player = await app.newPlayer();
  const address = await giveAddress(app.db, player.id);
  await tell(app, webhookOf(address, { amount: '0.5', ...fields }));
  return { player, address, deposit: await newestDeposit(app) };
}

/** Creates a confirmed deposit of 25 USDT, or another amount, to an address that belongs to no player. */
export async function aStrangeDeposit(app: TestApp, fields: object = {}) {
  await tell(app, webhookOf(`TNobody${Math.random()}`, fields));
  return newestDeposit(app);
}
