import { useState } from 'react';
import type { PromoAdmin, PromoUpdateRequest } from '../../../../client/call.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { type Filled, localTime } from '../../../kit/form/read.ts';
import { Select } from '../../../kit/form/select.tsx';
import { GameField } from '../../game-fields.tsx';
import { useCurrencies } from '../choices.ts';
import { ConditionFields, conditionsOf } from './conditions.tsx';
import type { Draft } from './cost.ts';
import { Part } from './part.tsx';

type Reward = PromoAdmin['reward'];
const KINDS = ['BONUS', 'CASH', 'FREE_SPINS'] as const;
const BASES: readonly Choice[] = [
  { value: 'BONUS', label: 'Bonus' },
  { value: 'DEPOSIT_AND_BONUS', label: 'Deposit and bonus' },
];

/** Returns all terms in the format that the API expects. An empty field removes the term. */
export const termsOf = (f: Filled) =>
  ({
    reward: {
      kind: f.text('kind') as Reward['kind'],
      currencyId: f.text('currencyId'),
      amount: f.orNull('amount'),
      percent: f.optionalNumber('percent') ?? null,
      maxAmount: f.orNull('maxAmount'),
      freeSpins: f.optionalNumber('freeSpins') ?? null,
      freeSpinValueUsd: f.orNull('freeSpinValueUsd'),
      gameSlug: f.orNull('gameSlug'),
    },
    wagerMultiplier: f.number('wagerMultiplier'),
    wagerBase: f.text('wagerBase') as PromoAdmin['wagerBase'],
    maxBetUsd: f.orNull('maxBetUsd'),
    maxWithdrawalMultiplier: f.optionalNumber('maxWithdrawalMultiplier') ?? null,
    validityHours: f.optionalNumber('validityHours') ?? null,
    startAt: f.moment('startAt') ?? null,
    endAt: f.moment('endAt') ?? null,
    budget: {
      maxGrants: f.optionalNumber('maxGrants') ?? null,
      maxTotalUsd: f.orNull('maxTotalUsd'),
    },
    conditions: conditionsOf(f),
  }) satisfies PromoUpdateRequest;

type TermsProps = {
  /** The promotion, whose current values the fields show. */
  of?: PromoAdmin;
  /** Called when a list changes. */
  onPick: () => void;
};

/** `draft`: the terms that staff have typed so far. */
type AllTermsProps = TermsProps & { draft: Draft | undefined };

/** The form fields of the terms, in sections. */
export function Terms({ of, onPick, draft }: AllTermsProps) {
  return (
    <>
      <RewardFields of={of?.reward} gameName={of?.gameNames?.[of.reward.gameSlug ?? '']} onPick={onPick} />
      <Wagering of={of} onPick={onPick} />
      <Part title="When" about="In your time zone. An empty field sets no limit.">
        <Field
          name="startAt"
          label="Starts"
          type="datetime-local"
          defaultValue={localTime(of?.startAt) ?? ''}
        />
        <Field name="endAt" label="Ends" type="datetime-local" defaultValue={localTime(of?.endAt) ?? ''} />
      </Part>
      <Part title="Budget" about="Bounds what the promotion can cost.">
        <Field
          name="maxGrants"
          label="Grant limit"
          type="number"
          min={1}
          max={2_147_483_647}
          defaultValue={of?.budget.maxGrants ?? ''}
        />
        <AmountField name="maxTotalUsd" label="Budget (USD)" defaultValue={of?.budget.maxTotalUsd ?? ''} />
      </Part>
      <ConditionFields of={of?.conditions ?? {}} draft={draft} />
    </>
  );
}

/** The text of the card that players see. */
export const DescriptionField = ({ of }: { of?: PromoAdmin }) => (
  <div className="whole">
    <TextArea
      name="description"
      label="Description (shown to players)"
      defaultValue={of?.description ?? ''}
      maxLength={2000}
      rows={2}
    />
  </div>
);

function Wagering({ of, onPick }: TermsProps) {
  return (
    <Part title="Wagering" about="When bonus money becomes cash.">
      <Field
        name="wagerMultiplier"
        label="Wagering multiplier"
        type="number"
        min={0}
        max={1000}
        step={0.01}
        defaultValue={of?.wagerMultiplier ?? 30}
        required
      />
      <Select
        name="wagerBase"
        label="Wagering of"
        of={BASES}
        defaultValue={of?.wagerBase}
        onChange={onPick}
      />
      <AmountField name="maxBetUsd" label="Max bet (USD)" defaultValue={of?.maxBetUsd ?? ''} />
      <Field
        name="maxWithdrawalMultiplier"
        label="Max conversion multiplier"
        type="number"
        min={0}
        max={100_000}
        step={0.01}
        defaultValue={of?.maxWithdrawalMultiplier ?? ''}
      />
      <Field
        name="validityHours"
        label="Valid for (hours)"
        type="number"
        min={1}
        max={87_600}
        defaultValue={of?.validityHours ?? ''}
      />
    </Part>
  );
}

type RewardProps = { of: Reward | undefined; gameName: string | undefined; onPick: () => void };

function RewardFields({ of, gameName, onPick }: RewardProps) {
  const [kind, setKind] = useState<string>(of?.kind ?? 'BONUS');
  return (
    <Part title="Reward" about="Bonus money stays apart from cash.">
      <Select
        name="kind"
        label="Reward type"
        of={KINDS}
        value={kind}
        onChange={(chosen) => {
          setKind(chosen);
          onPick();
        }}
      />
      <CurrencyField value={of?.currencyId ?? 'USDT'} onPick={onPick} />
      {kind === 'FREE_SPINS' ? (
        <SpinFields of={of} gameName={gameName} onPick={onPick} />
      ) : (
        <AmountFields of={of} hasPercent={kind === 'BONUS'} />
      )}
    </Part>
  );
}

function CurrencyField({ value, onPick }: { value: string; onPick: () => void }) {
  const known = useCurrencies();
  const isKnown = known.some((one) => typeof one !== 'string' && one.value === value);
  return (
    <Select
      name="currencyId"
      label="Currency"
      of={isKnown ? known : [{ value, label: value }, ...known]}
      defaultValue={value}
      onChange={onPick}
    />
  );
}

const SpinFields = ({ of, gameName, onPick }: RewardProps) => (
  <>
    <Field
      name="freeSpins"
      label="Number of spins"
      type="number"
      min={1}
      max={10_000}
      defaultValue={of?.freeSpins ?? ''}
      required
    />
    <AmountField
      name="freeSpinValueUsd"
      label="Value per spin (USD)"
      defaultValue={of?.freeSpinValueUsd ?? ''}
      required
    />
    <GameField
      name="gameSlug"
      label="Game"
      value={of?.gameSlug ?? ''}
      shown={gameName}
      required
      isForFreeSpins
      onPick={onPick}
    />
  </>
);

const AmountFields = ({ of, hasPercent }: { of: Reward | undefined; hasPercent: boolean }) => (
  <>
    <AmountField name="amount" label="Amount" defaultValue={of?.amount ?? ''} />
    {hasPercent && (
      <>
        <Field
          name="percent"
          label="Or percent of the next deposit"
          type="number"
          min={0.01}
          max={1000}
          step={0.01}
          defaultValue={of?.percent ?? ''}
        />
        <AmountField name="maxAmount" label="Up to (with a percentage)" defaultValue={of?.maxAmount ?? ''} />
      </>
    )}
  </>
);
