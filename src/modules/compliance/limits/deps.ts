import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { LimitPeriod, Play } from '../gate/rules.ts';

export type LimitDeps = {
  db: Db;
  /** Returns a player's play in the periods that contain the given time. The player must be locked. */
  playSince: (tx: Tx, userId: number, at: Date) => Promise<Play>;
  /** Returns a player's deposits in the periods that contain the given time, in US dollars. */
  depositedOf: (db: DbOrTx, userId: number, at: Date) => Promise<Readonly<Record<LimitPeriod, Units>>>;
  /** Ends all grants of an excluded player, who could not wager them. Cash remains. The player must be locked. */
  endGrants: (tx: Tx, userId: number) => Promise<void>;
};
