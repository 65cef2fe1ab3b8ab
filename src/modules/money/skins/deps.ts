import type { Db } from '../../../platform/database/db.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { Skins } from './service.ts';

export type SkinDeps = { db: Db; payments: PaymentDeps; skins: Skins };
