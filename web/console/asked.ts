import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';

/**
 * The state of a dialog that an address can open (`?ask=NAME`). The parameter is removed when the dialog opens, so that closing it does not
 * navigate.
 */
export function useAsked(name: string) {
  const [search, setSearch] = useSearchParams();
  const isAsked = search.get('ask') === name;
  const [isOpen, setOpen] = useState(isAsked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that an address asks
  useEffect(() => {
    if (!isAsked) return;
    setOpen(true);
    const others = new URLSearchParams(search);
    others.delete('ask');
    setSearch(others, { replace: true });
  }, [isAsked]);
  return [isOpen, setOpen] as const;
}
