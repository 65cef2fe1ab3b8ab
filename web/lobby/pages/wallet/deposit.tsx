import { useState } from 'react';
import { Link } from 'wouter';
import type { DepositAddress, PaymentMethod, Refused } from '../../../../client/call.ts';
import { Amount, Coin, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { percent, money as usd } from '../../../kit/intl.ts';
import { Imported, lazily } from '../../../kit/load.tsx';
import { networkName } from '../../../kit/networks.ts';
import { Note, Refusal } from '../../../kit/note.tsx';
import { Copy, Empty, Facts, Loaded, Loading } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { own } from '../../own.ts';
import { words } from '../../words.ts';
import { useCoin } from './coin.ts';
import { Fixed, Options, useCurrencies, useMethods } from './parts.tsx';
import { Arriving, RecentDeposits } from './recent.tsx';

const Qr = lazily(async () => (await import('../../qr.tsx')).Qr);

type Open = PaymentMethod & { networkId: string };
const isOpen = (method: PaymentMethod): method is Open => method.depositEnabled && method.networkId !== null;

/** The player's deposit address for a currency and a network. It is requested once both are chosen. */
export function Deposit() {
  const methods = useMethods('DEPOSIT');
  return (
    <>
      <Arriving />
      <Loaded of={methods} skeleton={<Waiting hasFields />}>
        {(all) => <Methods of={all.filter(isOpen)} />}
      </Loaded>
      <Limit />
      <RecentDeposits />
    </>
  );
}

/** Boxes with the size of the address and, before it, of the choices. */
const Waiting = ({ hasFields = false }: { hasFields?: boolean }) => (
  <>
    {hasFields && <Skeleton height={88} />}
    <div className="pay">
      <Skeleton width={168} height={168} />
      <div className="stack">
        <Skeleton height={72} />
        <Skeleton height={60} />
      </div>
    </div>
  </>
);

function Methods({ of: methods }: { of: readonly Open[] }) {
  const { deposit, currency, network } = words.money;
  const all = useCurrencies();
  const ids = [...new Set(methods.map((method) => method.currencyId))];
  const { coin, choose } = useCoin(ids);
  const [picked, setPicked] = useState<Readonly<Record<string, string>>>({});
  if (coin === undefined)
    return (
      <Empty art="no-money" title={deposit.none}>
        {deposit.noneHint}
      </Empty>
    );
  const networks = methods.filter((method) => method.currencyId === coin);
  const key = `network.${coin}`;
  const wanted = networks.length === 1 ? networks[0]!.networkId : (picked[coin] ?? own.get(key) ?? '');
  const chosen = networks.find(({ networkId }) => networkId === wanted);
  const names = networks.map(({ networkId }) => [networkId, networkName(all.data, networkId, coin)] as const);
  const pick = (id: string) => {
    own.set(key, id);
    setPicked({ ...picked, [coin]: id });
  };
  return (
    <>
      <Options label={currency} of={Object.fromEntries(ids.map(coinOption))} value={coin} onChange={choose} />
      {names.length === 1 ? (
        <Fixed label={network}>{names[0]![1]}</Fixed>
      ) : (
        <Options label={network} of={Object.fromEntries(names)} value={wanted} onChange={pick} />
      )}
      <p className="hidden" aria-live="polite">
        {chosen && deposit.only(coin, networkName(all.data, chosen.networkId, coin))}
      </p>
      {chosen ? (
        <Address
          key={`${coin} ${wanted}`}
          of={chosen}
          network={networkName(all.data, chosen.networkId, coin)}
        />
      ) : (
        <Note>{deposit.choose}</Note>
      )}
    </>
  );
}

const coinOption = (id: string) =>
  [
    id,
    <>
      <Coin of={id} size={20} />
      <span translate="no">{id}</span>
    </>,
  ] as const;

/** This component is remounted for each payment method, so that it never shows the address of another method. */
function Address({ of: { currencyId, networkId }, network }: { of: Open; network: string }) {
  const address = useRead(
    'GET /payments/deposit/address',
    { query: { currencyId, networkId } },
    { staleMs: 60_000 },
  );
  if (address.error) return <Stopped of={address.error} onRetry={address.refetch} />;
  return (
    <Loaded of={address} skeleton={<Waiting />}>
      {(given) => <PayTo of={given} network={network} />}
    </Loaded>
  );
}

/** The pages that resolve each reason why deposits are blocked. */
const WAYS_ON: Readonly<Record<string, string>> = {
  KYC_REQUIRED: '/verification',
  LIMIT_REACHED: '/protection',
};

function Stopped({ of, onRetry }: { of: Refused; onRetry: () => unknown }) {
  const to = WAYS_ON[of.code];
  if (to === undefined) return <Refusal of={of} onRetry={onRetry} />;
  return (
    <>
      <Refusal of={of} />
      <ButtonLink to={to} kind="main" isWide>
        {to === '/verification' ? words.money.withdraw.verify : words.menu.protection}
      </ButtonLink>
    </>
  );
}

function PayTo({ of: given, network }: { of: DepositAddress; network: string }) {
  const { deposit } = words.money;
  const { payAddress, payMemo, currencyId, minAmount, confirmations, issuedAt } = given;
  return (
    <>
      <div className="pay">
        <Imported fallback={<Loading>{<Skeleton width={168} height={168} />}</Loading>}>
          <Qr text={payAddress} label={deposit.qr} />
        </Imported>
        <div className="stack">
          <Sendable label={deposit.address(currencyId)} text={payAddress} copy={deposit.copy} />
          <Facts
            isRows
            of={{
              [deposit.minimum]: <Amount of={minAmount} in={currencyId} />,
              [deposit.credited]: deposit.confirmations(confirmations),
              [deposit.issued]: <When at={issuedAt} />,
            }}
          />
        </div>
      </div>
      {payMemo !== null && (
        <>
          <Sendable label={deposit.memo} text={payMemo} copy={deposit.copyMemo} />
          <Note kind="warn">
            <strong>{deposit.memoHint}</strong>
          </Note>
        </>
      )}
      <Note kind="warn">
        {deposit.only(currencyId, network)} {deposit.minimumHint}
      </Note>
      <Wagering />
    </>
  );
}

/** How much of a deposit the site requires to be wagered. Until that is known, that it may be required. */
function Wagering() {
  const { deposit } = words.money;
  const { data } = useRead('GET /config/{code}', { path: { code: 'WITHDRAWALS' } }, { staleMs: 300_000 });
  const share = (data as { depositTurnoverPercent?: number } | undefined)?.depositTurnoverPercent;
  if (share === 0) return null;
  return (
    <p className="faint sm">{share === undefined ? deposit.wagering : deposit.wageringOf(percent(share))}</p>
  );
}

const Sendable = ({ label, text, copy }: { label: string; text: string; copy: string }) => (
  <div className="field">
    <span className="label">{label}</span>
    <div className="address">
      <Copy text={text} label={copy} />
    </div>
  </div>
);

/** The rest of the tightest deposit limit. */
function Limit() {
  const { deposit } = words.money;
  const { data } = useRead('GET /user-limits/gambling-limits', {});
  const [tightest] = (data?.limits ?? [])
    .filter(({ type, amount, usage }) => type === 'DEPOSIT' && amount !== null && usage !== null)
    .toSorted((a, b) => Number(a.usage!.remaining) - Number(b.usage!.remaining));
  if (!tightest) return null;
  const { period, amount, usage } = tightest;
  return (
    <p className="limit">
      <Icon name="shield" size={16} />
      <span className="grow">{deposit.limit[period](usd(usage!.remaining), usd(amount!))}</span>
      <Link href="/protection" className="link">
        {deposit.change}
      </Link>
    </p>
  );
}
