import { useEffect, useState } from 'react';

const WAIT_MS = 200;

/** Returns the text after it has stayed the same for a moment. An empty text is returned immediately. */
export function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), text === '' ? 0 : WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
}
