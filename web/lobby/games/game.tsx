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
  /** The stake and the options of the bet. */
  panel: ReactNode;
  /** The outcome as text, which screen readers announce. */
  said: string;
  /** The last bet, which the player can verify. */
  betId?: string | undefined;
  /** For games with rounds: whether a round is open. */
  round?: Round;
  /** The commitment to the outcome, for games that do not use the player's own seeds. */
  commitment?: ReactNode;
  children: ReactNode;
};

type Round = 'unknown' | 'open' | 'none';
export const roundOf = (isAsking: boolean, isOpen: boolean): Round =>
  isOpen ? 'open' : isAsking ? 'unknown' : 'none';

/** The layout of a game: a stage that draws the outcome, the bet panel, and the verification. */
export function Game({ name, panel, said, betId, round, commitment = <Seeds />, children }: GameProps) {
  const excluded = useExclusion();
  // Excluded players may finish an open round. The outcome of a round that has just ended is still shown.
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

/** Shows the commitment before a bet, and after it a link to verify the outcome. */
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

/**
 * Opens the verifier with all inputs of the bet. For the active seed pair it passes only the hash of the server seed, because the seed is
 * not revealed yet.
 */
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

/** The active seeds, and a form to rotate them. */
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

/** The commitment of a shared round: the hash of its seed, and a link to the whole chain. */
export const RoundCommitment = ({ seedHash }: { seedHash: string | undefined }) => (
  <div className="stack">
    <Facts of={{ [words.fair.round]: seedHash === undefined ? null : <code>{seedHash}</code> }} />
    <p className="dim">
      {words.fair.chain} <Link href="/fairness">{words.fair.title}</Link>
    </p>
  </div>
);
