import type { LiveBetRow } from '../../../client/call.ts';
import { Amount, When } from '../../kit/amount.tsx';
import { Loaded, Page } from '../../kit/page.tsx';
import { queries, useRead } from '../../kit/query.ts';
import { type Columns, Table, useFilters } from '../../kit/table.tsx';
import { useRoom } from '../room.ts';
import { words } from '../words.ts';

const LIVE = 'GET /live-bets';
const MY = 'GET /live-bets/my';
const KINDS = ['ALL', 'HIGH_ROLLERS', 'LUCKY_WINS'] as const;
type Kind = (typeof KINDS)[number];
const ROWS = 50;
/** Refresh interval of the filtered lists, which no event updates. */
const AGAIN_MS = 10_000;

const ALL = { query: { type: 'ALL' as const, count: ROWS } };

/** The live feed of all players' bets. */
export function Live() {
  const { values, change } = useFilters({ of: 'ALL' });
  const t = words.live;
  const tabs = { ...Object.fromEntries(KINDS.map((kind) => [t.kinds[kind], kind])), [t.own]: 'MY' };
  const at = values.of;
  return (
    <Page title={words.menu.live}>
      <Kinds of={tabs} at={at} onChange={(of) => change({ of })} />
      {at === 'MY' ? <Own /> : <Everybody kind={KINDS.find((kind) => kind === at) ?? 'ALL'} />}
    </Page>
  );
}

type KindsProps = { of: Readonly<Record<string, string>>; at: string; onChange: (kind: string) => void };

function Kinds({ of, at, onChange }: KindsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields, not for buttons
    <div className="actions" role="group" aria-label={words.live.which}>
      {Object.entries(of).map(([label, value]) => (
        <button key={value} type="button" aria-pressed={at === value} onClick={() => onChange(value)}>
          {label}
        </button>
      ))}
    </div>
  );
}

function Everybody({ kind }: { kind: Kind }) {
  const input = { query: { type: kind, count: ROWS } };
  const list = useRead(LIVE, input, kind === 'ALL' ? {} : { everyMs: AGAIN_MS });
  useRoom('public', {
    'live-bets.new': ({ bets }) => {
      queries.setQueryData<LiveBetRow[]>([LIVE, ALL], (known) => {
        if (!known) return undefined;
        const fresh = bets.filter(({ id }) => known.every((row) => row.id !== id));
        return [...fresh, ...known].slice(0, ROWS);
      });
    },
  });
  return <Loaded of={list}>{(rows) => <Rows rows={rows} withPlayer />}</Loaded>;
}

function Own() {
  const list = useRead(MY, { query: { status: 'SETTLED', count: ROWS } });
  return <Loaded of={list}>{(rows) => <Rows rows={rows} />}</Loaded>;
}

function Rows({ rows, withPlayer = false }: { rows: readonly LiveBetRow[]; withPlayer?: boolean }) {
  return (
    <Table
      rows={rows}
      columns={withPlayer ? [...columns().slice(0, 1), player(), ...columns().slice(1)] : columns()}
      caption={words.menu.live}
      keyOf={({ id }) => id}
    />
  );
}

const player = (): Columns<LiveBetRow>[number] => ({
  head: words.live.player,
  of: ({ user, isSimulated }) => (
    <>
      {user?.username ?? words.live.hidden}
      {isSimulated && <small className="dim"> ({words.live.simulated})</small>}
    </>
  ),
});

const columns = (): Columns<LiveBetRow> => [
  { head: words.live.game, of: ({ gameIdentity }) => gameIdentity.name },
  { head: words.live.at, of: ({ updatedAt }) => <When at={updatedAt} /> },
  { head: words.live.stake, of: (b) => <Amount of={b.amount} in={b.currencyId} />, end: true },
  { head: '×', of: ({ multiplier }) => multiplier, end: true },
  { head: words.live.payout, of: (b) => <Amount of={b.payout} in={b.currencyId} />, end: true },
];
