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

/** Undefined for an empty text, null for one that is no amount. */
export const amountOf = (text: string) => (text === '' ? undefined : (parseUnits(text) ?? null));
export const isCount = (count: string) => Number(count) >= 1 && Number(count) <= MOST;

function planOf({ count, onWin, onLoss, profit, loss, win }: AutoTyped): Plan | undefined {
  const [stopOnLoss, stopOnProfit, stopOnWin] = [loss, profit, win].map(amountOf);
  const [whenWon, whenLost] = [changeOf(onWin), changeOf(onLoss)];
  if (!isCount(count)) return undefined;
  if (!stopOnLoss || stopOnProfit === null || stopOnWin === null) return undefined;
  if (whenWon === undefined || whenLost === undefined) return undefined;
  return { count: Number(count), onWin: whenWon, onLoss: whenLost, stopOnLoss, stopOnProfit, stopOnWin };
}
