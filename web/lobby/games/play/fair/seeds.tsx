import { useState } from 'react';
import { Button } from '../../../../kit/button.tsx';
import { Field } from '../../../../kit/form/field.tsx';
import { Note, Refusal } from '../../../../kit/note.tsx';
import { Copy, Facts, Loaded } from '../../../../kit/page.tsx';
import { type Act, useAct, useRead } from '../../../../kit/query.ts';
import { drawClientSeed } from '../../../client-seed.ts';
import { words } from '../../../words.ts';

const MOST_SEED = 64;

/** The active seed pair, and a form that reveals it and begins the next one. */
export function SeedsTab() {
  const seeds = useRead('GET /fairness/seeds', {});
  const rotate = useAct('POST /fairness/seeds/rotate', {
    stale: ['GET /fairness/seeds', 'GET /fairness/seeds/history', 'GET /fairness/bets/{betId}'],
    said: words.fair.rotated,
  });
  const t = words.proof;
  return (
    <Loaded of={seeds}>
      {({ serverSeedHash, nextServerSeedHash, clientSeed, nonce, openRounds }) => (
        <>
          {rotate.answered && (
            <Note kind="good">
              <b>{t.revealed}</b>
              <Copy text={rotate.answered.revealed.serverSeed} />
            </Note>
          )}
          <Facts
            of={{
              [words.fair.commitment]: <Copy text={serverSeedHash} />,
              [words.fair.next]: <Copy text={nextServerSeedHash} />,
              [words.fair.yours]: <Copy text={clientSeed} />,
              [words.fair.nonce]: nonce,
            }}
          />
          <NextSeed nonce={nonce} isOpen={openRounds.length > 0} rotate={rotate} />
        </>
      )}
    </Loaded>
  );
}

type NextSeedProps = { nonce: number; isOpen: boolean; rotate: Act<'POST /fairness/seeds/rotate'> };

/** Reveals the server seed, and begins a pair with the player's next seed. */
function NextSeed({ nonce, isOpen, rotate }: NextSeedProps) {
  const [typed, setTyped] = useState('');
  const t = words.proof;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void rotate.run({ body: { clientSeed: typed.trim() || drawClientSeed() } });
      }}
    >
      <Field
        name="clientSeed"
        label={t.nextSeed}
        right={t.bets(nonce)}
        hint={t.nextSeedHint}
        maxLength={MOST_SEED}
        value={typed}
        placeholder={t.random}
        onChange={(event) => setTyped(event.target.value)}
        end={
          <Button
            kind="ghost"
            size="sm"
            icon="shuffle"
            aria-label={t.shuffle}
            onClick={() => setTyped(drawClientSeed())}
          />
        }
      />
      {isOpen && <Note kind="warn">{t.open}</Note>}
      {rotate.refused && <Refusal of={rotate.refused} />}
      <Button type="submit" kind="main" icon="refresh-cw" isBusy={rotate.isBusy} disabled={isOpen}>
        {t.rotate}
      </Button>
    </form>
  );
}
