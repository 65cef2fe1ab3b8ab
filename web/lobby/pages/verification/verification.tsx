import './verification.css';
import { useState } from 'react';
import type { KycSession, KycState, KycTier } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Icon, type IconName } from '../../../kit/icon.tsx';
import { Meter } from '../../../kit/measures.tsx';
import { Note } from '../../../kit/note.tsx';
import { Copy, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { State } from '../../state.tsx';
import { languageNow, words } from '../../words.ts';
import { PersonalDetails } from './personal-details.tsx';

const KYC = 'GET /kyc';
const LEVELS = 4;
const ICONS = {
  BASIC: 'user',
  IDENTITY: 'id-card',
  ADDRESS: 'map-pin-house',
  SOURCE_OF_FUNDS: 'landmark',
} as const satisfies Record<KycTier['tier'], IconName>;

/** Identity verification: the player enters personal data and then proves their identity with documents, one tier after another. */
export function Verification() {
  const { kyc } = words.money;
  const state = useRead(KYC, {});
  return (
    <Page title={kyc.title}>
      <div className="verification stack">
        <p className="dim">{kyc.hint}</p>
        <Loaded of={state} skeleton={<Waiting />}>
          {(known) => <Tiers of={known} />}
        </Loaded>
      </div>
    </Page>
  );
}

const Waiting = () => (
  <>
    <Skeleton height={74} />
    <Skeleton height={420} />
    <Skeleton height={96} />
    <Skeleton height={96} />
    <Skeleton height={96} />
  </>
);

/** True if the tier has not been started or may be submitted again. */
const isOpen = ({ status, canResubmit }: KycTier) => status === 'NONE' || canResubmit;

function Tiers({ of: { level, tiers, requiredFor } }: { of: KycState }) {
  const { kyc } = words.money;
  const basic = tiers.find(({ tier }) => tier === 'BASIC');
  const next = tiers.find(isOpen);
  return (
    <>
      {requiredFor.length > 0 && (
        <Note kind="warn">{kyc.requiredFor(requiredFor.map((what) => kyc.for[what] ?? what))}</Note>
      )}
      <section className="card stack tight">
        <p className="line between">
          <strong>{kyc.level(level)}</strong>
          <span className="faint sm">{kyc.levelHint}</span>
        </p>
        <Meter value={level} of={LEVELS} label={kyc.title} text={kyc.level(level)} kind="progress" />
      </section>
      {tiers.map((tier) => (
        <Tier key={tier.tier} of={tier} isBasicDone={basic?.status === 'APPROVED'} isNext={tier === next} />
      ))}
    </>
  );
}

/** One step with its status, and what the player can do about it. */
function Tier({ of, ...more }: { of: KycTier; isBasicDone: boolean; isNext: boolean }) {
  const { kyc } = words.money;
  const { tier, status, rejectLabels, moderationComment } = of;
  const why = [moderationComment, ...rejectLabels].filter(Boolean);
  const dates = {
    ...(of.submittedAt && { [kyc.submitted]: <When at={of.submittedAt} /> }),
    ...(of.decidedAt && { [kyc.decided]: <When at={of.decidedAt} /> }),
    ...(of.expiresAt && { [kyc.expires]: <When at={of.expiresAt} /> }),
  };
  return (
    <section className="card stack" aria-labelledby={`tier-${tier}`}>
      <header className="line tier">
        <Icon name={ICONS[tier]} size={22} />
        <div className="grow">
          <h2 id={`tier-${tier}`}>{kyc.tiers[tier]}</h2>
          <p className="dim sm">{kyc.about[tier]}</p>
        </div>
        <State of={status} words={kyc.states} />
      </header>
      {why.length > 0 && (
        <Note kind="warn">
          {why.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </Note>
      )}
      {Object.keys(dates).length > 0 && <Facts of={dates} />}
      {isOpen(of) && <Step tier={tier} {...more} />}
    </section>
  );
}

type StepProps = { tier: KycTier['tier']; isBasicDone: boolean; isNext: boolean };

function Step({ tier, isBasicDone, isNext }: StepProps) {
  if (tier === 'BASIC') return <PersonalDetails />;
  if (!isBasicDone) return <p className="faint sm">{words.money.kyc.basicFirst}</p>;
  return <Documents tier={tier} isNext={isNext} />;
}

/**
 * The documents are uploaded to the verification provider and not to the platform. The platform only creates the session with which the
 * provider's page is opened.
 */
function Documents({ tier, isNext }: { tier: Exclude<KycTier['tier'], 'BASIC'>; isNext: boolean }) {
  const { kyc } = words.money;
  const [session, setSession] = useState<KycSession>();
  const open = useAct('POST /kyc/session', { stale: [KYC], onDone: setSession });
  if (!session)
    return (
      <div className="actions">
        <ActButton
          act={open}
          input={{ body: { tier, language: languageNow() } }}
          icon="upload"
          {...(isNext && { kind: 'main' })}
        >
          {kyc.upload}
        </ActButton>
      </div>
    );
  return (
    <div role="status" className="stack">
      <Note kind="good">{kyc.opened}</Note>
      <Facts
        of={{
          [kyc.provider]: session.provider,
          [kyc.applicant]: session.applicantId,
          [kyc.levelName]: session.levelName,
          [kyc.expires]: <When at={session.expiresAt} />,
        }}
      />
      <div>
        <p className="dim sm">{kyc.token}</p>
        <Copy text={session.accessToken} label={kyc.copyToken} />
      </div>
    </div>
  );
}
