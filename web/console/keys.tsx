import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { Imported, lazily } from '../kit/load.tsx';
import { focusRow, isTyping } from '../kit/rows.ts';
import { useMenu } from './navigation.tsx';

const Shortcuts = lazily(async () => (await import('./shortcuts.tsx')).Shortcuts);

/** The second key after G must follow within this time. */
const CHORD_MS = 1500;

/** Presses a button or focuses a field that names its key in `data-key`, such as Export. */
const press = (key: string): boolean => {
  const target = document.querySelector<HTMLElement>(`main [data-key="${key}"]`);
  target?.focus();
  target?.click();
  return target !== null;
};

const tickRow = (): boolean => {
  const box = document.activeElement?.closest('tr')?.querySelector<HTMLInputElement>('.tick > input');
  box?.click();
  return Boolean(box);
};

type KeysProps = { isOpen: boolean; onOpen: () => void; onPalette: () => void; onClose: () => void };

/** Handles keyboard shortcuts. `?` lists them. */
export function Keys({ isOpen, onOpen, onPalette, onClose }: KeysProps) {
  const goTo = useChord();
  useEffect(() => {
    const keys: Readonly<Record<string, () => unknown>> = {
      '/': () => document.querySelector<HTMLElement>('.list-search input')?.focus(),
      '?': onOpen,
      j: () => focusRow(document, 1),
      k: () => focusRow(document, -1),
      x: tickRow,
      e: () => press('e'),
      a: () => press('a'),
      r: () => press('r'),
    };
    const act = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      const isCovered = document.querySelector('dialog[open], .popover, .popup') !== null;
      if ((event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && key === 'k') {
        // Browsers have a search of their own with this key.
        event.preventDefault();
        return isCovered ? undefined : onPalette();
      }
      if (isCovered || event.defaultPrevented) return;
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      // Some keyboards need Shift for symbols, but a letter with Shift is no shortcut.
      if (event.shiftKey && key !== key.toUpperCase()) return;
      const run = goTo(key) ?? keys[key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', act);
    return () => document.removeEventListener('keydown', act);
  });
  return isOpen ? (
    <Imported>
      <Shortcuts onClose={onClose} />
    </Imported>
  ) : null;
}

/** Returns a function that handles G and the key after it, which opens a page. It returns undefined for any other key. */
function useChord(): (key: string) => (() => void) | undefined {
  const [, go] = useLocation();
  const entries = useMenu().flatMap((group) => group.entries);
  const begunAt = useRef(0);
  return (key) => {
    const isSecond = Date.now() - begunAt.current < CHORD_MS;
    begunAt.current = 0;
    const place = isSecond ? entries.find(({ entry }) => entry.key === key) : undefined;
    if (place) return () => go(place.tab.path);
    if (key !== 'g') return undefined;
    return () => {
      begunAt.current = Date.now();
    };
  };
}
