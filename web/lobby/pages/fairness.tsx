import type { FairnessChain, RevealedSeedPair } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Card, Loaded, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { type Columns, List, Table, useFilters } from '../../kit/table.tsx';
import { Seeds } from '../games/game.tsx';
import { words } from '../words.ts';

const pairs = (): Columns<RevealedSeedPair> => [
  { head: words.proofs.seed, of: ({ serverSeed }) => <code>{serverSeed}</code>, wide: true },
  { head: words.fair.commitment, of: ({ serverSeedHash }) => <code>{serverSeedHash}</code>, wide: true },
  { head: words.fair.yours, of: ({ clientSeed }) => <code>{clientSeed}</code>, wide: true },
  { head: words.proofs.lastNonce, of: ({ lastNonce }) => lastNonce, end: true },
  { head: words.proofs.revealedAt, of: ({ rotatedAt }) => <When at={rotatedAt} /> },
];

const chains = (): Columns<FairnessChain> => [
  { head: words.proofs.chainCommitment, of: ({ commitment }) => <code>{commitment}</code>, wide: true },
  { head: words.proofs.published, of: ({ publishedAt }) => <When at={publishedAt} /> },
  {
    head: words.proofs.publicSeed,
    of: ({ publicSeed }) => (publicSeed ? <code>{publicSeed}</code> : words.proofs.notYet),
    wide: true,
  },
  { head: words.proofs.block, of: ({ blockHeight }) => blockHeight, end: true },
  { head: words.proofs.played, of: ({ played, length }) => `${played} / ${length}`, end: true },
];

/** The hashes that the server published before the bets, and the seeds that it has revealed. */
export function FairnessPage() {
  const filters = useFilters({});
  const history = useRead('GET /fairness/seeds/history', { query: { page: filters.page, take: 20 } });
  const all = useRead('GET /fairness/chains', {});
  const t = words.proofs;
  return (
    <Page title={words.fair.title}>
      <div className="stack">
        <p>{t.about}</p>
        <p>
          <a href="/verify" target="_blank" rel="noreferrer">
            {t.verifier}
          </a>
        </p>
        <Card title={t.inForce}>
          <Seeds />
        </Card>
        <section>
          <h2>{t.history}</h2>
          <List of={history} columns={pairs()} caption={t.history} onPage={filters.toPage} />
        </section>
        <section>
          <h2>{t.chains}</h2>
          <p className="dim">{t.chainsAbout}</p>
          <Loaded of={all}>
            {(found) => (
              <Table
                rows={found}
                columns={chains()}
                caption={t.chains}
                keyOf={({ commitment }) => commitment}
              />
            )}
          </Loaded>
        </section>
      </div>
    </Page>
  );
}
