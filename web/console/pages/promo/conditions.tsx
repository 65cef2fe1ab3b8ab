import type { PromoAdmin } from '../../../../client/call.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { type Filled, localTime } from '../../../kit/form/read.ts';
import { Select } from '../../../kit/form/select.tsx';
import { Note } from '../../../kit/note.tsx';
import { ChoicesField } from '../../many-field.tsx';
import { useCountries } from '../choices.ts';
import type { Draft } from './cost.ts';
import { countedDeposit, isWithoutDeposit, WITHOUT_DEPOSIT } from './deposit.ts';
import { Part } from './part.tsx';

type Conditions = PromoAdmin['conditions'];
const TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;

/** Returns all conditions in the format that the API expects. An empty field means that there is no such condition. */
export const conditionsOf = (f: Filled): Conditions => ({
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

const DAYS = { type: 'number', min: 1, max: 3650 } as const;
const LIST = 'comma-separated';

type ConditionProps = {
  of: Conditions;
  /** The terms that staff have typed so far. */
  draft: Draft | undefined;
};

export function ConditionFields({ of: c, draft }: ConditionProps) {
  const countries = useCountries();
  return (
    <Part title="Who gets it" about="Empty fields are not checked.">
      {draft && isWithoutDeposit(draft) && (
        <div className="whole">
          <Note kind="warn">{WITHOUT_DEPOSIT} Set a minimum deposit to require one.</Note>
        </div>
      )}
      <AmountField
        name="minDepositUsd"
        label="Min deposit (USD)"
        hint={`Counts ${countedDeposit(draft?.reward)}`}
        defaultValue={c.minDepositUsd ?? ''}
      />
      <AmountField name="depositSumUsd" label="Total deposits (USD)" defaultValue={c.depositSumUsd ?? ''} />
      <Field
        name="depositWindowDays"
        label="Deposits within days"
        {...DAYS}
        defaultValue={c.depositWindowDays ?? ''}
      />
      <AmountField name="turnoverUsd" label="Total wagered (USD)" defaultValue={c.turnoverUsd ?? ''} />
      <Field
        name="turnoverWindowDays"
        label="Wagered within days"
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
        label="Verification"
        of={TIERS}
        none="none needed"
        defaultValue={c.kycTier ?? ''}
      />
      <Field
        name="affiliateCodes"
        label="Referral codes"
        hint={LIST}
        defaultValue={c.affiliateCodes?.join(', ') ?? ''}
      />
      <ChoicesField
        name="countriesAllow"
        label="Allowed countries"
        value={c.countriesAllow}
        choices={countries}
      />
      <ChoicesField
        name="countriesDeny"
        label="Excluded countries"
        value={c.countriesDeny}
        choices={countries}
      />
      <div>
        <Check name="emailVerified" label="Email verified" defaultChecked={c.emailVerified ?? false} />
        <Check name="onePerIp" label="One per IP address" defaultChecked={c.onePerIp ?? false} />
        <Check name="onePerDevice" label="One per device" defaultChecked={c.onePerDevice ?? false} />
      </div>
    </Part>
  );
}
