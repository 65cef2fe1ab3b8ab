import './pick.css';
import type { ComponentProps, ReactNode } from 'react';
import type { IconName } from '../icon.tsx';
import { Imported, lazily } from '../load.tsx';
import { useOpen } from './use-open.ts';

/** An entry of a menu: a link (`to`), an action (`run`), a switch (`isOn` and `run`), or a line between groups (`'line'`). */
export type MenuEntry =
  | 'line'
  | {
      text: string;
      icon?: IconName;
      /** At the end of the row. */
      note?: ReactNode;
      to?: string;
      run?: () => void;
      /** A switch, which does not close the menu. */
      isOn?: boolean;
    };

const List = lazily(async () => (await import('./lists.tsx')).MenuList);

type MenuProps = {
  label: string;
  entries: readonly MenuEntry[];
  /** Content above the entries. */
  head?: ReactNode;
  /** The content of the button that opens the menu. */
  children: ReactNode;
} & Pick<ComponentProps<'button'>, 'className' | 'aria-label' | 'title'>;

/** A button that opens a menu, which is a sheet on phones. */
export function Menu({ label, entries, head, children, className = 'button', ...more }: MenuProps) {
  const { isOpen, close, id, anchor, trigger } = useOpen<HTMLButtonElement>(List.preload);
  return (
    <>
      <button type="button" className={className} aria-haspopup="menu" {...more} {...trigger}>
        {children}
      </button>
      {isOpen && (
        <Imported>
          <List id={id} label={label} entries={entries} head={head} anchor={anchor} onClose={close} />
        </Imported>
      )}
    </>
  );
}
