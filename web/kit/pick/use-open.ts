import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';

/**
 * The state of a button that opens a list. The list's code is loaded when the page is idle, or when the button is first hovered or focused;
 * until then the button works alone.
 */
export function useOpen<T extends HTMLElement>(preload: () => void) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<T>(null);
  const id = useId();
  useEffect(() => {
    const wait = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 2000));
    wait(preload);
  }, [preload]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return {
    isOpen,
    setOpen,
    close,
    id,
    anchor: button as RefObject<T | null>,
    trigger: {
      ref: button,
      'aria-expanded': isOpen,
      'aria-controls': isOpen ? id : undefined,
      onPointerEnter: preload,
      onFocus: preload,
      onClick: () => setOpen(!isOpen),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        setOpen(true);
      },
    },
  };
}
