import type { ComponentProps, ReactNode } from 'react';
import type { Refused } from '../../../../client/call.ts';
import { formatUnits, type Units } from '../../../../src/platform/money.ts';
import { Coin } from '../../../kit/amount.tsx';
import { Kbd } from '../../../kit/figures.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { figures, money } from '../../../kit/intl.ts';
import { Note, Refusal } from '../../../kit/note.tsx';
import { words } from '../../words.ts';
import { type Hotkey, shownKey, useHotkeysOn } from './hotkeys.ts';
import type { Bet } from './use-bet.ts';

type Series = {
  refused: Refused | undefined;
  tally: { left: number; net: Units; isAway: boolean; end?: string | undefined } | undefined;
};

/** Messages about the last bet or the series of bets: an error, an unknown outcome, or the progress of the series. */
export function Messages({ bet, series }: { bet: Bet; series: Series | undefined }) {
  const refused = series?.refused ?? bet.refused;
  const tally = series?.tally;
  return (
    <>
      {bet.phase === 'unknown' && <Note kind="warn">{words.table.unknown}</Note>}
      {refused && <Refusal of={refused} />}
      {tally?.isAway && <Note kind="warn">{words.table.away}</Note>}
      {tally && (
        <p className="tally line between sm">
          <span>{tally.end ?? words.auto.left(tally.left)}</span>
          <b>{words.auto.net(signedUsd(tally.net))}</b>
        </p>
      )}
    </>
  );
}

export const signedUsd = (net: Units): string =>
  money(`${net < 0n ? '-' : ''}${formatUnits(net < 0n ? -net : net)}`, 'USD', true);

/** The hotkeys, while they are on. */
export function Keys({ of }: { of: readonly Hotkey[] }) {
  if (!useHotkeysOn()) return null;
  const texts = [...new Set(of.map(({ text }) => text))];
  return (
    <ul className="keys" aria-label={words.table.hotkeys}>
      {texts.map((text) => (
        <li key={text}>
          {of
            .filter((one) => one.text === text)
            .map(({ key }) => (
              <Kbd key={key}>{shownKey(key)}</Kbd>
            ))}{' '}
          {text}
        </li>
      ))}
    </ul>
  );
}

/** The profit of a win. */
export const Profit = ({ usd }: { usd: string | undefined }) => (
  <Figure label={words.table.profit}>
    <Coin of="USD" />
    <b>{usd === undefined ? '–' : figures(usd, 'USD')}</b>
  </Figure>
);

/** A figure that the player cannot change. */
export const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="field">
    <span>{label}</span>
    <span className="input still">{children}</span>
  </div>
);

type ChoiceProps<T extends string> = ComponentProps<typeof Segmented<T>> & { hint?: string | undefined };

/** A choice of two to four options, with its label above and a hint below. */
export const Choice = <T extends string>({ hint, ...choice }: ChoiceProps<T>) => (
  <div className="field">
    <span aria-hidden="true">{choice.label}</span>
    <Segmented {...choice} />
    {hint && <small className="hint">{hint}</small>}
  </div>
);
