import './panel.css';
import { useState } from 'react';
import { AmountInput } from '../../../kit/form/amount-field.tsx';
import { FieldProblems } from '../../../kit/form/check.ts';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { Imported, lazily } from '../../../kit/load.tsx';
import { useOptionalMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';
import { isAutoClosed, loadSeries } from './auto.ts';
import type { Ended } from './levels.ts';
import { LimitLeft, LimitReached } from './limits.tsx';
import { MainButton } from './main-button.tsx';
import { Keys, Messages, Profit } from './panel-parts.tsx';
import { profitAt } from './stake.ts';
import { type BetPanelProps, usePanel } from './use-panel.ts';

/** Loaded when the Auto tab is first opened. */
const AutoFields = lazily(async () => {
  const [{ AutoFields: Fields }] = await Promise.all([import('./auto-fields.tsx'), loadSeries()]);
  return Fields;
});

/** The bet panel of all games: manual and autoplay, bet amount, the game's fields, the main button and the tightest limit. */
export const BetPanel = <B extends Ended>(props: BetPanelProps<B>) =>
  useOptionalMe() ? <PlayerPanel {...props} /> : <VisitorPanel {...props} />;

/** The panel for visitors. They can set the fields, and sign up. */
function VisitorPanel<B extends Ended>({ total, multiplier, children }: BetPanelProps<B>) {
  const [typed, setTyped] = useState('1.00');
  const betAmount = total ?? typed;
  return (
    <div className="panel">
      <AmountInput
        name="betAmount"
        label={words.table.amount}
        currency="USD"
        value={betAmount}
        disabled={total !== undefined}
        onChange={setTyped}
        {...(total === undefined && { buttons: 'bet' })}
      />
      <div className="choices">{children}</div>
      {multiplier !== undefined && <Profit usd={profitAt(betAmount, multiplier)} />}
      <MainButton isVisitor />
    </div>
  );
}

function PlayerPanel<B extends Ended>(props: BetPanelProps<B>) {
  const { moves, total, multiplier, auto, children } = props;
  const panel = usePanel(props);
  const { bet, amount, series, isAuto, isFixed, limit } = panel;
  const problems = new Map(amount.problem ? [['betAmount', amount.problem]] : []);
  return (
    <form
      className="panel"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        panel.press();
      }}
    >
      {auto && !isAutoClosed.get() && (
        <Segmented
          label={words.table.mode}
          of={{ manual: words.table.manual, auto: words.table.auto }}
          value={isAuto ? 'auto' : 'manual'}
          disabled={isFixed || bet.phase !== 'ready'}
          onChange={(mode) => panel.setAuto(mode === 'auto')}
        />
      )}
      <FieldProblems value={problems}>
        <AmountInput
          name="betAmount"
          label={words.table.amount}
          right={amount.inCurrency}
          currency="USD"
          value={amount.betAmount}
          disabled={isFixed || total !== undefined}
          onChange={panel.change}
          {...(total === undefined && { buttons: 'bet' })}
        />
      </FieldProblems>
      <fieldset className="choices" disabled={isFixed}>
        {children}
      </fieldset>
      {multiplier !== undefined && <Profit usd={profitAt(amount.betAmount, multiplier)} />}
      <Imported>{isAuto && <AutoFields onPlan={panel.setPlan} isLocked={isFixed} />}</Imported>
      <Messages bet={bet} series={isAuto ? series : undefined} />
      {panel.stopped && <LimitReached of={panel.stopped} />}
      {moves === undefined ? (
        <MainButton
          {...props}
          bet={bet}
          series={isAuto ? series : undefined}
          isOff={panel.isOff}
          why={panel.why}
          isShort={amount.isShort}
        />
      ) : (
        <div className="bet moves">{moves}</div>
      )}
      <Keys of={panel.keys} />
      {limit && <LimitLeft of={limit} />}
    </form>
  );
}
