import { z } from 'zod';

export const GrantStatus = z.enum([
  'PENDING',
  'ACTIVE',
  'COMPLETED',
  'FORFEITED',
  'EXPIRED',
  'LOST',
  'CANCELLED',
]);

/** What becomes of a grant, for consumers: PENDING waits for a deposit, CREATED has its amount, ONGOING is wagered. */
export const GrantState = z.enum([
  'PENDING',
  'CREATED',
  'ONGOING',
  'COMPLETED',
  'FORFEITED',
  'EXPIRED',
  'LOST',
]);
