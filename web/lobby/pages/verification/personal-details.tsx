import { useState } from 'react';
import type { Country } from '../../../../client/call.ts';
import { Skeleton } from '../../../kit/figures.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { Pick } from '../../../kit/pick/pick.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';

const CHANGED = ['GET /kyc', 'GET /payments/withdraw/eligibility', 'GET /user/me'] as const;
type Gender = 'MALE' | 'FEMALE' | 'OTHER';

/** Who the player is, as the player states it. */
export function PersonalDetails() {
  const { kyc } = words.money;
  const countries = useRead('GET /country', { query: { take: 300 } }, { staleMs: Number.POSITIVE_INFINITY });
  const send = useAct('POST /kyc/basic', { stale: CHANGED, said: kyc.sent });
  return (
    <Loaded of={countries} skeleton={<Skeleton height={360} />}>
      {({ data }) => (
        <Form
          act={send}
          input={(f) => ({
            body: {
              firstName: f.text('firstName'),
              lastName: f.text('lastName'),
              birthDate: f.text('birthDate'),
              country: f.text('country'),
              city: f.text('city'),
              address: f.text('address'),
              postalCode: f.text('postalCode'),
              gender: f.optional('gender') as Gender | undefined,
              phonePrefix: f.optional('phonePrefix'),
              phone: f.optional('phone'),
            },
          })}
          submit={kyc.send}
        >
          <p className="dim sm">{kyc.basicHint}</p>
          <PersonFields countries={data} />
        </Form>
      )}
    </Loaded>
  );
}

function PersonFields({ countries }: { countries: readonly Country[] }) {
  const { kyc } = words.money;
  const me = useMe();
  const [country, setCountry] = useState(me.country ?? '');
  const [gender, setGender] = useState('');
  const dialCode = countries.find(({ code }) => code === country)?.dialCode;
  return (
    <div className="group">
      <Field name="firstName" label={kyc.firstName} autoComplete="given-name" required maxLength={100} />
      <Field name="lastName" label={kyc.lastName} autoComplete="family-name" required maxLength={100} />
      <Field
        name="birthDate"
        label={kyc.birthDate}
        type="date"
        autoComplete="bday"
        min="1900-01-01"
        required
      />
      <Pick
        name="country"
        label={kyc.country}
        options={countries
          .filter((one) => !one.isBlocked)
          .map(({ code, name }) => ({ value: code, text: name }))}
        value={country}
        onChange={setCountry}
        placeholder={kyc.choose}
        required
      />
      <Field name="city" label={kyc.city} autoComplete="address-level2" required maxLength={100} />
      <Field name="address" label={kyc.address} autoComplete="street-address" required maxLength={200} />
      <Field name="postalCode" label={kyc.postalCode} autoComplete="postal-code" required maxLength={20} />
      <Pick
        name="gender"
        label={kyc.gender}
        options={[
          { value: '', text: kyc.unsaid },
          ...Object.entries(kyc.genders).map(([value, text]) => ({ value, text })),
        ]}
        value={gender}
        onChange={setGender}
      />
      <Field
        name="phonePrefix"
        label={kyc.phonePrefix}
        placeholder={dialCode && `+${dialCode}`}
        maxLength={8}
      />
      <Field name="phone" label={kyc.phone} type="tel" autoComplete="tel-national" maxLength={20} />
    </div>
  );
}
