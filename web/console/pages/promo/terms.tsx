import { useState } from 'react';
import type { PromoAdmin, PromoUpdateRequest } from '../../../../client/call.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Field, Group, TextArea } from '../../../kit/form/field.tsx';
import { type Filled, localTime } from '../../../kit/form/read.ts';
import { Select } from '../../../kit/form/select.tsx';
import { ConditionFields, conditionsOf } from './conditions.tsx';

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

/** The form fields of the terms. `of`: the promotion, whose current values the fields show. */
export function Terms({ of }: { of?: PromoAdmin }) {
  return (
    <>
      <TextArea
        name="description"
        label="Description (shown to players)"
        defaultValue={of?.description ?? ''}
        maxLength={2000}
      />
      <RewardFields of={of?.reward} />
      <Group label="Wagering and time">
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
        <Select name="wagerBase" label="Wagering of" of={BASES} defaultValue={of?.wagerBase} />
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
        <Field
          name="startAt"
          label="Starts"
          type="datetime-local"
          defaultValue={localTime(of?.startAt) ?? ''}
        />
        <Field name="endAt" label="Ends" type="datetime-local" defaultValue={localTime(of?.endAt) ?? ''} />
      </Group>
      <Group label="Budget">
        <Field
          name="maxGrants"
          label="Grant limit"
          type="number"
          min={1}
          max={2_147_483_647}
          defaultValue={of?.budget.maxGrants ?? ''}
        />
        <AmountField name="maxTotalUsd" label="Budget (USD)" defaultValue={of?.budget.maxTotalUsd ?? ''} />
      </Group>
      <ConditionFields of={of?.conditions ?? {}} />
    </>
  );
}

function RewardFields({ of }: { of: Reward | undefined }) {
  const [kind, setKind] = useState<string>(of?.kind ?? 'BONUS');
  return (
    <Group label="Reward">
      <Select name="kind" label="Reward type" of={KINDS} value={kind} onChange={setKind} />
      <Field
        name="currencyId"
        label="Currency"
        defaultValue={of?.currencyId ?? 'USDT'}
        required
        maxLength={16}
      />
      {kind === 'FREE_SPINS' ? (
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
            label="Value of each (USD)"
            defaultValue={of?.freeSpinValueUsd ?? ''}
            required
          />
          <Field
            name="gameSlug"
            label="Game (slug)"
            defaultValue={of?.gameSlug ?? ''}
            required
            maxLength={64}
          />
        </>
      ) : (
        <>
          <AmountField name="amount" label="Amount" defaultValue={of?.amount ?? ''} />
          {kind === 'BONUS' && (
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
              <AmountField
                name="maxAmount"
                label="Up to (with a percentage)"
                defaultValue={of?.maxAmount ?? ''}
              />
            </>
          )}
        </>
      )}
    </Group>
  );
}
