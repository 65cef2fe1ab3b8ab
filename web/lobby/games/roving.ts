import { type KeyboardEvent, useState } from 'react';

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Makes a grid of buttons a single Tab stop. Arrow keys move between its cells. */
export function useRoving(count: number, columns: number) {
  const [chosen, setAt] = useState(0);
  const at = Math.min(chosen, count - 1);
  return {
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const next = at + step[0] + step[1] * columns;
      if (next < 0 || next >= count) return;
      setAt(next);
      event.currentTarget.querySelector<HTMLElement>(`[data-cell="${next}"]`)?.focus();
    },
    cell: (index: number) => ({
      'data-cell': index,
      tabIndex: index === at ? 0 : -1,
      onFocus: () => setAt(index),
    }),
  };
}

type Place = { x: number; y: number };

/**
 * Returns the nearest position in the direction of an arrow key. Undefined for other keys, or if there is no position in that direction.
 */
export function towards(places: readonly Place[], from: number, key: string): number | undefined {
  const step = STEPS[key];
  const here = places[from];
  if (!step || !here) return undefined;
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, { x, y }] of places.entries()) {
    const along = (x - here.x) * step[0] + (y - here.y) * step[1];
    if (along <= 0.01) continue;
    const across = Math.abs((x - here.x) * step[1]) + Math.abs((y - here.y) * step[0]);
    const cost = along + 4 * across;
    if (cost >= least) continue;
    least = cost;
    best = index;
  }
  return best;
}
