import type { Refused } from '../../../client/call.ts';
import { Series, type SeriesProps } from './series.tsx';
import { StakePanel, type StakePanelProps } from './stake.tsx';

type BetPanelProps<B extends { payout: string; betAmount: string }> = Omit<
  StakePanelProps,
  'more' | 'isBusy' | 'refused'
> &
  Pick<SeriesProps<B>, 'ask' | 'reveal' | 'say'> & {
    /** The result of `useBet`. */
    bet: { isBusy: boolean; refused: Refused | undefined; setSaid: (text: string) => void };
  };

/** The panel of a single-step game, for one bet or a series of bets. */
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
