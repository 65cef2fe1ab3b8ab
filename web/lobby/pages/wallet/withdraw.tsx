import { useState } from 'react';
import type { OwnBalance, WithdrawEligibility } from '../../../../client/call.ts';
import { Amount, Usd } from '../../../kit/amount.tsx';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { moment } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Empty, Facts, Loaded, takeFocus } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { kit } from '../../../kit/words.ts';
import { useBalances } from '../../balances.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { useCoin } from './coin.ts';
import { WithdrawalRow } from './movement.tsx';
import { CoinPick, useMethods } from './parts.tsx';
import { RecentWithdrawals } from './recent.tsx';
import { NO_DRAFT } from './recipient.tsx';
import { type Quote, type Quoted, WithdrawForm } from './withdraw-form.tsx';

/** The withdrawable amount, everything that blocks a withdrawal, and the withdrawal form. */
export function Withdraw() {
  const balances = useBalances();
  return (
    <Loaded of={balances} skeleton={<Waiting />}>
      {(all) => <OfBalances all={all} />}
    </Loaded>
  );
}

const Waiting = () => (
  <>
    <Skeleton height={62} />
    <Skeleton height={62} />
    <Skeleton height={80} />
    <Skeleton height={120} />
  </>
);

function OfBalances({ all }: { all: readonly OwnBalance[] }) {
  const { overview, deposit, currency } = words.money;
  const link = useOverlayLink();
  const { coin, choose } = useCoin(all.map(({ currencyId }) => currencyId));
  const [quoted, setQuoted] = useState<Quoted>();
  const [asked, setAsked] = useState<string>();
  if (coin === undefined)
    return (
      <Empty
        art="no-money"
        title={overview.empty}
        action={
          <ButtonLink to={link('wallet', 'deposit')} kind="main">
            {deposit.title}
          </ButtonLink>
        }
      >
        {overview.emptyHint}
      </Empty>
    );
  if (asked !== undefined) return <Asked id={asked} onAgain={() => setAsked(undefined)} />;
  // The page's URL can switch to another currency during the review, for example by the Back button. The quote is then dropped.
  const quote = quoted?.order.currencyId === coin ? quoted : undefined;
  if (quote !== quoted) setQuoted(undefined);
  const done = (id: string) => {
    setQuoted(undefined);
    setAsked(id);
  };
  return (
    <>
      {!quote && (
        <CoinPick
          label={currency}
          of={Object.fromEntries(all.map(({ currencyId, amount }) => [currencyId, amount]))}
          value={coin}
          onChange={choose}
        />
      )}
      <OfCoin key={coin} coin={coin} quote={[quote, setQuoted]} onAsked={done} />
      {!quote && <RecentWithdrawals />}
    </>
  );
}

type OfCoinProps = { coin: string; quote: Quote; onAsked: (id: string) => void };

function OfCoin({ coin, quote, onAsked }: OfCoinProps) {
  const may = useRead('GET /payments/withdraw/eligibility', { query: { currencyId: coin } });
  const methods = useMethods('WITHDRAW');
  // Kept here, so that a failed reading does not clear it.
  const draft = useState(NO_DRAFT);
  return (
    <Loaded of={may} skeleton={<Waiting />}>
      {(eligibility) =>
        eligibility.canWithdraw ? (
          <Loaded of={methods} skeleton={<Waiting />}>
            {(all) => (
              <WithdrawForm
                coin={coin}
                may={eligibility}
                draft={draft}
                quote={quote}
                onAsked={onAsked}
                methods={all.filter(
                  ({ currencyId, withdrawEnabled, networkId }) =>
                    currencyId === coin && withdrawEnabled && networkId !== null,
                )}
              />
            )}
          </Loaded>
        ) : (
          <Blocked of={eligibility} coin={coin} />
        )
      }
    </Loaded>
  );
}

/** Why this currency cannot be withdrawn now, and what the player can do about it. */
function Blocked({ of, coin }: { of: WithdrawEligibility; coin: string }) {
  const { withdraw } = words.money;
  const amount = (text: string) => <Amount of={text} in={coin} />;
  const isLocked = Number(of.lockedByRollover) > 0;
  return (
    <>
      <Note kind="warn" icon="lock">
        <h3>{withdraw.blocked}</h3>
        {of.reasons.map((code) => (
          <p key={code}>{reasonOf(code, of)}</p>
        ))}
      </Note>
      <Facts
        isRows
        of={{
          [withdraw.balance]: amount(of.available),
          ...(isLocked && {
            [withdraw.locked]: amount(of.lockedByRollover),
          }),
          // An open bonus locks the cash too. Its wagering is on the page of promotions.
          ...(Number(of.wagerRemainingUsd) > 0 && {
            [withdraw.toWager]: <Usd of={of.wagerRemainingUsd} />,
          }),
          [withdraw.minimum]: amount(of.minAmount),
          ...(of.dailyRemainingUsd !== null && { [withdraw.left]: <Usd of={of.dailyRemainingUsd} /> }),
        }}
      />
      {of.reasons.includes('KYC_REQUIRED') && (
        <ButtonLink to="/verification" kind="main" size="lg" isWide icon="id-card">
          {withdraw.verify}
        </ButtonLink>
      )}
    </>
  );
}

/** A reason in words, with what staff wrote about it. */
function reasonOf(code: string, { block, kyc }: WithdrawEligibility): string {
  const { withdraw, kyc: verification } = words.money;
  const text = withdraw.reasons[code] ?? kit.refusal({ code, message: code, details: {} });
  const more =
    code === 'KYC_REQUIRED' && kyc.tier
      ? [verification.tiers[kyc.tier]]
      : code === 'WITHDRAWAL_BLOCKED' && block
        ? [block.reasonPublic, block.blockUntil && withdraw.until(moment(block.blockUntil))]
        : [];
  return [text, ...more].filter(Boolean).join(' ');
}

/** Follows the withdrawal that was just requested. */
function Asked({ id, onAgain }: { id: string; onAgain: () => void }) {
  const { withdraw } = words.money;
  const list = useRead('GET /payments/withdraw', { query: { page: 1, take: 3 } }, { everyMs: 30_000 });
  const one = list.data?.data.find((withdrawal) => withdrawal.id === id);
  return (
    <>
      <div role="status">
        <Note kind="good">
          <h3 ref={takeFocus} tabIndex={-1}>
            {withdraw.asked}
          </h3>
          <p>{withdraw.askedHint}</p>
        </Note>
      </div>
      {one && <WithdrawalRow of={one} isOpen />}
      <Button isWide size="lg" onClick={onAgain}>
        {withdraw.another}
      </Button>
    </>
  );
}
