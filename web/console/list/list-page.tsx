import type { ComponentType } from 'react';
import type { Op } from '../../../client/call.ts';
import { Page } from '../../kit/page.tsx';
import { SectionTabs } from '../section-tabs.tsx';
import { ExportButton } from './export.tsx';
import { ListView } from './list-view.tsx';
import type { ListSpec } from './spec.ts';
import { useList } from './use-list.ts';

type PageParts = {
  /** One sentence below the title. */
  about?: string;
  /** Buttons at the end of the title's line. */
  Actions?: ComponentType;
  Above?: ComponentType;
  Below?: ComponentType;
};

/** Makes the page of a list. */
export function listPage<O extends Op>(spec: ListSpec<O, void> & PageParts): ComponentType {
  const { Actions, Above, Below, about } = spec;
  return function ListPage() {
    const list = useList(spec, undefined);
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
export function listPart<O extends Op, Of>(spec: ListSpec<O, Of>): ComponentType<{ of: Of }> {
  return function ListPart({ of }) {
    const list = useList(spec, of);
    return <ListView list={list} actions={<ExportButton list={list} />} />;
  };
}
