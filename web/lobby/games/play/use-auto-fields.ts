import { useState } from 'react';
import { parseUnits } from '../../../../src/platform/money.ts';
import type { Problems } from '../../../kit/form/check.ts';
import { local } from '../../../kit/storage.ts';
import { words } from '../../words.ts';
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

/** The typed conditions, which this browser keeps, the plan that they make, and their problems. The plan is undefined if there are any. */
export function useAutoFields() {
  const [typed, setTyped] = useState(kept);
  return {
    typed,
    change: (part: Partial<AutoTyped>) => setTyped({ ...typed, ...part }),
    plan: planOf(typed),
    problems: problemsOf(typed),
    keep: () => local.set(KEY, JSON.stringify(typed)),
  };
}

/** An empty text is no change: the amount is reset. */
function changeOf(text: string): Change | undefined {
  if (text === '') return 'reset';
  return /^\d{1,4}$/.test(text) ? BigInt(text) : undefined;
}

const amountOf = (text: string) => (text === '' ? undefined : (parseUnits(text) ?? null));
const isCount = (count: string) => Number(count) >= 1 && Number(count) <= MOST;

function problemsOf({ count, profit, loss, win }: AutoTyped): Problems {
  const found = new Map<string, string>();
  if (!isCount(count)) found.set('count', words.auto.counts);
  if (!amountOf(loss)) found.set('loss', words.play.notAnAmount);
  for (const [name, text] of Object.entries({ profit, win }))
    if (amountOf(text) === null) found.set(name, words.play.notAnAmount);
  return found;
}

function planOf({ count, onWin, onLoss, profit, loss, win }: AutoTyped): Plan | undefined {
  const [stopOnLoss, stopOnProfit, stopOnWin] = [loss, profit, win].map(amountOf);
  const [whenWon, whenLost] = [changeOf(onWin), changeOf(onLoss)];
  if (!isCount(count)) return undefined;
  if (!stopOnLoss || stopOnProfit === null || stopOnWin === null) return undefined;
  if (whenWon === undefined || whenLost === undefined) return undefined;
  return { count: Number(count), onWin: whenWon, onLoss: whenLost, stopOnLoss, stopOnProfit, stopOnWin };
}
