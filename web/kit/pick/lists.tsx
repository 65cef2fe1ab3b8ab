import * as Ariakit from '@ariakit/react';
import { type ReactNode, type RefObject, useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { FieldIds } from '../form/field.tsx';
import { Icon } from '../icon.tsx';
import { kit } from '../words.ts';
import type { MenuEntry } from './menu.tsx';
import type { Option } from './pick.tsx';

/** The lists of `Pick`, `Combobox` and `Menu`. Only this file imports Ariakit. */

const SEARCH_FROM = 9;
const PHONE = '(width < 900px)';

type ListProps = { id: string; label: string; anchor: RefObject<HTMLElement | null>; onClose: () => void };

/** On phones the stylesheet places the list at the foot of the screen, so Ariakit does not. */
const place = ({ updatePosition }: { updatePosition: () => Promise<void> }) => {
  if (!matchMedia(PHONE).matches) void updatePosition();
};

/** The properties of all popovers. Presses on the trigger itself are left to the trigger, which closes the list. */
const popoverOf = ({ id, label, anchor }: ListProps) => ({
  id,
  'aria-label': label,
  className: 'popup',
  gutter: 6,
  overflowPadding: 8,
  portal: true,
  // A modal dialog is above everything outside it.
  portalElement: anchor.current?.closest('dialog') ?? document.body,
  autoFocusOnShow: true,
  hideOnInteractOutside: (event: Event) => !anchor.current?.contains(event.target as Node),
  getAnchorRect: () => anchor.current?.getBoundingClientRect() ?? null,
  updatePosition: place,
  wrapperProps: { className: 'popup-place' },
});

const found = (options: readonly Option[], text: string) => {
  const wanted = text.trim().toLocaleLowerCase();
  return wanted === ''
    ? options
    : options.filter((option) => option.text.toLocaleLowerCase().includes(wanted));
};

type PickListProps = ListProps & {
  options: readonly Option[];
  value: string;
  onChange: (value: string) => void;
  foot?: ReactNode;
};

/** The options of `Pick`, with a field to search in them if there are many. */
export function PickList(props: PickListProps) {
  const { options, value, onChange, foot, anchor, onClose } = props;
  const [text, setText] = useState('');
  const isLong = options.length >= SEARCH_FROM;
  const shown = useMemo(() => found(options, text), [options, text]);
  const combobox = Ariakit.useComboboxStore({ value: text, setValue: setText, resetValueOnHide: true });
  const select = Ariakit.useSelectStore({
    ...(isLong && { combobox }),
    open: true,
    setOpen: (isOpen) => !isOpen && onClose(),
    value,
    setValue: (next) => {
      if (typeof next === 'string' && next !== value) onChange(next);
    },
    placement: 'bottom-start',
  });
  const rows = shown.map((option) => (
    <Ariakit.SelectItem
      key={option.value}
      value={option.value}
      className="entry"
      {...(isLong && { render: <Ariakit.ComboboxItem /> })}
    >
      <span className="grow line">{option.shown ?? option.text}</span>
      {option.note}
      {option.value === value && <Icon name="check" size={16} />}
    </Ariakit.SelectItem>
  ));
  return (
    <Ariakit.SelectPopover
      store={select}
      {...popoverOf(props)}
      style={{ minWidth: anchor.current?.offsetWidth }}
      composite={!isLong}
      typeahead={!isLong}
    >
      {isLong ? (
        <>
          <span className="input search">
            <Icon name="search" size={16} />
            <Ariakit.Combobox
              store={combobox}
              placeholder={kit.search}
              aria-label={kit.search}
              autoSelect
              autoFocus
            />
          </span>
          <Ariakit.ComboboxList store={combobox} className="entries" alwaysVisible>
            {rows}
          </Ariakit.ComboboxList>
        </>
      ) : (
        rows
      )}
      {shown.length === 0 && <p className="none dim">{kit.noMatches}</p>}
      {foot}
    </Ariakit.SelectPopover>
  );
}

type SuggestionsProps = {
  field?: Omit<FieldIds, 'name'> | undefined;
  label: string;
  value: string;
  onChange: (text: string) => void;
  options: readonly Option[];
  onChoose: (option: Option) => void;
  placeholder?: string | undefined;
  empty?: ReactNode;
};

/** The field of `Combobox` with its suggestions. */
export function Suggestions({
  field: ids,
  label,
  value,
  onChange,
  options,
  onChoose,
  placeholder,
  empty,
}: SuggestionsProps) {
  // The user may have typed before this component was loaded.
  const [isOpen, setOpen] = useState(value.trim() !== '');
  const store = Ariakit.useComboboxStore({
    value,
    setValue: onChange,
    open: isOpen,
    setOpen,
    placement: 'bottom-start',
  });
  const isEmpty = value.trim() !== '' && options.length === 0;
  const [field, setField] = useState<HTMLInputElement | null>(null);
  return (
    <>
      <Ariakit.Combobox
        ref={setField}
        store={store}
        {...ids}
        placeholder={placeholder}
        aria-label={label}
        autoFocus
        autoSelect
      />
      <Ariakit.ComboboxPopover
        store={store}
        className="popup"
        gutter={10}
        // Shortcuts are off while a list is in the page, even a hidden one.
        unmountOnHide
        portal
        // A modal dialog is above everything outside it.
        portalElement={field?.closest('dialog') ?? document.body}
        aria-label={label}
        hidden={options.length === 0 && !isEmpty}
        updatePosition={place}
        wrapperProps={{ className: 'popup-place' }}
      >
        {options.map((option) => (
          <Ariakit.ComboboxItem
            key={option.value}
            value={option.text}
            className="entry"
            setValueOnClick={false}
            onClick={() => onChoose(option)}
          >
            <span className="grow line">{option.shown ?? option.text}</span>
            {option.note}
          </Ariakit.ComboboxItem>
        ))}
        {isEmpty && <p className="none dim">{empty ?? kit.noMatches}</p>}
      </Ariakit.ComboboxPopover>
    </>
  );
}

/** The entries of `Menu`. */
export function MenuList(props: ListProps & { entries: readonly MenuEntry[]; head?: ReactNode }) {
  const { entries, head, onClose } = props;
  const store = Ariakit.useMenuStore({
    open: true,
    setOpen: (isOpen) => !isOpen && onClose(),
    placement: 'bottom-end',
  });
  // Ariakit's own button would do this when it opens the menu.
  useEffect(() => {
    store.setInitialFocus('first');
    store.setAutoFocusOnShow(true);
  }, [store]);
  return (
    <Ariakit.Menu store={store} {...popoverOf(props)}>
      {head}
      {entries.map((entry, at) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name
        if (entry === 'line') return <Ariakit.MenuSeparator key={`line ${at}`} className="rule" />;
        const { text, icon, note, to, run, isOn } = entry;
        const inside = (
          <>
            {icon && <Icon name={icon} />}
            <span className="grow">{text}</span>
            {note}
          </>
        );
        if (isOn !== undefined)
          return (
            <Ariakit.MenuItemCheckbox
              key={text}
              name={text}
              value="on"
              checked={isOn}
              className="entry switch"
              hideOnClick={false}
              onChange={run}
            >
              {inside}
              <i />
            </Ariakit.MenuItemCheckbox>
          );
        return (
          <Ariakit.MenuItem
            key={text}
            className="entry"
            {...(to === undefined ? {} : { render: <Link href={to} /> })}
            {...(run && { onClick: run })}
          >
            {inside}
          </Ariakit.MenuItem>
        );
      })}
    </Ariakit.Menu>
  );
}
