import type { Db } from '../../../platform/database/db.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Grants } from '../bonus/grants.ts';
import type { Currencies } from '../currencies/service.ts';
import type { Wallet } from './service.ts';

export type WalletDeps = {
  db: Db;
  currencies: Currencies;
  gate: Gate;
  grants: Pick<Grants, 'assertNoneOpen'>;
  wallet: Wallet;
};
