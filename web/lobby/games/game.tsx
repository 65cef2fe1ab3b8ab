import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Facts, Loaded, Page, Refusal } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { drawClientSeed } from '../client-seed.ts';
import { Notice } from '../excluded.tsx';
import { useExclusion } from '../exclusion.ts';
import { words } from '../words.ts';

export type GameName = keyof typeof words.games;

type GameProps = {
  name: GameName;
  /** The stake and what is chosen. */
  panel: ReactNode;
  /** The outcome in words, for everybody: it is read out. */
  said: string;
  /** The bet that was played last, to check. */
  betId?: string | undefined;
  /** Of games with rounds: whether one is open. */
  round?: Round;
  /** What chance was bound to before, where that is not the player's own seeds. */
  commitment?: ReactNode;
  children: ReactNode;
};

type Round = 'unknown' | 'open' | 'none';
export const roundOf = (isAsking: boolean, isOpen: boolean): Round =>
  isOpen ? 'open' : isAsking ? 'unknown' : 'none';

/** A game: a stage that only draws, the panel beside it, and how to check what it has drawn. */
export function Game({ name, panel, said, betId, round, commitment = <Seeds />, children }: GameProps) {
  const excluded = useExclusion();
  // Whoever is excluded may finish a round. Of one that has just ended the outcome stays to be seen.
  const isOver = excluded !== undefined && round === 'none';
  if (isOver && said === '')
    return (
      <Page title={words.notice.title}>
        <Notice of={excluded} />
      </Page>
    );
  return (
    <Page title={isOver ? words.notice.title : words.games[name]}>
      {excluded && !isOver && <p className="problem">{words.notice.finish}</p>}
      <div className={`game ${name}`}>
        <section className="stage card" aria-label={words.play.stage}>
          {children}
          <p className="said" role="status">
            {said || ' '}
          </p>
        </section>
        {isOver ? <Notice of={excluded} /> : panel}
        <Fairness betId={betId} commitment={commitment} />
      </div>
    </Page>
  );
}

/** The commitment before, the proof after. */
function Fairness({ betId, commitment }: { betId: string | undefined; commitment: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card fairness" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.fair.title}</summary>
      {isOpen && commitment}
      {isOpen && betId && <CheckBet key={betId} betId={betId} />}
    </details>
  );
}

/** Opens the verifier with all that it asks for. A seed that is in force is not known yet: the commitment is. */
export function CheckBet({ betId }: { betId: string }) {
  const bet = useRead('GET /fairness/bets/{betId}', { path: { betId } });
  return (
    <Loaded of={bet}>
      {(found) => (
        <p>
          {found.round === null && found.serverSeed === null && (
            <span className="dim">{words.fair.notYet} </span>
          )}
          <a
            href={`/verify#${new URLSearchParams({ bet: JSON.stringify(found) })}`}
            target="_blank"
            rel="noreferrer"
          >
            {words.fair.check}
          </a>
        </p>
      )}
    </Loaded>
  );
}

/** The seeds in force, and how to take others. */
export function Seeds() {
  const seeds = useRead('GET /fairness/seeds', {});
  const rotate = useAct('POST /fairness/seeds/rotate', {
    stale: ['GET /fairness/seeds', 'GET /fairness/seeds/history', 'GET /fairness/bets/{betId}'],
    said: words.fair.rotated,
  });
  return (
    <Loaded of={seeds}>
      {({ serverSeedHash, nextServerSeedHash, clientSeed, clientSeedOrigin, nonce }) => (
        <div className="stack">
          <Facts
            of={{
              [words.fair.commitment]: <code>{serverSeedHash}</code>,
              [words.fair.next]: <code>{nextServerSeedHash}</code>,
              [clientSeedOrigin === 'PLAYER' ? words.fair.yours : words.fair.drawnByServer]: (
                <code>{clientSeed}</code>
              ),
              [words.fair.nonce]: nonce,
            }}
          />
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              const typed = String(new FormData(event.currentTarget).get('clientSeed')).trim();
              void rotate.run({ body: { clientSeed: typed || drawClientSeed() } });
            }}
          >
            <label className="field">
              <span>{words.fair.newSeed}</span>
              <input name="clientSeed" maxLength={64} autoComplete="off" />
            </label>
            {rotate.refused && <Refusal of={rotate.refused} />}
            {rotate.answered && (
              <p>
                {words.fair.revealed} <code>{rotate.answered.revealed.serverSeed}</code>
              </p>
            )}
            <button type="submit" disabled={rotate.isBusy}>
              {words.fair.rotate}
            </button>
          </form>
        </div>
      )}
    </Loaded>
  );
}

/** Of a round that everybody shares: what its seed was bound to, and where the whole chain is. */
export const RoundCommitment = ({ seedHash }: { seedHash: string | undefined }) => (
  <div className="stack">
    <Facts of={{ [words.fair.round]: seedHash === undefined ? null : <code>{seedHash}</code> }} />
    <p className="dim">
      {words.fair.chain} <Link href="/fairness">{words.fair.title}</Link>
    </p>
  </div>
);
