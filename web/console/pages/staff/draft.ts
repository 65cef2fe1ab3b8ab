import { useState } from 'react';
import { differenceOf, sizeOf } from './areas.ts';

type Names = readonly string[];

/**
 * Permissions that are being changed. They begin with the stored ones. If a colleague stores others meanwhile, unsaved changes stay, and
 * `isOutdated` is true until they are discarded. Without unsaved changes the new permissions are shown.
 */
export function useDraft(stored: Names, version: string | number) {
  const [begun, setBegun] = useState({ stored, version });
  const [chosen, change] = useState(stored);
  const count = sizeOf(differenceOf(begun.stored, chosen));
  const discard = () => {
    setBegun({ stored, version });
    change(stored);
  };
  const isOutdated = begun.version !== version;
  // Own changes are no longer unsaved when they are stored.
  if (isOutdated && (count === 0 || sizeOf(differenceOf(stored, chosen)) === 0)) discard();
  return { chosen, change, count, isOutdated, discard };
}
