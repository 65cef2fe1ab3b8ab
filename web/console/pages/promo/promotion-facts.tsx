import { Facts } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useMissing } from '../../../kit/session.tsx';
import { Reward } from './reward.tsx';

const ONE = 'GET /admin/promo/{id}';

/** The name and the reward of a promotion. Shows the id if this account may not read promotions. */
export function PromotionFacts({ id }: { id: string }) {
  const isEnabled = useMissing(ONE) === undefined && id !== '';
  const { data } = useRead(ONE, { path: { id } }, { isEnabled });
  if (id === '') return null;
  return (
    <Facts
      isRows
      of={{ Promotion: data?.name ?? `#${id}`, ...(data && { Reward: <Reward of={data} isExact /> }) }}
    />
  );
}
