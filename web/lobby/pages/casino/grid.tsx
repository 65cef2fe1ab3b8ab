import type { ReactNode } from 'react';
import type { GamePublic, Refused } from '../../../../client/call.ts';
import { type PageOf, Pager } from '../../../kit/list.tsx';
import { Empty, Loaded } from '../../../kit/page.tsx';
import { GameTile } from '../../game-tile.tsx';
import { TileSkeletons } from '../../shelf.tsx';
import { words } from '../../words.ts';

type Reading = {
  data: PageOf<GamePublic> | undefined;
  error: Refused | null;
  isPending: boolean;
  refetch: () => unknown;
};

/** A page of games. */
export function Found({ list, onPage }: { list: Reading; onPage: (page: number) => void }) {
  return (
    <Loaded of={list} skeleton={<GridSkeleton />}>
      {({ data, page, take, total, totalPages }) => (
        <>
          <Grid of={data} />
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
}

export const Grid = ({ of, empty }: { of: readonly GamePublic[]; empty?: ReactNode }) =>
  of.length === 0 ? (
    (empty ?? (
      <Empty art="no-results" title={words.catalogue.none}>
        {words.catalogue.noneHint}
      </Empty>
    ))
  ) : (
    <ul className="tiles">
      {of.map((game) => (
        <li key={game.slug}>
          <GameTile game={game} />
        </li>
      ))}
    </ul>
  );

export const GridSkeleton = () => (
  <ul className="tiles">
    <TileSkeletons count={14} />
  </ul>
);
