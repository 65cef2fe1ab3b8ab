import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { PromoAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Card, Facts, Loading, Page, Status, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { PromoCodes } from './codes.tsx';
import { GrantToPlayers } from './grant.tsx';
import { GrantList } from './grants.tsx';
import { Beside } from './preview.tsx';
import { Reward } from './reward.tsx';
import { AskToStart } from './start.tsx';
import { StatusEffect } from './status-effect.tsx';

const ONE = 'GET /admin/promo/{id}';
const LIST = 'GET /admin/promo';

const NEXT = {
  DRAFT: ['ACTIVE'],
  ACTIVE: ['PAUSED'],
  PAUSED: ['ACTIVE', 'ARCHIVED'],
  ARCHIVED: [],
} as const satisfies Record<PromoAdmin['status'], readonly PromoAdmin['status'][]>;
const STEPS = { ACTIVE: 'Start', PAUSED: 'Pause', ARCHIVED: 'Archive for good' } as const;

/** These forms are large, and most visits do not need them. */
const ChangeTerms = lazily(async () => (await import('./change.tsx')).ChangeTerms);
const PromoGames = lazily(async () => (await import('./games.tsx')).PromoGames);

/** Tabs of the page, by the last part of their URL. */
const PARTS: Readonly<Record<string, (promo: PromoAdmin) => ReactNode>> = {
  terms: (promo) => (
    <Imported fallback={<Loading />}>
      <ChangeTerms of={promo} />
    </Imported>
  ),
  games: (promo) => (
    <Imported fallback={<Loading />}>
      <PromoGames of={promo} />
    </Imported>
  ),
  codes: ({ id, type }) => <PromoCodes id={id} isRedeemed={type !== 'MANUAL'} />,
  grants: ({ id }) => <GrantList of={{ promoId: id }} />,
};

export function PromoPage({ params: { id = '', part = '' } }: { params: { id?: string; part?: string } }) {
  const one = useRead(ONE, { path: { id } });
  const at = `/promo/${id}`;
  const tabs = {
    Promotion: at,
    Terms: `${at}/terms`,
    Games: `${at}/games`,
    Codes: `${at}/codes`,
    Grants: `${at}/grants`,
  };
  return (
    <Page title={one.data?.name ?? 'Promotion'} of={one}>
      {(promo) => (
        <>
          <Tabs label="Parts of the promotion" of={tabs} />
          {PARTS[part]?.(promo) ?? <Summary of={promo} />}
        </>
      )}
    </Page>
  );
}

function Summary({ of: promo }: { of: PromoAdmin }) {
  const { id, stats, reward } = promo;
  return (
    <div className="promo-edit">
      <div className="stack">
        <Waiting of={['promo.start', 'promo.codes', 'promo.grant']} about={{ promoId: id }} />
        <AskToStart of={promo} />
        <Card title="Terms">
          <Facts
            of={{
              Status: <Status of={promo.status} />,
              Type: words(promo.type),
              Reward: <Reward of={reward} />,
              Wagering: `${promo.wagerMultiplier} × ${promo.wagerBase === 'BONUS' ? 'the bonus' : 'deposit and bonus'}`,
              'Max bet': <Usd of={promo.maxBetUsd} />,
              'Valid for': promo.validityHours && `${promo.validityHours} hours`,
              Begins: <When at={promo.startAt} />,
              Ends: <When at={promo.endAt} />,
              'Created by': <UserLink of={promo.createdBy} />,
              Created: <When at={promo.createdAt} />,
              Changed: <When at={promo.updatedAt} />,
              Description: promo.description || null,
            }}
          />
        </Card>
        {stats && (
          <Card title="Results">
            <Facts
              of={{
                Grants: stats.grants.toLocaleString('en'),
                'Grant limit': promo.budget.maxGrants?.toLocaleString('en'),
                'Held by players': <Usd of={stats.activeLiabilityUsd} />,
                Converted: <Usd of={stats.convertedUsd} />,
                Forfeited: <Usd of={stats.forfeitedUsd} />,
              }}
            />
          </Card>
        )}
        <div className="cards">
          <Step of={promo} />
          <GrantToPlayers of={promo} />
        </div>
      </div>
      <Beside of={promo} />
    </div>
  );
}

function Step({ of: promo }: { of: PromoAdmin }) {
  const { id, name, status } = promo;
  const [, goTo] = useLocation();
  const step = useAct('POST /admin/promo/{id}/status', { stale: [ONE, LIST], said: 'Status saved' });
  const remove = useAct('DELETE /admin/promo/{id}', {
    stale: [LIST],
    said: 'Promotion deleted',
    onDone: () => goTo('/promo', { replace: true }),
  });
  const steps = NEXT[status].map((value) => ({ value, label: STEPS[value] }));
  return (
    <May op={step.op}>
      <Card
        title="Status"
        actions={
          <ActButton act={remove} input={{ path: { id } }} kind="danger" confirm={`Delete “${name}”?`}>
            Delete
          </ActButton>
        }
      >
        {steps.length === 0 ? (
          <p className="dim">It is archived, which is final.</p>
        ) : (
          <Form
            key={status}
            act={step}
            input={(f) => ({
              path: { id },
              body: { status: f.text('status') as keyof typeof STEPS, reason: f.text('reason') },
            })}
            submit="Change status"
            confirm={`Change the status of “${name}”?`}
            tells={({ body }) => <StatusEffect of={promo} to={body.status} />}
            isEmptied
          >
            <Select name="status" label="New status" of={steps} />
            <TextArea name="reason" label="Reason" required maxLength={500} rows={2} />
          </Form>
        )}
      </Card>
    </May>
  );
}
