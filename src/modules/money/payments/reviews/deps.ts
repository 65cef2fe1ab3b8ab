import type { Db } from '../../../../platform/database/db.ts';
import type { PaymentDeps } from '../deps.ts';

export type DepositReviewDeps = { db: Db; payments: PaymentDeps };
