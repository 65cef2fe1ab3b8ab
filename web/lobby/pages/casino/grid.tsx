import type { ReactNode } from 'react';
import type { GamePublic } from '../../../../client/call.ts';
import { Paged, type Reading } from '../../../kit/list.tsx';
import { Empty } from '../../../kit/page.tsx';
import { GameTile } from '../../game-tile.tsx';
import { TileSkeletons } from '../../shelf.tsx';
import { words } from '../../words.ts';

/** A page of games. */
export function Found({ list, onPage }: { list: Reading<GamePublic>; onPage: (page: number) => void }) {
  return (
    <Paged of={list} skeleton={<GridSkeleton />} onPage={onPage}>
      {(games) => <Grid of={games} />}
    </Paged>
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
