import { useEffect, useState } from 'react';
import { own } from '../../own.ts';
import { type AutoTyped, type Plan, planOf } from './plan.ts';

const KEY = 'auto';

const FIRST: AutoTyped = { count: '50', onWin: '', onLoss: '', profit: '', loss: '20', win: '' };

const isTyped = (stored: unknown): stored is Partial<AutoTyped> =>
  typeof stored === 'object' &&
  stored !== null &&
  Object.values(stored).every((text) => typeof text === 'string');

function kept(): AutoTyped {
  return { ...FIRST, ...own.read(KEY, isTyped) };
}

/**
 * The typed conditions, which this browser keeps, and the names of fields with a wrong number. `onPlan` receives the plan that the conditions
 * make.
 */
export function useAutoFields(onPlan: (plan: Plan | undefined) => void) {
  const [typed, setTyped] = useState(kept);
  const { plan, wrong } = planOf(typed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the plan changes with the text
  useEffect(() => onPlan(plan), [typed, onPlan]);
  const change = (part: Partial<AutoTyped>) => {
    const next = { ...typed, ...part };
    setTyped(next);
    own.set(KEY, JSON.stringify(next));
  };
  return { typed, wrong, change };
}
