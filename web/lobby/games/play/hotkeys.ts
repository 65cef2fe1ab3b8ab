import { useEffect, useRef } from 'react';
import { ownStore } from '../../own-store.ts';

const hotkeys = ownStore('hotkeys');
/** Hotkeys are off until the player turns them on. */
export const useHotkeysOn = (): boolean => hotkeys.use() === 'true';
export const toggleHotkeys = (): void => hotkeys.set(String(hotkeys.get() !== 'true'));

/** A key, its effect in one or two words, and the action. `key` is a value of KeyboardEvent.key; letters are lower case. */
export type Hotkey = { key: string; text: string; run: () => void; isOff?: boolean };

const SHOWN: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ' ': 'Space',
};
export const shownKey = (key: string): string => SHOWN[key] ?? key.toUpperCase();

/** Runs the actions while hotkeys are on. One press is one action, and no key works while a field has the focus or a dialog is open. */
export function useHotkeys(keys: readonly Hotkey[]): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  const enabled = useHotkeysOn();
  useEffect(() => {
    if (!enabled) return;
    const down = (event: KeyboardEvent) => {
      if (event.repeat || isTaken(event)) return;
      const wanted = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const hotkey = latest.current.find(({ key }) => key === wanted);
      if (!hotkey) return;
      event.preventDefault();
      if (!hotkey.isOff) hotkey.run();
    };
    // Browsers press the focused button when Space is released.
    const up = (event: KeyboardEvent) => {
      if (event.key === ' ' && !isTaken(event)) event.preventDefault();
    };
    document.addEventListener('keydown', down);
    document.addEventListener('keyup', up);
    return () => {
      document.removeEventListener('keydown', down);
      document.removeEventListener('keyup', up);
    };
  }, [enabled]);
}

/** True if the focus was last moved by keyboard. `:focus-visible` does not work here, because it matches a clicked button after any key. */
let isByTab = false;
document.addEventListener('pointerdown', () => {
  isByTab = false;
});
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Tab') isByTab = true;
});

const FIELDS = 'input:not([type=radio], [type=checkbox]), select, textarea, [role=slider], [role=grid] *';
const PRESSED = 'a, button, summary, [role=switch], input';

/** Returns true if the key belongs to the element that has the focus. */
function isTaken({ target, key, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || document.querySelector('dialog[open]')) return true;
  if (!(target instanceof Element)) return false;
  if (target.matches(FIELDS)) return true;
  // A button that was reached by keyboard keeps Space. One that was clicked does not.
  return key === ' ' && target.matches(PRESSED) && isByTab;
}
