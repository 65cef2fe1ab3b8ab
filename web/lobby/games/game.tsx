import { type ReactNode, useState } from 'react';
import { Facts, Loaded, Page, Refusal } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
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
  children: ReactNode;
};

/** A game: a stage that only draws, the panel beside it, and how to check what it has drawn. */
export function Game({ name, panel, said, betId, children }: GameProps) {
  return (
    <Page title={words.games[name]}>
      <div className={`game ${name}`}>
        <section className="stage card" aria-label={words.play.stage}>
          {children}
          <p className="said" role="status">
            {said || ' '}
          </p>
        </section>
        {panel}
        <Fairness betId={betId} />
      </div>
    </Page>
  );
}

/** The commitment before, the proof after. */
function Fairness({ betId }: { betId: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card fairness" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.fair.title}</summary>
      {isOpen && <Seeds />}
      {betId && <CheckBet key={betId} betId={betId} />}
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
    stale: ['GET /fairness/seeds'],
    said: words.fair.rotated,
  });
  return (
    <Loaded of={seeds}>
      {({ serverSeedHash, nextServerSeedHash, clientSeed, nonce }) => (
        <div className="stack">
          <Facts
            of={{
              [words.fair.commitment]: <code>{serverSeedHash}</code>,
              [words.fair.next]: <code>{nextServerSeedHash}</code>,
              [words.fair.yours]: <code>{clientSeed}</code>,
              [words.fair.nonce]: nonce,
            }}
          />
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              const clientSeed = String(new FormData(event.currentTarget).get('clientSeed')).trim();
              void rotate.run({ body: clientSeed ? { clientSeed } : {} });
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
