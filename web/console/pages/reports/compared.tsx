import type { ComponentType } from 'react';
import { useSearch } from 'wouter';
import { useFilters } from '../../../kit/filters.ts';
import { Page } from '../../../kit/page.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { FilterBar } from '../../filter-bar.tsx';
import { choice, type Filter } from '../../list/spec.ts';
import { NotFound } from '../../not-found.tsx';
import { OTHER_PARTS, type PartName, pathOfPart } from '../../report-parts.ts';
import { useCurrencies } from '../choices.ts';
import { localTimeIn, TIMES } from './asked.ts';
import { Liabilities, Overall, Payments, Revenue } from './money.tsx';
import { daysIn, type periodIn } from './period.ts';
import { Games, Players, TopUsers } from './players.tsx';
import type { Days } from './save-csv.tsx';

export type Asked = ReturnType<typeof periodIn> & { currencyId: string | undefined };
export type PartProps = { asked: Asked; days: Days };

/** The components of the parts. The first one, whose address is that of the report, is in the menu. */
const PARTS: Readonly<Record<'' | PartName, ComponentType<PartProps>>> = {
  '': Overall,
  revenue: Revenue,
  payments: Payments,
  players: Players,
  games: Games,
  top: TopUsers,
  liabilities: Liabilities,
};
const TABS = [
  { title: 'Overview', path: '/reports' },
  ...OTHER_PARTS.map((part) => ({ title: part.title, path: pathOfPart(part) })),
];

const FILTERS: readonly Filter[] = [...TIMES, choice('currencyId', 'Currency of payments', useCurrencies)];

/** Compares a period with the previous one. */
export function PeriodReport({ params: { part = '' } }: { params: { part?: string } }) {
  const filters = useFilters({});
  const search = useSearch();
  const asked = { ...localTimeIn(filters), currencyId: filters.text('currencyId') };
  const tabs = TABS.map(({ title, path }) => [title, `${path}${search && `?${search}`}`]);
  if (!Object.hasOwn(PARTS, part)) return <NotFound />;
  const Part = PARTS[part as keyof typeof PARTS];
  return (
    <Page title="Performance" filters={<FilterBar of={FILTERS} in={filters} />}>
      <Tabs label="Parts of the report" of={Object.fromEntries(tabs)} />
      <div className="stack">
        <Part asked={asked} days={daysIn(asked)} />
      </div>
    </Page>
  );
}
