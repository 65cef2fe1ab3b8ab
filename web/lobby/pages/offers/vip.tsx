import { formatUnits, units } from '../../../../src/platform/money.ts';
import { Usd } from '../../../kit/amount.tsx';
import { Card, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { type Level, OfferTabs, Progress, useSite } from './parts.tsx';
import { Applications } from './vip-application.tsx';

/** The VIP levels, the player's progress, and the application form for VIP players of other casinos. */
export function Vip() {
  const { vip } = words.offers;
  const site = useSite();
  return (
    <Page title={vip.title} filters={<OfferTabs />}>
      <div className="stack">
        <p>{vip.hint}</p>
        <Loaded of={site}>
          {(known) =>
            known && (
              <Card title={vip.ladder}>
                <div className="stack">
                  <Stand of={known.vip.ladder} />
                  <Ladder of={known.vip.ladder} />
                  <p className="dim">{vip.turnover(known.vip.rewardTurnoverPercent)}</p>
                </div>
              </Card>
            )
          }
        </Loaded>
        <Applications />
      </div>
    </Page>
  );
}

function Stand({ of: ladder }: { of: readonly Level[] }) {
  const { vip } = words.offers;
  const { vipLevel } = useMe();
  const stats = useRead('GET /user/me/stats', {});
  const next = ladder.find(({ level }) => level > vipLevel);
  const wagered = stats.data?.wageredUsd;
  return (
    <>
      <Facts
        of={{
          [vip.level]: <strong>{vipLevel}</strong>,
          [vip.wagered]: <Usd of={wagered} />,
          ...(next && { [vip.next]: <Usd of={next.wageredUsd} /> }),
        }}
      />
      {next && wagered !== undefined && (
        <Progress label={vip.toLevel(next.level)} percent={percentOf(wagered, next.wageredUsd)} />
      )}
      <p className="dim">{vip.ownMoney}</p>
    </>
  );
}

/** Returns the percentage with two decimals, rounded down. */
function percentOf(part: string, whole: string): number {
  const all = units(whole);
  return all === 0n ? 100 : Number(formatUnits((units(part) * 10_000n * 1_000_000n) / all));
}

function Ladder({ of }: { of: readonly Level[] }) {
  const { vip } = words.offers;
  const { vipLevel } = useMe();
  const columns: Columns<Level> = [
    { head: vip.level, of: ({ level }) => (level === vipLevel ? <strong>● {level}</strong> : level) },
    { head: vip.from, of: ({ wageredUsd }) => <Usd of={wageredUsd} />, end: true },
    { head: vip.reward, of: ({ rewardUsd }) => <Usd of={rewardUsd} />, end: true },
    { head: vip.boost, of: ({ boostPercent }) => `+${boostPercent} %`, end: true },
  ];
  return <Table rows={of} columns={columns} caption={vip.ladder} keyOf={({ level }) => level} />;
}
