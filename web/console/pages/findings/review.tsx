import type { Op, ProviderFinding } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { Card, Facts, Status, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { FormButton } from '../../form-button.tsx';
import { Player } from '../../review/player.tsx';
import { reviewPage } from '../../review/review-page.tsx';
import { type DecisionProps, queuesBy } from '../../review/spec.ts';
import { Trail } from '../../review/trail.tsx';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { MONEY, STALE as STALE_USER } from '../user/shared.ts';
import { FactsOf, LIST } from './facts.tsx';

const APPLY = 'POST /admin/casino/findings/{id}/apply';
const CLOSE = 'POST /admin/casino/findings/{id}/close';
const APPLIED: readonly Op[] = [LIST, 'POST /admin/bets', ...STALE_USER, ...MONEY];

const PAGE = { page: 1, take: 100 } as const;
const oldest = queuesBy({ ...PAGE, sortOrder: 'asc' });
const newest = queuesBy({ ...PAGE, sortOrder: 'desc' }, 'Newest first');

export const FindingReview = reviewPage<typeof LIST, ProviderFinding>({
  title: 'Alerts',
  path: '/findings',
  op: LIST,
  queues: [oldest('Open', 'OPEN'), newest('Applied', 'APPLIED'), newest('Closed', 'CLOSED')],
  rowOf: (finding) => ({
    id: finding.id,
    name: words(finding.kind),
    about: `${finding.provider} · ${finding.subject}`,
    at: finding.createdAt,
    text: `${finding.provider} ${finding.subject} ${finding.user?.username ?? ''}`,
  }),
  empty: 'No open alerts',
  search: 'Alert, provider or player',
  useCase: (id) => {
    const one = useRead(LIST, { query: { id, page: 1, take: 1 } });
    return { ...one, data: one.data && (one.data.data[0] ?? null) };
  },
  headingOf: (finding) => ({
    picture: <Icon name="triangle-alert" size={32} />,
    title: words(finding.kind),
    about: (
      <>
        <span>{finding.provider}</span>
        <span>{finding.subject}</span>
        {finding.user && <UserLink of={finding.user} />}
        <span>
          Found <When at={finding.createdAt} />
        </span>
      </>
    ),
    badges: <Status of={finding.status} />,
  }),
  Body: ({ of }) => (
    <>
      <Waiting of={['finding.apply']} about={{ findingId: of.id }} />
      <Card title="Details">
        <FactsOf of={of.facts} />
      </Card>
    </>
  ),
  Side: ({ of }) => (
    <>
      {of.decidedBy && (
        <Trail
          title="Decision"
          of={[
            {
              name: `${of.decidedBy.username}: ${words(of.status).toLowerCase()}`,
              by: of.decidedBy,
              about: of.reason ?? <When at={of.decidedAt} />,
            },
          ]}
        />
      )}
      {of.user && <Player of={of.user} />}
    </>
  ),
  decides: () => [APPLY, CLOSE],
  Decision,
});

function Decision({ of: finding, onDone }: DecisionProps<ProviderFinding>) {
  const { id, status } = finding;
  const apply = useAct(APPLY, {
    stale: APPLIED,
    said: 'Alert applied',
    onDone,
  });
  if (status !== 'OPEN') return <span className="dim">{words(status)}. Nothing to decide.</span>;
  return (
    <>
      <FormButton op={CLOSE} label="Close…" title="Close this alert?" icon="x" hotkey="r" onDone={onDone}>
        {(close) => <CloseForm id={id} onDone={close} />}
      </FormButton>
      <span className="grow" />
      <ActButton
        act={apply}
        input={{ path: { id } }}
        kind="main"
        icon="check"
        hotkey="a"
        confirm="Book the provider’s figures?"
        tells={
          <>
            <Facts isRows of={{ Player: finding.user?.username, Provider: finding.provider }} />
            <FactsOf of={finding.facts} isRows />
          </>
        }
      >
        Apply alert
      </ActButton>
    </>
  );
}

function CloseForm({ id, onDone }: { id: string; onDone: () => void }) {
  const close = useAct(CLOSE, { stale: [LIST], said: 'Alert closed', onDone });
  return (
    <Form
      act={close}
      input={(f) => ({ path: { id }, body: { reason: f.text('reason') } })}
      submit="Close alert"
    >
      <p className="dim">Our books stay as they are.</p>
      <TextArea name="reason" label="Reason" required maxLength={500} />
    </Form>
  );
}
