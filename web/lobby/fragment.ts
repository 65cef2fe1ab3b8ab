import { useEffect, useState } from 'react';

/**
 * Reads the parameters that a mail link or an identity provider has put after the # of the URL. Removes them from the URL and from the
 * browser's history.
 */
export function useFragment(): Readonly<Record<string, string>> {
  const [values] = useState(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  useEffect(() => {
    if (location.hash) history.replaceState(null, '', location.pathname + location.search);
    // If another mail link is opened in the same tab, only the fragment changes, and the page is not reloaded.
    const anew = () => {
      if (location.hash) location.reload();
    };
    addEventListener('hashchange', anew);
    return () => removeEventListener('hashchange', anew);
  }, []);
  return values;
}
