import type { Db } from '../../../../platform/database/db.ts';
import type { PaymentDeps } from '../deps.ts';
import type { Deposits } from './service.ts';

export type DepositDeps = { db: Db; payments: PaymentDeps; deposits: Deposits };
