import type { PromoAdmin } from '../../../../client/call.ts';
import { serverNow } from '../../../kit/clock.ts';
import { moment, plural } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Facts } from '../../../kit/page.tsx';
import { AUDIENCES, GrantBound, isSet, TotalBound } from './bounds.tsx';
import type { Draft } from './cost.ts';
import { grantLabelOf, useCost } from './preview.tsx';

const EFFECTS: Readonly<Record<Exclude<PromoAdmin['status'], 'DRAFT'>, string>> = {
  ACTIVE: 'Players can get it as soon as it starts.',
  PAUSED: 'Players can no longer get it until you start it again. Existing grants continue.',
  ARCHIVED: 'Players can never get it again. Existing grants continue. This is final.',
};

/** The effect of a change of the status, and the players whom it affects. */
export function StatusEffect({ of: promo, to }: { of: PromoAdmin; to: keyof typeof EFFECTS }) {
  const cost = useCost()(promo);
  return (
    <>
      <Facts
        isRows
        of={{
          'Who gets it': AUDIENCES[promo.type],
          ...(to === 'ACTIVE' && {
            Conditions: plural(conditionsIn(promo), { one: '# condition', other: '# conditions' }),
            Starts: promo.startAt && Date.parse(promo.startAt) > serverNow() ? moment(promo.startAt) : 'Now',
            Ends: promo.endAt ? moment(promo.endAt) : 'When you pause it',
            [grantLabelOf(promo)]: <GrantBound of={cost} />,
            'All grants, at most': <TotalBound of={cost} />,
          }),
        }}
      />
      <Note kind={to === 'ACTIVE' && cost.isLimited ? 'plain' : 'warn'}>{EFFECTS[to]}</Note>
    </>
  );
}

const conditionsIn = ({ conditions }: Draft): number => Object.values(conditions).filter(isSet).length;
