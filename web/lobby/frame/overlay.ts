import { useLocation, useSearch } from 'wouter';

/**
 * Dialogs above the page, by the name of their query parameter. Each has an address, so that links lead to it, Back closes it, and the
 * page stays behind it.
 */
export type Overlays = {
  account: 'sign-in' | 'sign-up' | 'forgot';
  wallet: 'overview' | 'deposit' | 'withdraw' | 'vault' | 'skins' | 'history';
  show: 'search' | 'notifications' | 'appearance' | 'menu';
};

/** Returns a function that gives the address of the current page with something open above it, or with nothing if no value is given. */
export function useOverlayLink() {
  const [at] = useLocation();
  const search = useSearch();
  return <N extends keyof Overlays>(name: N, value?: Overlays[N]): string => {
    const query = new URLSearchParams(search);
    for (const one of ['account', 'wallet', 'show']) query.delete(one);
    // The coin is the same in all parts of the wallet.
    if (name !== 'wallet' || value === undefined) query.delete('coin');
    if (value !== undefined) query.set(name, value);
    return query.size > 0 ? `${at}?${query}` : at;
  };
}

/** The dialog that is open under this name, and functions that open and close it. */
export function useOverlay<N extends keyof Overlays>(name: N) {
  const [, go] = useLocation();
  const link = useOverlayLink();
  const value = new URLSearchParams(useSearch()).get(name) as Overlays[N] | null;
  return {
    value: value ?? undefined,
    open: (next: Overlays[N]) => go(link(name, next)),
    close: () => go(link(name), { replace: true }),
  };
}
