import { Link } from 'wouter';
import type { HouseGameConfig } from '../../../../client/call.ts';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { Card, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { Changes } from '../../changes.tsx';
import { changedIn } from '../../differences.ts';
import { HOUSE_GAMES, type HouseGame } from './choices.ts';
import { OnOff } from './games.tsx';
import { Returns } from './returns.tsx';

const SETTINGS = 'GET /admin/casino/games/house/settings';
const STALE = [SETTINGS, 'GET /admin/casino/games/{slug}', 'GET /admin/casino/games/all'] as const;

/** The house games, each with its stake and payout limits, an on/off switch and its actual RTP. */
export function HouseGames({ params }: { params: { game?: string } }) {
  const settings = useRead(SETTINGS, {});
  const game = HOUSE_GAMES.find((one) => one === params.game) ?? HOUSE_GAMES[0];
  return (
    <Page title="Originals" of={settings}>
      {(all) => (
        <>
          <Tabs
            label="Originals"
            of={Object.fromEntries(
              HOUSE_GAMES.map((one) => [
                `${words(one.replace('-', ' '))}${all[one]?.enabled ? '' : ' ✕'}`,
                one === HOUSE_GAMES[0] ? '/house-games' : `/house-games/${one}`,
              ]),
            )}
          />
          <div className="stack" key={game}>
            <div className="cards">
              <Settings game={game} of={all[game] ?? {}} />
              <KillSwitch game={game} enabled={all[game]?.enabled === true} />
            </div>
            <Returns slug={game} />
          </div>
        </>
      )}
    </Page>
  );
}

type Limits = { label: string; min?: number; max?: number; step: string };
const MS = { step: '1', min: 0, max: 60_000 };

/** Settings of the house games and the limits that the server enforces. */
const FIELDS: Readonly<Record<string, Limits>> = {
  minBet: { label: 'Min bet (USD)', step: 'any', min: 0 },
  maxBet: { label: 'Max bet (USD)', step: 'any', min: 0 },
  maxProfit: { label: 'Max profit (USD)', step: 'any', min: 0 },
  rtp: { label: 'RTP in %, from 80 to 99.9', step: '0.01', min: 80, max: 99.9 },
  minMultiplier: { label: 'Lowest multiplier, from 1.01', step: 'any', min: 1.01 },
  maxMultiplier: { label: 'Highest multiplier', step: 'any', min: 2, max: 1_000_000 },
  manualMs: { label: 'Time between balls, manual (ms)', ...MS },
  autoMs: { label: 'Time between balls, autoplay (ms)', ...MS },
};
const TIMES: Readonly<Record<string, Limits>> = {
  bettingMs: { label: 'Betting time (ms)', step: '1', min: 3000, max: 120_000 },
  waitingMs: { label: 'Time before the draw (ms)', ...MS },
  resultMs: { label: 'Result time (ms)', step: '1', min: 1000, max: 60_000 },
};
/** Games whose RTP is a setting. The RTP of the other games follows from their rules. */
const HAS_RTP: ReadonlySet<string> = new Set(['dice', 'limbo', 'mines', 'monkey-run']);

type Numbers = Readonly<Record<string, number>>;

/** Returns the changed settings with their old and new values. */
function changed(before: HouseGameConfig, f: Filled): { from: Numbers; to: Numbers; times: boolean } {
  const times = before.timeConfig as Numbers | undefined;
  const known: Numbers = { ...(before as Numbers), ...times };
  const names = [...Object.keys(FIELDS), ...Object.keys(TIMES)].filter(
    (name) => f.text(name) !== '' && Number(f.text(name)) !== known[name],
  );
  const pick = (of: (name: string) => number) => Object.fromEntries(names.map((name) => [name, of(name)]));
  return {
    from: pick((name) => known[name]!),
    to: pick(f.number),
    times: names.some((name) => Object.hasOwn(TIMES, name)),
  };
}

function Settings({ game, of: config }: { game: HouseGame; of: HouseGameConfig }) {
  const change = useAct('POST /admin/casino/games/house/settings', { stale: STALE, said: 'Settings saved' });
  const known: Numbers = { ...(config as Numbers), ...(config.timeConfig as Numbers | undefined) };
  const input = (f: Filled) => {
    const { to, times } = changed(config, f);
    const plain = Object.fromEntries(Object.entries(to).filter(([name]) => Object.hasOwn(FIELDS, name)));
    if (!times) return { body: { [game]: plain } };
    const timeConfig = Object.fromEntries(
      Object.keys(TIMES).map((name) => [name, to[name] ?? known[name]]),
    ) as NonNullable<HouseGameConfig['timeConfig']>;
    return { body: { [game]: { ...plain, timeConfig } } };
  };
  return (
    <Card
      title="Settings"
      actions={
        <>
          <OnOff of={config.enabled} />
          <Link href={`/games/${game}`}>In the catalogue</Link>
        </>
      }
    >
      <Form
        act={change}
        input={input}
        confirm="Change the settings for new rounds?"
        tells={({ body }) => {
          const { timeConfig, ...plain } = (body as Record<string, HouseGameConfig>)[game] ?? {};
          const after = { ...plain, ...timeConfig };
          return <Changes before={known} after={changedIn(known, after)} />;
        }}
      >
        {Object.entries({ ...FIELDS, ...TIMES })
          .filter(([name]) => known[name] !== undefined)
          .map(([name, { label, ...limits }]) => (
            <Field
              key={name}
              name={name}
              label={label}
              type="number"
              defaultValue={known[name]}
              required
              disabled={name === 'rtp' && !HAS_RTP.has(game)}
              hint={name === 'rtp' && !HAS_RTP.has(game) ? 'Set by the rules of the game' : undefined}
              {...limits}
            />
          ))}
      </Form>
    </Card>
  );
}

function KillSwitch({ game, enabled }: { game: HouseGame; enabled: boolean }) {
  const kill = useAct('POST /admin/casino/games/house/{game}/kill-switch', {
    stale: STALE,
    said: (state) =>
      state.enabled ? `Game disabled. Open rounds that can finish: ${state.openRounds}` : 'Game enabled',
  });
  return (
    <May op={kill.op}>
      <Card title={enabled ? 'Disable game' : 'Enable game'}>
        <p className="dim">
          {enabled ? 'Rejects new bets immediately. Open rounds can finish.' : 'The game rejects all bets.'}
        </p>
        <Form
          act={kill}
          input={(f) => ({ path: { game }, body: { enabled, reason: f.text('reason') } })}
          submit={enabled ? 'Disable game' : 'Enable game'}
          kind={enabled ? 'danger' : 'main'}
          confirm={enabled ? `Disable ${game} for all players?` : `Enable ${game} for all players?`}
          isEmptied
        >
          <Field name="reason" label="Reason (for the audit log)" required maxLength={500} />
        </Form>
      </Card>
    </May>
  );
}
