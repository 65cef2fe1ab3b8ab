import { Link } from 'wouter';
import { percent } from '../../../kit/intl.ts';
import { Facts, Loaded, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';

export const EFFECTIVE = 'GET /admin/casino/games/commission/effective';

/** The commission rule that applies to a game. */
export function EffectiveRule({ slug }: { slug: string }) {
  const found = useRead(EFFECTIVE, { query: { slug } });
  return (
    <Loaded of={found}>
      {({ ggrPercent, match, rule, explanation }) => (
        <>
          <Facts
            of={{
              'Share of GGR': percent(ggrPercent, 4),
              'Matched by': words(match),
              Rule: rule && <Link href={`/commissions/${rule.id}`}>Rule {rule.id}</Link>,
            }}
          />
          <p className="dim">{explanation}</p>
        </>
      )}
    </Loaded>
  );
}
