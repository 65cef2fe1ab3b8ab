import type { FiltersIn } from '../kit/filters.ts';
import { Chips } from './list/chips.tsx';
import './list/list.css';
import type { Filter } from './list/spec.ts';
import { SectionTabs } from './section-tabs.tsx';

/** The filters of a report, which apply as they are changed. The time zone of its days is named, because it is the reader's own. */
export const FilterBar = ({ of, in: filters }: { of: readonly Filter[]; in: FiltersIn }) => (
  <>
    <SectionTabs />
    <search className="tools report-tools">
      <Chips of={of} in={filters} />
      <span className="ends dim xs">{Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
    </search>
  </>
);
