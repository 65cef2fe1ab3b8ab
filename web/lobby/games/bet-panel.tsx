import type { Refused } from '../../../client/call.ts';
import { Series, type SeriesProps } from './series.tsx';
import { StakePanel, type StakePanelProps } from './stake.tsx';

type BetPanelProps<B extends { payout: string; betAmount: string }> = Omit<
  StakePanelProps,
  'more' | 'isBusy' | 'refused'
> &
  Pick<SeriesProps<B>, 'ask' | 'reveal' | 'say'> & {
    /** What `useBet` has answered. */
    bet: { isBusy: boolean; refused: Refused | undefined; setSaid: (text: string) => void };
  };

/** The panel of a game whose bets take one step: one bet, or many one after the other. */
export function BetPanel<B extends { payout: string; betAmount: string }>({
  bet: { isBusy, refused, setSaid },
  ask,
  reveal,
  say,
  ...panel
}: BetPanelProps<B>) {
  return (
    <StakePanel
      {...panel}
      isBusy={isBusy}
      refused={refused}
      more={(stake) => <Series stake={stake} ask={ask} reveal={reveal} say={say} onSaid={setSaid} />}
    />
  );
}
