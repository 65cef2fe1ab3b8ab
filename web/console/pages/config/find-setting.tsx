import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Combobox } from '../../../kit/pick/combobox.tsx';
import type { Option } from '../../../kit/pick/pick.tsx';
import { SECTIONS, type Section, TABS } from './fields.ts';

const SHOWN = 12;

const keyOf = ({ title }: Section, name: string): string => `${title}/${name}`;

/** Every setting. The value of an option is the address at which the page focuses its field. */
const ALL: readonly Option[] = TABS.flatMap(({ name: tab, path, code }) =>
  SECTIONS[code].flatMap((section) =>
    section.of.map(({ name, label }) => ({
      value: `${path}?${new URLSearchParams({ setting: keyOf(section, name) })}`,
      text: label,
      note: (
        <span className="dim">
          {tab} · {section.title}
        </span>
      ),
    })),
  ),
);

/** Finds a setting by its label, on any tab. */
export function FindSetting() {
  const [text, setText] = useState('');
  const [, goTo] = useLocation();
  const wanted = text.trim().toLowerCase();
  const found = ALL.filter((option) => wanted !== '' && option.text.toLowerCase().includes(wanted));
  return (
    <Combobox
      label="Find a setting"
      placeholder="Find a setting"
      value={text}
      onChange={setText}
      options={found.slice(0, SHOWN)}
      onChoose={({ value }) => {
        setText('');
        goTo(value);
      }}
    />
  );
}

/** Returns a ref for the element of a section. If the URL names a setting in it, the field of that setting gets the focus. */
export function useSought(section: Section) {
  const element = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useSearchParams();
  const sought = search.get('setting');
  const name = section.of.find((setting) => keyOf(section, setting.name) === sought)?.name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the parameter only sets the initial focus
  useEffect(() => {
    if (name === undefined) return;
    // A table of settings has a field for each cell, such as `name.0.key`.
    element.current?.querySelector<HTMLElement>(`[name="${name}"], [name^="${name}."]`)?.focus();
    element.current?.scrollIntoView({ block: 'center' });
    setSearch({}, { replace: true });
  }, [name]);
  return element;
}
