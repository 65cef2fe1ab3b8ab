import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { type Filled, readerOf } from '../../../kit/form/read.ts';
import { Imported, lazily } from '../../../kit/load.tsx';
import type { Draft } from './cost.ts';
import { termsOf } from './terms.tsx';

/** The form is usable before it is loaded. */
const Beside = lazily(async () => (await import('./preview.tsx')).Beside);

/** Reads what staff have typed so far. `type`: that of a promotion that has one. */
const draftOf = (f: Filled, type: Draft['type'] | undefined): Draft => ({
  ...termsOf(f),
  gameNames: { [f.text('gameSlug')]: f.text('gameSlugName') || f.text('gameSlug') },
  name: f.text('name'),
  description: f.text('description'),
  type: type ?? (f.text('type') as Draft['type']),
});

type EditorProps = {
  type?: Draft['type'];
  /** The form, given what staff have typed so far. It must call `onPick` when a choice in a list changes, because lists cause no input events. */
  children: (onPick: () => void, draft: Draft | undefined) => ReactNode;
};

/** A form of terms with the card that players see and the cost next to it. Both follow the fields. */
export function Editor({ type, children }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [changes, setChanges] = useState(0);
  const [draft, setDraft] = useState<Draft>();
  const onPick = useCallback(() => setChanges((count) => count + 1), []);
  // React handles the event of a field together with `onInput`, so the fields have their new values here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again after each change
  useEffect(() => {
    const form = place.current?.querySelector('form');
    if (form) setDraft(draftOf(readerOf(form), type));
  }, [changes, type]);
  return (
    <div className="promo-edit">
      <div ref={place} onInput={onPick}>
        {children(onPick, draft)}
      </div>
      {draft && (
        <Imported>
          <Beside of={draft} />
        </Imported>
      )}
    </div>
  );
}
