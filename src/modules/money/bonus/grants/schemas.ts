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
