import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import type { DepositAddress, PaymentMethod } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { Select } from '../../../kit/form.tsx';
import { Card, Copy, Empty, Facts, Loaded, Loading, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useCurrency } from '../../balances.ts';
import { words } from '../../words.ts';
import { Deposits } from './history.tsx';
import { networkName, useCurrencies, WalletTabs } from './parts.tsx';

const Qr = lazy(async () => ({ default: (await import('../../qr.tsx')).Qr }));

type Open = PaymentMethod & { networkId: string };
const isOpen = (method: PaymentMethod): method is Open => method.depositEnabled && method.networkId !== null;
const keyOf = ({ currencyId, networkId }: Pick<Open, 'currencyId' | 'networkId'>) =>
  `${currencyId} ${networkId}`;

/** The player's deposit address for a currency and a network. It is requested when the player has selected both. */
export function Deposit() {
  const { deposit } = words.money;
  const methods = useRead('GET /payments/methods', { query: { direction: 'DEPOSIT' } });
  return (
    <Page title={deposit.title} filters={<WalletTabs />}>
      <div className="stack">
        <Loaded of={methods}>
          {(all) => <Methods of={all.filter(isOpen)} hasSkins={all.some(({ type }) => type === 'SKINS')} />}
        </Loaded>
        <Card title={deposit.recent}>
          <p className="dim">{deposit.recentHint}</p>
          <Deposits take={5} />
        </Card>
      </div>
    </Page>
  );
}

function Methods({ of: methods, hasSkins }: { of: readonly Open[]; hasSkins: boolean }) {
  const { deposit, skins } = words.money;
  const { currencyId: played } = useCurrency();
  const all = useCurrencies();
  const [currencyId, setCurrency] = useState(played);
  const [network, setNetwork] = useState('');
  const currencies = [...new Set(methods.map((method) => method.currencyId))];
  const networks = methods.filter((method) => method.currencyId === currencyId);
  const chosen = networks.find(({ networkId }) => networkId === network);
  return (
    <Card>
      <div className="stack">
        {methods.length === 0 && <Empty>{deposit.none}</Empty>}
        <div className="group">
          <Select
            name="currencyId"
            label={words.frame.currency}
            of={currencies.map((id) => ({ value: id, label: id }))}
            none={deposit.choose}
            value={currencies.includes(currencyId) ? currencyId : ''}
            onChange={(event) => {
              setCurrency(event.target.value);
              setNetwork('');
            }}
          />
          <Select
            name="networkId"
            label={words.money.network}
            of={networks.map(({ networkId }) => ({
              value: networkId,
              label: networkName(all.data, currencyId, networkId),
            }))}
            none={deposit.choose}
            value={network}
            onChange={(event) => setNetwork(event.target.value)}
          />
        </div>
        {chosen && (
          <Address
            key={keyOf(chosen)}
            of={chosen}
            network={networkName(all.data, chosen.currencyId, chosen.networkId)}
          />
        )}
        {hasSkins && (
          <p>
            <Link href="/wallet/skins">{skins.title}</Link>
          </p>
        )}
      </div>
    </Card>
  );
}

/** This component is remounted for each payment method, so that it never shows the address of another method. */
function Address({ of: { currencyId, networkId }, network }: { of: Open; network: string }) {
  const address = useRead(
    'GET /payments/deposit/address',
    { query: { currencyId, networkId } },
    { staleMs: 60_000 },
  );
  return <Loaded of={address}>{(given) => <PayTo of={given} network={network} />}</Loaded>;
}

function PayTo({ of: given, network }: { of: DepositAddress; network: string }) {
  const { deposit } = words.money;
  const { payAddress, payMemo, currencyId, minAmount, confirmations, issuedAt } = given;
  return (
    <div className="pay">
      <Suspense fallback={<Loading />}>
        <Qr text={payAddress} label={deposit.qr} />
      </Suspense>
      <div className="stack">
        <p>
          <strong>{deposit.only(currencyId, network)}</strong>
        </p>
        <div>
          <p className="dim">{deposit.address}</p>
          <Copy text={payAddress} />
        </div>
        {payMemo !== null && (
          <div>
            <p className="dim">{deposit.memo}</p>
            <Copy text={payMemo} />
            <p className="refusal">{deposit.memoHint}</p>
          </div>
        )}
        <Facts
          of={{
            [deposit.minimum]: <Amount of={minAmount} in={currencyId} />,
            [deposit.confirmations]: confirmations,
            [deposit.issued]: <When at={issuedAt} />,
          }}
        />
        <p className="dim">{deposit.minimumHint}</p>
      </div>
    </div>
  );
}
