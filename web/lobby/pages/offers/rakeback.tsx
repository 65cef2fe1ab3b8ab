import type { RakebackState } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { percent } from '../../../kit/intl.ts';
import { Refusal } from '../../../kit/note.tsx';
import { Empty, Loaded, Page } from '../../../kit/page.tsx';
import { refresh } from '../../../kit/query.ts';
import { isPositive } from '../../amounts.ts';
import { readyUsd } from '../../frame/ready-rakeback.tsx';
import { useSite } from '../../site.ts';
import { words } from '../../words.ts';
import { RewardTabs, Rows, Section } from './parts.tsx';
import {
  claimablePeriods,
  nextUnlock,
  PERIODS,
  type Period,
  RAKEBACK,
  UNLOCKING,
  useClaim,
  useRakeback,
} from './rakeback-reads.ts';
import { Spotlight } from './spotlight.tsx';

/** Rakeback: a share of the house edge that the player gets back and can claim for each period. */
export function Rakeback() {
  const { rakeback } = words.offers;
  const state = useRakeback();
  return (
    <Page title={rakeback.title} filters={<RewardTabs />}>
      <div className="rewards">
        <p className="lead">{rakeback.hint}</p>
        <Loaded of={state} skeleton={<Boxes />}>
          {(known) => <Content of={known} />}
        </Loaded>
      </div>
    </Page>
  );
}

const Boxes = () => (
  <>
    <Skeleton height={150} />
    <div className="grid-3">
      {PERIODS.map((period) => (
        <Skeleton key={period} height={190} />
      ))}
    </div>
  </>
);

function Content({ of: known }: { of: RakebackState }) {
  const { rakeback } = words.offers;
  const days = useSite()?.rakeback?.expiryDays;
  const { run, busy, refused } = useClaim();
  return (
    <>
      <Ready of={known} isBusy={busy.length > 0} onClaim={() => void run(claimablePeriods(known))} />
      {refused && <Refusal of={refused} />}
      <Section title={rakeback.byPeriod} icon="calendar-days">
        <div className="grid-3">
          {PERIODS.map((period) => (
            <PeriodCard
              key={period}
              period={period}
              of={known}
              isBusy={busy.includes(period)}
              onClaim={() => void run([period])}
            />
          ))}
        </div>
      </Section>
      {known.currencies.length === 0 && (
        <Empty art="no-bets" title={rakeback.none}>
          {rakeback.noneHint}
        </Empty>
      )}
      <p className="sm dim">{days == null ? rakeback.never : rakeback.after(days)}</p>
    </>
  );
}

type ClaimProps = { of: RakebackState; isBusy: boolean; onClaim: () => void };

/** The total that is ready, with one button for all of it. */
function Ready({ of: known, isBusy, onClaim }: ClaimProps) {
  const { rakeback } = words.offers;
  const ready = readyUsd(known);
  const next = nextUnlock(known);
  return (
    <Spotlight
      kind="rakeback"
      label={rakeback.claimable}
      tag={rakeback.claimable}
      end={
        <>
          <Button
            size="lg"
            kind="main"
            op="POST /rakeback/claim"
            isBusy={isBusy}
            why={isPositive(ready) ? undefined : rakeback.nothingReady}
            onClick={onClaim}
          >
            {rakeback.claimAll}
          </Button>
          <span className="xs">
            {rakeback.claimedInAll} <Usd of={known.totalsUsd.totalClaimed} />
          </span>
        </>
      }
    >
      <p className="show">{isPositive(ready) ? <Usd of={ready} /> : rakeback.nothingReady}</p>
      <p>
        {next ? (
          <>
            {rakeback.nextUnlock(rakeback.periods[next.period])}{' '}
            <Countdown to={next.at} over={rakeback.now} onOver={() => void refresh(RAKEBACK)} />
          </>
        ) : (
          rakeback.noneHint
        )}
      </p>
    </Spotlight>
  );
}

function PeriodCard({ period, of: known, isBusy, onClaim }: ClaimProps & { period: Period }) {
  const { rakeback } = words.offers;
  const { totalsUsd, rates } = known;
  const isReady = isPositive(totalsUsd[period]);
  return (
    <article className="card tall">
      <header className="line between">
        <h3>{rakeback.periods[period]}</h3>
        <span className="dim sm">{rakeback.rate(percent(rates[period]))}</span>
      </header>
      <p className={isReady ? 'big-figure' : 'big-figure faint'}>
        <Usd of={totalsUsd[period]} />
      </p>
      <Rows of={rowsOf(known, period)} />
      <div className="actions">
        <Button
          op="POST /rakeback/claim"
          isBusy={isBusy}
          why={isReady ? undefined : rakeback.nothingReady}
          aria-label={rakeback.claimPeriod(rakeback.periods[period])}
          onClick={onClaim}
        >
          {rakeback.claim}
        </Button>
      </div>
    </article>
  );
}

/** The amounts that are ready and that accrue in each currency, when the period unlocks, and when the oldest amount expires. */
function rowsOf({ currencies }: RakebackState, period: Period) {
  const { rakeback } = words.offers;
  const amounts = (of: (currency: RakebackState['currencies'][number]) => string) =>
    currencies
      .filter((currency) => isPositive(of(currency)))
      .map((currency) => (
        <span key={currency.currencyId} className="one-line">
          <Amount of={of(currency)} in={currency.currencyId} />
        </span>
      ));
  const ready = amounts((currency) => currency[period].claimable);
  const rows: (readonly [string, React.ReactNode])[] =
    ready.length > 0 ? [[rakeback.inCurrencies, ready]] : [];
  const unlocking = UNLOCKING.find((one) => one === period);
  const [first] = currencies;
  if (!unlocking || !first) return rows;
  const accruing = amounts((currency) => currency[unlocking].accumulated);
  const expiries = currencies.flatMap((currency) => currency[unlocking].expiresAt ?? []).toSorted();
  return [
    ...rows,
    [rakeback.accruing, accruing.length > 0 ? accruing : '–'] as const,
    [
      rakeback.unlocks,
      <Countdown
        key="unlocks"
        to={first[unlocking].unlocksAt}
        over={rakeback.now}
        onOver={() => void refresh(RAKEBACK)}
      />,
    ] as const,
    ...(expiries[0] ? [[rakeback.expires, <When key="expires" at={expiries[0]} />] as const] : []),
  ];
}
