import type { Db } from '../../../../platform/db.ts';
import type { PaymentDeps } from '../deps.ts';

export type DepositReviewDeps = { db: Db; payments: PaymentDeps };
