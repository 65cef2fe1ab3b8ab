import { useState } from 'react';
import type { SkinDepositStart } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Field, Form, Select } from '../../../kit/form.tsx';
import { Card, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { session } from '../../../kit/storage.ts';
import { Table } from '../../../kit/table.tsx';
import { useBalances, useCurrency } from '../../balances.ts';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';
import { Sum, sumOf, WalletTabs } from './parts.tsx';

const GAMES = { cs2: 'Counter-Strike 2', dota2: 'Dota 2', rust: 'Rust', tf2: 'Team Fortress 2' } as const;
const KEY = 'skinDeposit';

/** Deposits by selling skins of other games on the marketplace. They are credited once the marketplace confirms the sale. */
export function Skins() {
  const { skins } = words.money;
  const [started, setStarted] = useState<SkinDepositStart>();
  const [last, setLast] = useState(() => session.get(KEY));
  const begun = (start: SkinDepositStart) => {
    session.set(KEY, start.depositId);
    setStarted(start);
    setLast(start.depositId);
  };
  return (
    <Page title={skins.title} filters={<WalletTabs />}>
      <div className="stack">
        <p>{skins.hint}</p>
        <div className="cards">
          <TradeLink />
          <Begin onBegun={begun} />
          {last && <Progress key={last} id={last} start={started} />}
        </div>
      </div>
    </Page>
  );
}

function TradeLink() {
  const { skins } = words.money;
  const { platformTradeLink } = useMe();
  const change = useAct('PATCH /user/me', { stale: ['GET /user/me'], said: skins.linkSaved });
  return (
    <Card title={skins.link}>
      <Form act={change} input={(f) => ({ body: { platformTradeLink: f.orNull('platformTradeLink') } })}>
        <Field
          name="platformTradeLink"
          label={skins.link}
          hint={skins.linkHint}
          type="url"
          maxLength={300}
          defaultValue={platformTradeLink ?? ''}
        />
      </Form>
    </Card>
  );
}

function Begin({ onBegun }: { onBegun: (start: SkinDepositStart) => void }) {
  const { skins } = words.money;
  const start = useAct('POST /payments/skins/deposit', { stale: ['GET /payments/deposit'] });
  const { currencyId } = useCurrency();
  const balances = useBalances();
  const ids = balances.data?.map((balance) => balance.currencyId) ?? [currencyId];
  return (
    <Card title={skins.begin}>
      <Form
        act={start}
        input={(f) => ({
          body: {
            currencyId: f.text('currencyId'),
            game: f.text('game') as keyof typeof GAMES,
            ...(f.text('minAmountUsd') ? { minAmountUsd: sumOf(f, 'minAmountUsd') } : {}),
          },
        })}
        submit={skins.begin}
        onDone={onBegun}
      >
        <Select
          name="game"
          label={skins.game}
          of={Object.entries(GAMES).map(([value, label]) => ({ value, label }))}
        />
        <Select
          name="currencyId"
          label={skins.currency}
          of={ids.map((id) => ({ value: id, label: id }))}
          defaultValue={currencyId}
        />
        <Sum name="minAmountUsd" label={skins.least} required={false} />
      </Form>
    </Card>
  );
}

/** The progress of a skin deposit. The link to the marketplace is shown until it expires. */
function Progress({ id, start }: { id: string; start: SkinDepositStart | undefined }) {
  const { skins } = words.money;
  const deposit = useRead('GET /payments/skins/deposit/{id}', { path: { id } }, { everyMs: 30_000 });
  return (
    <Card title={skins.last}>
      <div className="stack">
        {start?.depositId === id && (
          <p>
            <a href={start.url} target="_blank" rel="noreferrer" className="button main">
              {skins.open}
            </a>{' '}
            <small className="dim">
              {skins.until} <When at={start.expiresAt} />
            </small>
          </p>
        )}
        <Loaded of={deposit}>
          {(found) => (
            <>
              <Facts
                of={{
                  [words.money.history.state]: <State of={found.status} words={skins.states} />,
                  [words.money.history.usd]: <Usd of={found.usdAmount} />,
                  [skins.credited]: <Amount of={found.creditedAmount} in={found.currencyId} />,
                  [skins.hold]: <When at={found.holdUntil} />,
                }}
              />
              {found.failReason && <p className="refusal">{found.failReason}</p>}
              {found.items.length > 0 && (
                <Table
                  rows={found.items}
                  caption={skins.items}
                  columns={[
                    { head: skins.items, of: ({ name }) => name },
                    {
                      head: words.money.history.usd,
                      of: ({ priceUsd }) => <Usd of={priceUsd} />,
                      end: true,
                    },
                  ]}
                />
              )}
            </>
          )}
        </Loaded>
      </div>
    </Card>
  );
}
