import type { ReactNode } from 'react';
import type { Refused } from '../../client/call.ts';
import { Button } from './button.tsx';
import { number } from './intl.ts';
import { Loaded } from './page.tsx';
import { Table, type TableProps } from './table.tsx';
import { kit } from './words.ts';

export type PageOf<T> = { data: T[]; page: number; take: number; total: number; totalPages: number };
/** A request for a page of a list. */
export type Reading<T> = {
  data: PageOf<T> | undefined;
  error: Refused | null;
  isPending: boolean;
  refetch: () => unknown;
};

/** A paginated list. */
export function List<T>({
  of,
  onPage,
  ...table
}: Omit<TableProps<T>, 'rows'> & { of: Reading<T>; onPage: (page: number) => void }) {
  return (
    <Paged of={of} onPage={onPage}>
      {(rows) => <Table rows={rows} {...table} />}
    </Paged>
  );
}

type PagedProps<T> = {
  of: Reading<T>;
  skeleton?: ReactNode;
  onPage: (page: number) => void;
  children: (rows: readonly T[]) => ReactNode;
};

/** A page of a list, and the buttons to its other pages. */
export const Paged = <T,>({ of, skeleton, onPage, children }: PagedProps<T>) => (
  <Loaded of={of} {...(skeleton !== undefined && { skeleton })}>
    {({ data, page, take, totalPages, total }) => (
      <>
        {children(data)}
        {total > 0 && (
          <Pager
            page={page}
            take={take}
            shown={data.length}
            total={total}
            totalPages={totalPages}
            onPage={onPage}
          />
        )}
      </>
    )}
  </Loaded>
);

type PagerProps = Omit<PageOf<never>, 'data'> & {
  shown: number;
  onPage: (page: number) => void;
  /** Replaces the total, for lists that are only estimated. */
  totalText?: string;
  children?: ReactNode;
};

/** 1–12 of 318, and buttons to the pages before and after. A list with one page has no buttons. */
export function Pager({ page, take, shown, total, totalPages, onPage, totalText, children }: PagerProps) {
  const first = (page - 1) * take + 1;
  return (
    <nav className="pager" aria-label={kit.pages}>
      <span className="dim">
        {kit.rangeOf(number(first), number(first + shown - 1), totalText ?? number(total))}
      </span>
      {children}
      {totalPages > 1 && (
        <>
          <Button
            size="sm"
            icon="chevron-left"
            aria-label={kit.previous}
            disabled={page <= 1}
            onClick={() => onPage(page - 1)}
          />
          <Button
            size="sm"
            icon="chevron-right"
            aria-label={kit.next}
            disabled={page >= totalPages}
            onClick={() => onPage(page + 1)}
          />
        </>
      )}
    </nav>
  );
}
