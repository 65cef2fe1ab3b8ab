import { Skeleton } from '../../../kit/figures.tsx';

export const GameSkeleton = () => (
  <div className="game-intro">
    <span className="skeleton cover" />
    <div className="stack">
      <Skeleton width="50%" height={28} />
      <Skeleton width="30%" />
      <Skeleton width={220} height={52} />
      <Skeleton />
      <Skeleton width="80%" />
    </div>
    <div className="shelf">
      <Skeleton height={220} />
    </div>
  </div>
);
