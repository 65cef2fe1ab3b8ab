import { Link } from 'wouter';
import { Facts } from '../../../../kit/page.tsx';
import { words } from '../../../words.ts';

/** The seed to which a shared round is bound before anyone bets. */
export const RoundCommitment = ({ seedHash }: { seedHash: string | undefined }) => (
  <>
    <Facts of={{ [words.fair.round]: seedHash === undefined ? null : <code>{seedHash}</code> }} />
    <p className="sm dim">
      {words.fair.chain} <Link href="/fairness">{words.proof.more}</Link>
    </p>
  </>
);
