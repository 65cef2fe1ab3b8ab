import { type KeyboardEvent, useRef, useState } from 'react';
import type { Hotkey } from './play/hotkeys.ts';

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Makes a grid of buttons a single Tab stop. Arrow keys move between its cells. With hotkeys on, they move there from anywhere. Give `grid` to
 * the element around the cells.
 */
export function useRoving<E extends Element = HTMLDivElement>(count: number, columns: number) {
  const grid = useRef<E>(null);
  const [chosen, setAt] = useState(0);
  const at = Math.min(chosen, count - 1);
  const focus = (index: number) => {
    setAt(index);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${index}"]`)?.focus();
  };
  return {
    grid,
    onKeyDown(event: KeyboardEvent<Element>) {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const next = at + step[0] + step[1] * columns;
      if (next >= 0 && next < count) focus(next);
    },
    cell: (index: number) => ({
      'data-cell': index,
      tabIndex: index === at ? 0 : -1,
      onFocus: () => setAt(index),
    }),
    keys: (text: string): Hotkey[] => Object.keys(STEPS).map((key) => ({ key, text, run: () => focus(at) })),
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
