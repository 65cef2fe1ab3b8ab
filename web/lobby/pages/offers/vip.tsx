import './vip.css';
import { Usd } from '../../../kit/amount.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { money, percent } from '../../../kit/intl.ts';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { isPositive, percentOf, rest } from '../../amounts.ts';
import { type Level, useSiteRead } from '../../site.ts';
import { words } from '../../words.ts';
import { Progress, RewardTabs, Section } from './parts.tsx';
import { Spotlight } from './spotlight.tsx';
import { Applications } from './vip-application.tsx';

/** The VIP levels, the player's progress, and the application form for VIP players of other casinos. */
export function Vip() {
  const { vip } = words.club;
  const site = useSiteRead();
  return (
    <Page title={vip.title} filters={<RewardTabs />}>
      <div className="rewards">
        <p className="lead">{vip.hint}</p>
        <Loaded of={site} skeleton={<Skeleton height={170} />}>
          {(known) =>
            known?.vip && (
              <>
                <Now of={known.vip.ladder} />
                <Section title={vip.ladder} icon="crown">
                  <Ladder of={known.vip.ladder} />
                  <p className="sm dim ladder-note">
                    {vip.ownMoney}
                    {known.vip.rewardTurnoverPercent > 0 &&
                      ` ${vip.turnover(percent(known.vip.rewardTurnoverPercent))}`}
                  </p>
                </Section>
              </>
            )
          }
        </Loaded>
        <Applications />
      </div>
    </Page>
  );
}

function Now({ of: ladder }: { of: readonly Level[] }) {
  const { vip } = words.club;
  const { vipLevel: level } = useMe();
  const stats = useRead('GET /user/me/stats', {});
  const next = ladder.find((one) => one.level > level);
  const wagered = stats.data?.wageredUsd;
  return (
    <Spotlight kind="level" label={vip.yours} tag={vip.yours} icon="crown">
      <p className="show">{words.frame.vip(level)}</p>
      {next && wagered !== undefined ? (
        <>
          <Progress
            label={vip.toLevel(next.level)}
            value={wagered}
            of={next.wageredUsd}
            text={percent(percentOf(wagered, next.wageredUsd))}
          />
          <p className="sm">
            {vip.wageredOf(money(wagered), money(next.wageredUsd))}{' '}
            {vip.left(money(rest(next.wageredUsd, wagered)))}
          </p>
        </>
      ) : (
        <p>{next ? '' : vip.highest}</p>
      )}
    </Spotlight>
  );
}

function Ladder({ of: ladder }: { of: readonly Level[] }) {
  const { vip } = words.club;
  const { vipLevel } = useMe();
  return (
    <ol className="ladder">
      {ladder.map(({ level, wageredUsd, rewardUsd, boostPercent }) => (
        <li key={level} className={level === vipLevel ? 'now' : level < vipLevel ? 'reached' : undefined}>
          <header className="line between">
            <h3>{words.frame.vip(level)}</h3>
            {level === vipLevel ? (
              <Badge tone="accent">{vip.current}</Badge>
            ) : (
              level < vipLevel && <Icon name="check" size={16} label={vip.reached} />
            )}
          </header>
          <p className="sm dim">{isPositive(wageredUsd) ? vip.from(money(wageredUsd)) : vip.start}</p>
          <dl>
            <div>
              <dt>{vip.reward}</dt>
              <dd>{isPositive(rewardUsd) ? <Usd of={rewardUsd} /> : '–'}</dd>
            </div>
            <div>
              <dt>{vip.boost}</dt>
              <dd>{boostPercent > 0 ? vip.plus(percent(boostPercent)) : '–'}</dd>
            </div>
          </dl>
        </li>
      ))}
    </ol>
  );
}
