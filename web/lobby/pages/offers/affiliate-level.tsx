import type { AffiliateLevel, AffiliateSummary } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { money, number, percent } from '../../../kit/intl.ts';
import { Card, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { Progress, Rows } from './parts.tsx';

/** The player's level as an affiliate, and all levels. */
export function Level() {
  const { affiliate } = words.club;
  const me = useRead('GET /affiliate/me', {});
  const levels = useRead('GET /affiliate/levels', {}, { staleMs: 300_000 });
  return (
    <Card title={affiliate.level}>
      <Loaded of={me} skeleton={<Skeleton height={120} />}>
        {(summary) => (
          <div className="stack">
            <Now of={summary} />
            <Loaded of={levels}>{(all) => <Levels of={all} current={summary.currentLevel.id} />}</Loaded>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Now({ of: { currentLevel, nextLevel, ...summary } }: { of: AffiliateSummary }) {
  const { affiliate } = words.club;
  return (
    <>
      <div>
        <p className="big-figure">{percent(currentLevel.commission)}</p>
        <p className="dim sm">{affiliate.share(currentLevel.name)}</p>
      </div>
      {nextLevel && (
        <Progress
          label={affiliate.toLevel(nextLevel.name)}
          value={summary.usersWageredUsdAmount}
          of={nextLevel.minWageredUsdAmount}
          text={affiliate.wageredOf(
            money(summary.usersWageredUsdAmount),
            money(nextLevel.minWageredUsdAmount),
          )}
        />
      )}
      <Rows
        of={[
          [
            affiliate.active,
            affiliate.activeOf(number(summary.activeReferrals), number(summary.referralCount)),
          ],
        ]}
      />
    </>
  );
}

function Levels({ of, current }: { of: readonly AffiliateLevel[]; current: number }) {
  const { affiliate } = words.club;
  const columns: Columns<AffiliateLevel> = [
    { head: affiliate.levelName, of: ({ name }) => name, isMain: true },
    { head: affiliate.commission, of: ({ commission }) => percent(commission), end: true, isMain: true },
    { head: affiliate.from, of: ({ minWageredUsdAmount: usd }) => <Usd of={usd} />, end: true, isMain: true },
    { head: affiliate.forClaim, of: (level) => number(level.minReferralCountForClaim), end: true },
  ];
  return (
    <Table
      rows={of}
      columns={columns}
      caption={affiliate.levels}
      keyOf={({ id }) => id}
      isOwn={({ id }) => id === current}
    />
  );
}
