import { useEffect, useState } from 'react';

/**
 * Reads the parameters that a mail or a provider has put after the # of the address. Removes them from the address and from the browser's
 * history.
 */
export function useFragment(): Readonly<Record<string, string>> {
  const [values] = useState(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  useEffect(() => {
    if (location.hash) history.replaceState(null, '', location.pathname + location.search);
    // Another mail link, opened in the same tab, changes only the fragment.
    const anew = () => {
      if (location.hash) location.reload();
    };
    addEventListener('hashchange', anew);
    return () => removeEventListener('hashchange', anew);
  }, []);
  return values;
}
