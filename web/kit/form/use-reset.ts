import { type RefObject, useEffect } from 'react';

/** Calls `reset` when the form around an element is reset. Browsers reset only fields that keep their value themselves. */
export function useReset(element: RefObject<HTMLElement | null>, reset: () => void): void {
  useEffect(() => {
    const form = element.current?.closest('form');
    form?.addEventListener('reset', reset);
    return () => form?.removeEventListener('reset', reset);
  });
}
