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

/** The states of a grant in events. PENDING waits for a deposit, CREATED has its amount, ONGOING is being wagered. */
export const GrantState = z.enum([
  'PENDING',
  'CREATED',
  'ONGOING',
  'COMPLETED',
  'FORFEITED',
  'EXPIRED',
  'LOST',
]);
