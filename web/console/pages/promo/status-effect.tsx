import type { PromoAdmin } from '../../../../client/call.ts';
import { serverNow } from '../../../kit/clock.ts';
import { Note } from '../../../kit/note.tsx';
import { Facts } from '../../../kit/page.tsx';
import { StartNote } from './approval.tsx';
import { audienceOf } from './audience.ts';
import { GrantBound, TotalBound } from './bounds.tsx';
import { isWithoutDeposit, WITHOUT_DEPOSIT } from './deposit.ts';
import { termFacts, useConditionFacts } from './facts.tsx';
import { grantLabelOf, useCost } from './use-cost.ts';

const EFFECTS = {
  PAUSED: 'Players can no longer get it until you start it again. Existing grants continue.',
  ARCHIVED: 'Players can never get it again. Existing grants continue. This is final.',
} as const;

/** The effect of a change of the status, and the players whom it affects. */
export function StatusEffect({ of: promo, to }: { of: PromoAdmin; to: 'ACTIVE' | keyof typeof EFFECTS }) {
  return to === 'ACTIVE' ? (
    <StartEffect of={promo} />
  ) : (
    <>
      <Facts isRows of={{ 'Who gets it': audienceOf(promo) }} />
      <Note kind="warn">{EFFECTS[to]}</Note>
    </>
  );
}

/** Everything that a start puts into effect, with the most that it can cost. */
function StartEffect({ of: promo }: { of: PromoAdmin }) {
  const cost = useCost()(promo);
  const conditionsOf = useConditionFacts();
  const { startAt, status } = promo;
  const isLater = startAt !== null && Date.parse(startAt) > serverNow();
  return (
    <>
      <Facts
        isRows
        of={{
          'Who gets it': audienceOf(promo),
          ...conditionsOf(promo),
          ...termFacts(promo),
          ...(!isLater && { Starts: status === 'ACTIVE' ? 'Already started' : 'Now' }),
          [grantLabelOf(promo)]: <GrantBound of={cost} isExact />,
          'All grants, at most': <TotalBound of={cost} isExact />,
        }}
      />
      {isWithoutDeposit(promo) && <Note kind="warn">{WITHOUT_DEPOSIT}</Note>}
      <StartNote of={promo} />
    </>
  );
}
