import { useEffect, useState } from 'react';

/** What a mail or a provider has put behind the # of the address. It is taken out of the address and of the browser's history. */
export function useFragment(): Readonly<Record<string, string>> {
  const [values] = useState(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  useEffect(() => {
    if (location.hash) history.replaceState(null, '', location.pathname + location.search);
    // Another link of a mail, opened in the same tab, changes nothing but this.
    const anew = () => {
      if (location.hash) location.reload();
    };
    addEventListener('hashchange', anew);
    return () => removeEventListener('hashchange', anew);
  }, []);
  return values;
}
