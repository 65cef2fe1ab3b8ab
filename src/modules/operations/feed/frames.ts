import { iso } from '../../../platform/clock.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { StoredEvent } from '../../base/events/service.ts';
import type { SettledBet } from '../../games/bets/news.ts';
import type { TouchedWallet } from '../../money/ledger/balances.ts';
import type { DerivedData, DerivedName } from './schemas.ts';

/** The position and the time of a read. `now` is the database clock, like the times of events. */
export type ReadAt = { seq: bigint; now: number };

/** Returns a frame of the current state. */
export const stateFrame = <N extends DerivedName>(event: N, { seq, now }: ReadAt, data: DerivedData<N>) => ({
  event,
  seq: Number(seq),
  data,
  at: iso(new Date(now)),
});

export const eventFrame = ({ name, id, at, data }: StoredEvent) => ({
  event: name,
  seq: Number(id),
  data,
  at: iso(at),
});

export const betFrame = ({ position, at, bet: { id, ...bet } }: SettledBet) => ({
  event: 'bet.settled',
  seq: Number(position),
  data: { betId: id, ...bet },
  at: iso(at),
});

export const balanceFrame = (read: ReadAt, wallet: Omit<TouchedWallet, 'userId'>) =>
  stateFrame('balance.updated', read, {
    currencyId: wallet.currencyId,
    amount: formatUnits(wallet.cash),
    vault: formatUnits(wallet.vault),
    version: Number(wallet.version),
  });
