import '../games/play/fair/fair.css';
import './fairness.css';
import type { FairnessChain, RevealedSeedPair } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { useFilters } from '../../kit/filters.ts';
import { Icon } from '../../kit/icon.tsx';
import { number } from '../../kit/intl.ts';
import { List } from '../../kit/list.tsx';
import { Card, Copy, Empty, Loaded, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { useOptionalMe } from '../../kit/session.tsx';
import { type Columns, Table } from '../../kit/table.tsx';
import { useOverlayLink } from '../frame/overlay.ts';
import { SeedsTab } from '../games/play/fair/seeds.tsx';
import { words } from '../words.ts';

/** How results are proven, and for players their seeds and those that the server has revealed. */
export function FairnessPage() {
  const isIn = useOptionalMe() !== undefined;
  return (
    <Page title={words.fair.title}>
      <div className="fairness-page fair">
        <Card title={words.proofs.how}>
          <How />
        </Card>
        <Card title={words.proofs.inForce}>{isIn ? <SeedsTab /> : <SignIn />}</Card>
        {isIn && <Revealed />}
        {isIn && <Chains />}
      </div>
    </Page>
  );
}

const How = () => (
  <div className="stack">
    <p className="dim">{words.proofs.about}</p>
    <ol className="steps">
      {words.proof.steps.map(({ title, text }, index) => (
        <li key={title}>
          <span className="count quiet" aria-hidden="true">
            {number(index + 1)}
          </span>
          <div>
            <b>{title}</b>
            <p className="sm dim">{text}</p>
          </div>
        </li>
      ))}
    </ol>
    <div className="actions">
      <a className="button" href="/verify" target="_blank" rel="noreferrer">
        <Icon name="external-link" />
        {words.proofs.verifier}
      </a>
      <span className="sm dim">{words.proofs.verifierHint}</span>
    </div>
  </div>
);

function SignIn() {
  const link = useOverlayLink();
  return (
    <Empty
      action={
        <ButtonLink to={link('account', 'sign-in')} kind="main">
          {words.entry.signIn}
        </ButtonLink>
      }
    >
      {words.proofs.signIn}
    </Empty>
  );
}

const pairs = (): Columns<RevealedSeedPair> => [
  { head: words.proofs.revealedAt, of: ({ rotatedAt }) => <When at={rotatedAt} />, isMain: true },
  {
    head: words.proofs.lastNonce,
    of: ({ lastNonce }) => number(lastNonce),
    end: true,
    isMain: true,
  },
  { head: words.proofs.seed, of: ({ serverSeed }) => <Copy text={serverSeed} />, wide: true },
  { head: words.fair.commitment, of: ({ serverSeedHash }) => <Copy text={serverSeedHash} />, wide: true },
  { head: words.fair.yours, of: ({ clientSeed }) => <Copy text={clientSeed} />, wide: true },
];

function Revealed() {
  const { page, toPage } = useFilters({});
  const history = useRead('GET /fairness/seeds/history', { query: { page, take: 20 } });
  const t = words.proofs;
  return (
    <section className="whole">
      <h2>{t.history}</h2>
      <List
        of={history}
        columns={pairs()}
        caption={t.history}
        onPage={toPage}
        empty={<Empty title={t.historyNone}>{t.historyNoneHint}</Empty>}
      />
    </section>
  );
}

const chains = (): Columns<FairnessChain> => [
  { head: words.proofs.published, of: ({ publishedAt }) => <When at={publishedAt} />, isMain: true },
  {
    head: words.proofs.played,
    of: ({ played, length }) => words.proofs.playedOf(played, length),
    end: true,
    isMain: true,
  },
  { head: words.proofs.chainCommitment, of: ({ commitment }) => <Copy text={commitment} />, wide: true },
  {
    head: words.proofs.publicSeed,
    of: ({ publicSeed }) =>
      publicSeed ? <Copy text={publicSeed} /> : <span className="dim">{words.proofs.notYet}</span>,
    wide: true,
  },
  { head: words.proofs.block, of: ({ blockHeight }) => blockHeight, end: true },
];

function Chains() {
  const all = useRead('GET /fairness/chains', {});
  const t = words.proofs;
  return (
    <section className="whole">
      <h2>{t.chains}</h2>
      <p className="dim">{t.chainsAbout}</p>
      <Loaded of={all}>
        {(found) => (
          <Table rows={found} columns={chains()} caption={t.chains} keyOf={({ commitment }) => commitment} />
        )}
      </Loaded>
    </section>
  );
}
