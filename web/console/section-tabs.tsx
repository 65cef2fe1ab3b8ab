import { useLocation } from 'wouter';
import { missingRight, useMe } from '../kit/session.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { placeOf } from './menu.ts';

/** The pages of the current menu entry as tabs, if the account may see several of them. */
export function SectionTabs() {
  const me = useMe();
  const [at] = useLocation();
  const place = placeOf(at);
  const shown = place?.entry.tabs.filter(({ of }) => missingRight(me, of) === undefined) ?? [];
  if (!place || shown.length < 2) return null;
  return (
    <Tabs label={place.entry.name} of={Object.fromEntries(shown.map(({ name, path }) => [name, path]))} />
  );
}
