import { useState } from 'react';
import { parseUnits } from '../../../../src/platform/money.ts';
import { local } from '../../../kit/storage.ts';
import type { Change, Plan } from './plan.ts';

const MOST = 1000;
const KEY = 'auto';

/** The fields of autoplay as typed. */
export type AutoTyped = Record<'count' | 'onWin' | 'onLoss' | 'profit' | 'loss' | 'win', string>;
const FIRST: AutoTyped = { count: '50', onWin: '', onLoss: '', profit: '', loss: '20', win: '' };

const isTyped = (stored: unknown): stored is Partial<AutoTyped> =>
  typeof stored === 'object' &&
  stored !== null &&
  Object.values(stored).every((text) => typeof text === 'string');

function kept(): AutoTyped {
  return { ...FIRST, ...local.read(KEY, isTyped) };
}

/** The typed conditions, which this browser keeps, the plan that they make, and the names of fields with a wrong number. */
export function useAutoFields() {
  const [typed, setTyped] = useState(kept);
  return {
    typed,
    change: (part: Partial<AutoTyped>) => setTyped({ ...typed, ...part }),
    ...planOf(typed),
    keep: () => local.set(KEY, JSON.stringify(typed)),
  };
}

/** An empty text is no change: the amount is reset. */
function changeOf(text: string): Change | undefined {
  if (text === '') return 'reset';
  return /^\d{1,4}$/.test(text) ? BigInt(text) : undefined;
}

export function planOf({ count, onWin, onLoss, profit, loss, win }: AutoTyped): {
  plan?: Plan;
  wrong: string[];
} {
  const [stopOnLoss, stopOnProfit, stopOnWin] = [loss, profit, win].map((text) => parseUnits(text));
  const [whenWon, whenLost] = [changeOf(onWin), changeOf(onLoss)];
  const wrong: string[] = [];
  if (!(/^\d{1,4}$/.test(count) && Number(count) >= 1 && Number(count) <= MOST)) wrong.push('count');
  if (!stopOnLoss) wrong.push('loss');
  if (profit && stopOnProfit === undefined) wrong.push('profit');
  if (win && stopOnWin === undefined) wrong.push('win');
  if (whenWon === undefined) wrong.push('onWin');
  if (whenLost === undefined) wrong.push('onLoss');
  if (wrong[0] || !stopOnLoss || whenWon === undefined || whenLost === undefined) return { wrong };
  const plan = {
    count: Number(count),
    onWin: whenWon,
    onLoss: whenLost,
    stopOnLoss,
    stopOnProfit,
    stopOnWin,
  };
  return { wrong, plan };
}
