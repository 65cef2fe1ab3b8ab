import { useState } from 'react';
import type { PromoAdmin, PromoUpdateRequest } from '../../../../client/call.ts';
import {
  AmountField,
  Check,
  type Choice,
  Field,
  type Filled,
  Group,
  localTime,
  Select,
  TextArea,
} from '../../../kit/form.tsx';

type Reward = PromoAdmin['reward'];
type Conditions = PromoAdmin['conditions'];
const KINDS = ['BONUS', 'CASH', 'FREE_SPINS'] as const;
const TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;
const BASES: readonly Choice[] = [
  { value: 'BONUS', label: 'the bonus' },
  { value: 'DEPOSIT_AND_BONUS', label: 'the deposit and the bonus' },
];

/** Every term as the operations take it; what is empty is taken away. */
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

const conditionsOf = (f: Filled): Conditions => ({
  minDepositUsd: f.orNull('minDepositUsd'),
  depositSumUsd: f.orNull('depositSumUsd'),
  depositWindowDays: f.optionalNumber('depositWindowDays') ?? null,
  turnoverUsd: f.orNull('turnoverUsd'),
  turnoverWindowDays: f.optionalNumber('turnoverWindowDays') ?? null,
  registeredFrom: f.moment('registeredFrom') ?? null,
  registeredTo: f.moment('registeredTo') ?? null,
  affiliateCodes: f.list('affiliateCodes'),
  emailVerified: f.flag('emailVerified'),
  kycTier: f.orNull('kycTier') as Conditions['kycTier'],
  minVipLevel: f.optionalNumber('minVipLevel') ?? null,
  minAccountAgeDays: f.optionalNumber('minAccountAgeDays') ?? null,
  countriesAllow: f.list('countriesAllow'),
  countriesDeny: f.list('countriesDeny'),
  onePerIp: f.flag('onePerIp'),
  onePerDevice: f.flag('onePerDevice'),
});

/** The fields of the terms; `of`: what they are now. */
export function Terms({ of }: { of?: PromoAdmin }) {
  return (
    <>
      <TextArea
        name="description"
        label="Description, for players"
        defaultValue={of?.description ?? ''}
        maxLength={2000}
      />
      <RewardFields of={of?.reward} />
      <Group label="Wagering and time">
        <Field
          name="wagerMultiplier"
          label="To be wagered, times"
          type="number"
          min={0}
          max={1000}
          step={0.01}
          defaultValue={of?.wagerMultiplier ?? 30}
          required
        />
        <Select name="wagerBase" label="Times of" of={BASES} defaultValue={of?.wagerBase} />
        <AmountField
          name="maxBetUsd"
          label="Largest stake with it, in USD"
          defaultValue={of?.maxBetUsd ?? ''}
        />
        <Field
          name="maxWithdrawalMultiplier"
          label="Becomes cash up to, times"
          type="number"
          min={0}
          max={100_000}
          step={0.01}
          defaultValue={of?.maxWithdrawalMultiplier ?? ''}
        />
        <Field
          name="validityHours"
          label="Valid for, hours"
          type="number"
          min={1}
          max={87_600}
          defaultValue={of?.validityHours ?? ''}
        />
        <Field
          name="startAt"
          label="Begins"
          type="datetime-local"
          defaultValue={localTime(of?.startAt) ?? ''}
        />
        <Field name="endAt" label="Ends" type="datetime-local" defaultValue={localTime(of?.endAt) ?? ''} />
      </Group>
      <Group label="Budget">
        <Field
          name="maxGrants"
          label="Most grants"
          type="number"
          min={1}
          max={2_147_483_647}
          defaultValue={of?.budget.maxGrants ?? ''}
        />
        <AmountField
          name="maxTotalUsd"
          label="Most in all, in USD"
          defaultValue={of?.budget.maxTotalUsd ?? ''}
        />
      </Group>
      <ConditionFields of={of?.conditions ?? {}} />
    </>
  );
}

function RewardFields({ of }: { of: Reward | undefined }) {
  const [kind, setKind] = useState<string>(of?.kind ?? 'BONUS');
  return (
    <Group label="Reward">
      <Select
        name="kind"
        label="What"
        of={KINDS}
        value={kind}
        onChange={(event) => setKind(event.target.value)}
      />
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
            label="How many"
            type="number"
            min={1}
            max={10_000}
            defaultValue={of?.freeSpins ?? ''}
            required
          />
          <AmountField
            name="freeSpinValueUsd"
            label="Worth of each, in USD"
            defaultValue={of?.freeSpinValueUsd ?? ''}
            required
          />
          <Field
            name="gameSlug"
            label="Game (its slug)"
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

const DAYS = { type: 'number', min: 1, max: 3650 } as const;
const LIST = 'apart by commas';

function ConditionFields({ of: c }: { of: Conditions }) {
  return (
    <Group label="Who may have it; what is empty is not asked for">
      <AmountField
        name="minDepositUsd"
        label="A deposit of at least, in USD"
        defaultValue={c.minDepositUsd ?? ''}
      />
      <AmountField
        name="depositSumUsd"
        label="Deposits in all, in USD"
        defaultValue={c.depositSumUsd ?? ''}
      />
      <Field
        name="depositWindowDays"
        label="Within days (deposits)"
        {...DAYS}
        defaultValue={c.depositWindowDays ?? ''}
      />
      <AmountField name="turnoverUsd" label="Wagered in all, in USD" defaultValue={c.turnoverUsd ?? ''} />
      <Field
        name="turnoverWindowDays"
        label="Within days (wagered)"
        {...DAYS}
        defaultValue={c.turnoverWindowDays ?? ''}
      />
      <Field
        name="registeredFrom"
        label="Signed up from"
        type="datetime-local"
        defaultValue={localTime(c.registeredFrom) ?? ''}
      />
      <Field
        name="registeredTo"
        label="Signed up until"
        type="datetime-local"
        defaultValue={localTime(c.registeredTo) ?? ''}
      />
      <Field
        name="minAccountAgeDays"
        label="Days since sign-up"
        type="number"
        min={0}
        max={3650}
        defaultValue={c.minAccountAgeDays ?? ''}
      />
      <Field
        name="minVipLevel"
        label="VIP level from"
        type="number"
        min={0}
        max={100}
        defaultValue={c.minVipLevel ?? ''}
      />
      <Select
        name="kycTier"
        label="Proof of identity"
        of={TIERS}
        none="none needed"
        defaultValue={c.kycTier ?? ''}
      />
      <Field
        name="affiliateCodes"
        label="Came with one of the codes"
        hint={LIST}
        defaultValue={c.affiliateCodes?.join(', ') ?? ''}
      />
      <Field
        name="countriesAllow"
        label="Only countries"
        hint={LIST}
        placeholder="DE, AT"
        defaultValue={c.countriesAllow?.join(', ') ?? ''}
      />
      <Field
        name="countriesDeny"
        label="Not countries"
        hint={LIST}
        defaultValue={c.countriesDeny?.join(', ') ?? ''}
      />
      <div>
        <Check name="emailVerified" label="E-mail is verified" defaultChecked={c.emailVerified ?? false} />
        <Check name="onePerIp" label="One for each address" defaultChecked={c.onePerIp ?? false} />
        <Check name="onePerDevice" label="One for each device" defaultChecked={c.onePerDevice ?? false} />
      </div>
    </Group>
  );
}
