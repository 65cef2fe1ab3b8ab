import './movement.css';
import { useState } from 'react';
import type { SkinDepositStart } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { AmountInput } from '../../../kit/form/amount-field.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Fields, Form } from '../../../kit/form/form.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { moment } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Facts, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { ownInTab } from '../../own.ts';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';
import { useCoin } from './coin.ts';
import { CoinPick, Options, useMethods } from './parts.tsx';

const GAMES = { cs2: 'Counter-Strike 2', dota2: 'Dota 2', rust: 'Rust', tf2: 'Team Fortress 2' } as const;
type Game = keyof typeof GAMES;
const KEY = 'skinDeposit';

/** Deposits by selling skins of other games on the marketplace. They are credited once the marketplace confirms the sale. */
export function Skins() {
  const { skins } = words.money;
  const methods = useMethods('DEPOSIT');
  const [started, setStarted] = useState<SkinDepositStart>();
  const [last, setLast] = useState(() => ownInTab.get(KEY));
  const begun = (start: SkinDepositStart) => {
    ownInTab.set(KEY, start.depositId);
    setStarted(start);
    setLast(start.depositId);
  };
  return (
    <>
      <p className="dim">{skins.hint}</p>
      {last && <Sale key={last} id={last} start={started} />}
      <TradeLink />
      <Loaded of={methods} skeleton={<Skeleton height={240} />}>
        {(all) => (
          <Begin
            currencies={all.filter(({ type }) => type === 'SKINS').map(({ currencyId }) => currencyId)}
            onBegun={begun}
          />
        )}
      </Loaded>
    </>
  );
}

/** The link by which the marketplace sends its trade offer. Once it is saved, it is folded away. */
function TradeLink() {
  const { skins } = words.money;
  const { platformTradeLink } = useMe();
  const change = useAct('PATCH /user/me', { stale: ['GET /user/me'], said: skins.linkSaved });
  return (
    <details className="movement" open={platformTradeLink === null}>
      <summary>
        <Icon name="link" />
        <strong>{skins.link}</strong>
        <span className="faint sm name">{platformTradeLink}</span>
        <Icon name="chevron-down" size={16} />
      </summary>
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
    </details>
  );
}

type BeginProps = { currencies: readonly string[]; onBegun: (start: SkinDepositStart) => void };

function Begin({ currencies, onBegun }: BeginProps) {
  const { skins } = words.money;
  const start = useAct('POST /payments/skins/deposit', { stale: ['GET /payments/deposit'], onDone: onBegun });
  const { coin, choose } = useCoin(currencies);
  const [game, setGame] = useState<Game>('cs2');
  const [least, setLeast] = useState('');
  if (coin === undefined) return null;
  return (
    <Fields
      refused={start.refused}
      fieldOf={{ AMOUNT_OUT_OF_RANGE: 'minAmountUsd' }}
      onSend={() =>
        void start.run({ body: { currencyId: coin, game, ...(least && { minAmountUsd: least }) } })
      }
    >
      <Options label={skins.game} of={GAMES} value={game} onChange={setGame} />
      <CoinPick
        label={skins.currency}
        of={Object.fromEntries(currencies.map((id) => [id, undefined]))}
        value={coin}
        onChange={choose}
      />
      <AmountInput name="minAmountUsd" label={skins.least} value={least} onChange={setLeast} currency="USD" />
      <Note icon="clock">{skins.hold}</Note>
      <Button type="submit" kind="main" size="lg" isWide isBusy={start.isBusy}>
        {skins.begin}
      </Button>
    </Fields>
  );
}

/** The progress of a sale. The link to the marketplace is shown until it expires. */
function Sale({ id, start }: { id: string; start: SkinDepositStart | undefined }) {
  const { skins, history } = words.money;
  const deposit = useRead('GET /payments/skins/deposit/{id}', { path: { id } }, { everyMs: 30_000 });
  return (
    <section className="well stack">
      <Loaded of={deposit} skeleton={<Skeleton height={72} />}>
        {(sale) => (
          <>
            <header className="line between">
              <h3>{skins.last}</h3>
              <State of={sale.status} words={history.states} />
            </header>
            {sale.failReason && <Note kind="bad">{sale.failReason}</Note>}
            <Facts
              isRows
              of={{
                ...(sale.usdAmount !== null && { [skins.value]: <Usd of={sale.usdAmount} /> }),
                ...(sale.creditedAmount !== null && {
                  [skins.credited]: <Amount of={sale.creditedAmount} in={sale.currencyId} />,
                }),
                ...(sale.holdUntil !== null && { [skins.heldUntil]: <When at={sale.holdUntil} /> }),
                ...Object.fromEntries(
                  sale.items.map(({ name, priceUsd }) => [name, <Usd key={name} of={priceUsd} />]),
                ),
              }}
            />
          </>
        )}
      </Loaded>
      {start?.depositId === id && (
        <>
          <a href={start.url} target="_blank" rel="noreferrer" className="button main wide">
            {skins.open} <Icon name="external-link" size={16} />
          </a>
          <p className="faint sm">{skins.until(moment(start.expiresAt))}</p>
        </>
      )}
    </section>
  );
}
