import type { ComponentType } from 'react';
import { useSearch } from 'wouter';
import { useFilters } from '../../../kit/filters.ts';
import { Page } from '../../../kit/page.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { FilterBar } from '../../filter-bar.tsx';
import { choice, type Filter } from '../../list/spec.ts';
import { NotFound } from '../../not-found.tsx';
import { useCurrencies } from '../choices.ts';
import { localTimeIn, TIMES } from './asked.ts';
import { Liabilities, Overall, Payments, Revenue } from './money.tsx';
import { daysIn, type periodIn } from './period.ts';
import { Games, Players, TopUsers } from './players.tsx';
import type { Days } from './save-csv.tsx';

export type Asked = ReturnType<typeof periodIn> & { currencyId: string | undefined };
export type PartProps = { asked: Asked; days: Days };

const PARTS: Readonly<Record<string, { title: string; of: ComponentType<PartProps> }>> = {
  '': { title: 'Overview', of: Overall },
  revenue: { title: 'Revenue', of: Revenue },
  payments: { title: 'Payments', of: Payments },
  players: { title: 'Players', of: Players },
  games: { title: 'Games', of: Games },
  top: { title: 'Top players', of: TopUsers },
  liabilities: { title: 'Liabilities', of: Liabilities },
};

const FILTERS: readonly Filter[] = [...TIMES, choice('currencyId', 'Currency of payments', useCurrencies)];

/** Compares a period with the previous one. */
export function PeriodReport({ params: { part = '' } }: { params: { part?: string } }) {
  const filters = useFilters({});
  const search = useSearch();
  const asked = { ...localTimeIn(filters), currencyId: filters.text('currencyId') };
  const tabs = Object.entries(PARTS).map(([name, { title }]) => [
    title,
    `/reports${name && `/${name}`}${search && `?${search}`}`,
  ]);
  const Part = PARTS[part]?.of;
  if (!Part) return <NotFound />;
  return (
    <Page title="Performance" filters={<FilterBar of={FILTERS} in={filters} />}>
      <Tabs label="Parts of the report" of={Object.fromEntries(tabs)} />
      <div className="stack">
        <Part asked={asked} days={daysIn(asked)} />
      </div>
    </Page>
  );
}
