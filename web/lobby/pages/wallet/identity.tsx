import { useState } from 'react';
import type { Country, KycSession, KycState, KycTier } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ActButton, Field, Form, Select } from '../../../kit/form.tsx';
import { Card, Copy, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { State } from '../../state.tsx';
import { languageNow, words } from '../../words.ts';
import { WalletTabs } from './parts.tsx';

const KYC = 'GET /kyc';
const CHANGED = [KYC, 'GET /payments/withdraw/eligibility', 'GET /user/me'] as const;
type Gender = 'MALE' | 'FEMALE' | 'OTHER';

/** Identity verification: the player enters personal data and then proves their identity with documents, one tier after another. */
export function Identity() {
  const { kyc } = words.money;
  const state = useRead(KYC, {});
  return (
    <Page title={kyc.title} filters={<WalletTabs />} of={state}>
      {(known) => <Tiers of={known} />}
    </Page>
  );
}

/** True if the tier has not been started or may be submitted again. */
const isOpen = ({ status, canResubmit }: KycTier) => status === 'NONE' || canResubmit;

function Tiers({ of: { level, tiers, requiredFor } }: { of: KycState }) {
  const { kyc } = words.money;
  const basic = tiers.find(({ tier }) => tier === 'BASIC');
  return (
    <div className="stack">
      <p>{kyc.hint}</p>
      {requiredFor.length > 0 && (
        <p className="refusal">{kyc.requiredFor(requiredFor.map((what) => kyc.for[what] ?? what))}</p>
      )}
      <p>{kyc.level(level)}</p>
      {basic && isOpen(basic) && (
        <Card title={kyc.tiers.BASIC}>
          <Basic />
        </Card>
      )}
      <div className="cards">
        {tiers.map((tier) => (
          <Tier key={tier.tier} of={tier} isStated={basic?.status === 'APPROVED'} />
        ))}
      </div>
    </div>
  );
}

function Tier({ of, isStated }: { of: KycTier; isStated: boolean }) {
  const { kyc } = words.money;
  const { tier, status, rejectLabels, moderationComment } = of;
  return (
    <Card title={kyc.tiers[tier]}>
      <div className="stack">
        <p className="dim">{kyc.about[tier]}</p>
        <Facts
          of={{
            [kyc.state]: <State of={status} words={kyc.states} />,
            ...(of.submittedAt && { [kyc.submitted]: <When at={of.submittedAt} /> }),
            ...(of.decidedAt && { [kyc.decided]: <When at={of.decidedAt} /> }),
            ...(of.expiresAt && { [kyc.expires]: <When at={of.expiresAt} /> }),
          }}
        />
        {(moderationComment || rejectLabels.length > 0) && (
          <p>{[moderationComment, ...rejectLabels].filter(Boolean).join(' · ')}</p>
        )}
        {tier !== 'BASIC' && isOpen(of) && (isStated ? <Documents tier={tier} /> : <p>{kyc.basicFirst}</p>)}
      </div>
    </Card>
  );
}

/**
 * The documents are uploaded to the verification provider and not to the platform. The platform only creates the session with which the
 * provider's page is opened.
 */
function Documents({ tier }: { tier: Exclude<KycTier['tier'], 'BASIC'> }) {
  const { kyc } = words.money;
  const [session, setSession] = useState<KycSession>();
  const open = useAct('POST /kyc/session', { stale: [KYC], onDone: setSession });
  if (!session)
    return (
      <div className="actions">
        <ActButton act={open} input={{ body: { tier, language: languageNow() } }} kind="main">
          {kyc.open}
        </ActButton>
      </div>
    );
  return (
    <div role="status">
      <p>{kyc.opened}</p>
      <Facts
        of={{
          [kyc.provider]: session.provider,
          [kyc.applicant]: session.applicantId,
          [kyc.levelName]: session.levelName,
          [kyc.expires]: <When at={session.expiresAt} />,
        }}
      />
      <p className="dim">{kyc.token}</p>
      <Copy text={session.accessToken} />
    </div>
  );
}

function Basic() {
  const { kyc } = words.money;
  const countries = useRead('GET /country', { query: { take: 300 } }, { staleMs: Number.POSITIVE_INFINITY });
  const send = useAct('POST /kyc/basic', { stale: CHANGED, said: kyc.sent });
  return (
    <Loaded of={countries}>
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
          <PersonFields countries={data} />
        </Form>
      )}
    </Loaded>
  );
}

function PersonFields({ countries }: { countries: readonly Country[] }) {
  const { kyc } = words.money;
  const { country } = useMe();
  return (
    <>
      <p className="dim">{kyc.basicHint}</p>
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
        <Select
          name="country"
          label={kyc.country}
          of={countries
            .filter((one) => !one.isBlocked)
            .map(({ code, name }) => ({ value: code, label: name }))}
          none={words.money.deposit.choose}
          defaultValue={country ?? ''}
          required
        />
        <Field name="city" label={kyc.city} autoComplete="address-level2" required maxLength={100} />
        <Field name="address" label={kyc.address} autoComplete="street-address" required maxLength={200} />
        <Field name="postalCode" label={kyc.postalCode} autoComplete="postal-code" required maxLength={20} />
        <Select
          name="gender"
          label={kyc.gender}
          of={Object.entries(kyc.genders).map(([value, label]) => ({ value, label }))}
          none={kyc.unsaid}
        />
        <Field name="phonePrefix" label={kyc.phonePrefix} placeholder="+49" maxLength={8} />
        <Field name="phone" label={kyc.phone} type="tel" autoComplete="tel-national" maxLength={20} />
      </div>
    </>
  );
}
