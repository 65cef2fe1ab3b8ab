import './promo.css';
import { useState } from 'react';
import { Amount } from '../../../kit/amount.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { money, number, percent, plural, unit } from '../../../kit/intl.ts';
import { Card, Facts } from '../../../kit/page.tsx';
import { WhoApproves } from './approval.tsx';
import { GrantBound, TotalBound } from './bounds.tsx';
import { type Draft, isLimited } from './cost.ts';
import { Reward } from './reward.tsx';
import { grantLabelOf, useCost } from './use-cost.ts';

/** Next to the terms: the card that players see, and what the promotion can cost. */
export const Beside = ({ of: draft }: { of: Draft }) => (
  <aside className="promo-side" aria-label="Preview and cost">
    <Preview of={draft} />
    <CostCard of={draft} />
  </aside>
);

function Preview({ of: draft }: { of: Draft }) {
  const [theme, setTheme] = useState<'dark' | 'light'>('dark');
  return (
    <Card
      title="What players see"
      actions={
        <Segmented
          label="Lobby theme"
          of={{ dark: 'Dark', light: 'Light' }}
          value={theme}
          onChange={setTheme}
        />
      }
    >
      <OfferCard of={draft} theme={theme} />
      {(draft.type === 'CODE' || draft.type === 'MANUAL') && (
        <p className="dim sm">
          {draft.type === 'CODE'
            ? 'The lobby does not list it. Players get it with a code.'
            : 'The lobby does not list it. Players get it when staff grant it.'}
        </p>
      )}
    </Card>
  );
}

/** The lobby's card of an offer in the lobby's colours. Its button does nothing. */
function OfferCard({ of: draft, theme }: { of: Draft; theme: 'dark' | 'light' }) {
  return (
    <article className={`offer-card ${theme}`} aria-label="Offer card">
      <header className="line">
        <span className="in-square">
          <Icon name={draft.reward.kind === 'FREE_SPINS' ? 'sparkles' : 'gift'} size={20} />
        </span>
        <h3 className="grow">{draft.name || 'Name of the promotion'}</h3>
        {draft.endAt !== null && (
          <Badge icon="timer">
            <Countdown to={draft.endAt} over="Ended" />
          </Badge>
        )}
      </header>
      <p className="big-figure">{headlineOf(draft)}</p>
      {draft.description && <p className="as-written">{draft.description}</p>}
      <p className="sm">{summaryOf(draft).join(' · ')}</p>
      <span className="claim" aria-hidden="true">
        Claim
      </span>
    </article>
  );
}

function headlineOf({ reward }: Draft): string {
  const { kind, amount, percent: share, maxAmount, currencyId, freeSpins } = reward;
  if (kind === 'FREE_SPINS') return plural(freeSpins ?? 0, { one: '# free spin', other: '# free spins' });
  if (amount) return money(amount, currencyId);
  if (share === null || share === undefined) return '–';
  return maxAmount ? `${percent(share)} up to ${money(maxAmount, currencyId)}` : `${percent(share)} bonus`;
}

/** The terms that the card shows. */
function summaryOf({ conditions, wagerMultiplier: times, validityHours: hours }: Draft): string[] {
  return [
    conditions.minDepositUsd && `Min. deposit ${money(conditions.minDepositUsd)}`,
    times === 0 ? 'No wagering' : `Wager ${number(times)}×`,
    hours && `Valid for ${hours % 24 === 0 ? unit(hours / 24, 'day', 'long') : unit(hours, 'hour', 'long')}`,
  ].filter((text) => typeof text === 'string' && text !== '') as string[];
}

function CostCard({ of: draft }: { of: Draft }) {
  const cost = useCost()(draft);
  const { cash } = cost;
  return (
    <Card title="What it can cost">
      <Facts
        isRows
        of={{
          Reward: <Reward of={draft} />,
          [grantLabelOf(draft)]: <GrantBound of={cost} />,
          ...(draft.reward.kind === 'BONUS' && {
            'Becomes cash, at most': cash ? <Amount of={cash.amount} in={cash.currencyId} /> : 'No limit',
          }),
          'All grants, at most': <TotalBound of={cost} />,
        }}
      />
      {isLimited(draft.budget) && (
        <p className="dim sm">
          An upper bound at the current exchange rate, not a forecast: it assumes that every grant is claimed
          in full.
        </p>
      )}
      <WhoApproves of={draft} />
      {draft.reward.kind === 'FREE_SPINS' && (
        <p className="dim sm">Free spins count with their bets. Winnings can be higher.</p>
      )}
    </Card>
  );
}
