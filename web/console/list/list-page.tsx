import type { ComponentType, ReactNode } from 'react';
import type { Op } from '../../../client/call.ts';
import { Page } from '../../kit/page.tsx';
import { useShownTotal } from '../navigation.tsx';
import { SectionTabs } from '../section-tabs.tsx';
import { ExportButton } from './export.tsx';
import { ListView } from './list-view.tsx';
import { isSame, type ListSpec } from './spec.ts';
import { useList } from './use-list.ts';

type PageParts<Of> = {
  /** The limits of a list that is also a part of other pages. */
  of?: Of;
  /** One sentence below the title. */
  about?: string;
  /** Buttons at the end of the title's line. */
  Actions?: ComponentType;
  Above?: ComponentType;
  Below?: ComponentType;
};

/** Makes the page of a list. */
export function listPage<O extends Op, Of = undefined>(
  spec: ListSpec<O, Of> & PageParts<Of>,
): () => ReactNode {
  const { Actions, Above, Below, about } = spec;
  return function ListPage() {
    const list = useList(spec, spec.of as Of);
    const { data, isOld } = list.reading;
    const isFirstView = isSame(list.filters.values, spec.views?.[0]?.query ?? {});
    useShownTotal(spec.op, isFirstView && !isOld ? data?.total : undefined);
    return (
      <Page
        title={spec.title}
        {...(about !== undefined && { about })}
        filters={<SectionTabs />}
        actions={
          <>
            {Actions && <Actions />}
            <ExportButton list={list} />
          </>
        }
      >
        {Above && <Above />}
        <ListView list={list} />
        {Below && <Below />}
      </Page>
    );
  };
}

/** Makes a list within a page. `of` limits it, for example to a player. */
export function listPart<O extends Op, Of>(spec: ListSpec<O, Of>): (props: { of: Of }) => ReactNode {
  return function ListPart({ of }) {
    const list = useList(spec, of);
    return <ListView list={list} actions={<ExportButton list={list} />} />;
  };
}
