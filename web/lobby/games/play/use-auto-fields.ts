import { useState } from 'react';
import { parseUnits } from '../../../../src/platform/money.ts';
import { local } from '../../../kit/storage.ts';
import type { Change, Plan } from './plan.ts';

const MOST = 1000;
const KEY = 'auto';

/** The fields of autoplay as typed. */
export type AutoTyped = Record<'count' | 'onWin' | 'onLoss' | 'profit' | 'loss' | 'win', string>;
const FIRST: AutoTyped = { count: '50', onWin: '', onLoss: '', profit: '', loss: '20', win: '' };

function kept(): AutoTyped {
  try {
    return { ...FIRST, ...JSON.parse(local.get(KEY) ?? '{}') };
  } catch {
    return FIRST;
  }
}

/** The typed conditions, which this browser keeps, and the plan that they make. The plan is undefined if a field is wrong. */
export function useAutoFields() {
  const [typed, setTyped] = useState(kept);
  return {
    typed,
    change: (part: Partial<AutoTyped>) => setTyped({ ...typed, ...part }),
    plan: planOf(typed),
    keep: () => local.set(KEY, JSON.stringify(typed)),
  };
}

/** An empty text is no change: the amount is reset. */
function changeOf(text: string): Change | undefined {
  if (text === '') return 'reset';
  return /^\d{1,4}$/.test(text) ? BigInt(text) : undefined;
}

function planOf({ count, onWin, onLoss, profit, loss, win }: AutoTyped): Plan | undefined {
  const amount = (text: string) => (text === '' ? undefined : (parseUnits(text) ?? null));
  const [stopOnLoss, stopOnProfit, stopOnWin] = [amount(loss), amount(profit), amount(win)];
  const [whenWon, whenLost] = [changeOf(onWin), changeOf(onLoss)];
  const bets = Number(count);
  if (!Number.isInteger(bets) || bets < 1 || bets > MOST) return undefined;
  if (!stopOnLoss || stopOnProfit === null || stopOnWin === null) return undefined;
  if (whenWon === undefined || whenLost === undefined) return undefined;
  return { count: bets, onWin: whenWon, onLoss: whenLost, stopOnLoss, stopOnProfit, stopOnWin };
}
