import { Link } from 'wouter';
import { Amount } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { clock, money, multiplier, percent, time } from '../../../kit/intl.ts';
import { Card, Empty, Facts } from '../../../kit/page.tsx';
import { useOptionalMe } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import type { Name } from './context.ts';
import { type Row, useMyBets } from './my-bets.ts';

const columns = (onProof: (betId: string) => void): Columns<Row> => [
  { head: words.table.time, of: ({ createdAt }) => <time dateTime={createdAt}>{time(createdAt)}</time> },
  {
    head: words.table.bet,
    of: ({ amount, currencyId }) => <Amount of={amount} in={currencyId} hasCoin />,
    end: true,
    isMain: true,
  },
  { head: words.table.multiplier, of: (bet) => multiplier(bet.multiplier), end: true, isMain: true },
  {
    head: words.table.payout,
    of: ({ payout, currencyId, multiplier: m }) => (
      <span className={m > 1 ? 'good' : 'dim'}>
        <Amount of={payout} in={currencyId} hasCoin />
      </span>
    ),
    end: true,
    isMain: true,
  },
  {
    head: words.table.fairness,
    of: ({ id, createdAt }) => (
      <Button
        kind="ghost"
        size="sm"
        icon="scale"
        title={words.table.verify}
        aria-label={words.table.check(clock(createdAt))}
        onClick={() => onProof(id)}
      >
        <span className="phone-only">{words.table.verify}</span>
      </Button>
    ),
    end: true,
  },
];

type MyBetsProps = { game: Name; onProof: (betId: string) => void };

function MyBets({ game, onProof }: MyBetsProps) {
  const rows = useMyBets(game);
  const t = words.table;
  return (
    <Card
      title={t.myBets}
      actions={
        <Link href="/bets" className="link sm">
          {t.allBets}
        </Link>
      }
    >
      {rows.length === 0 ? (
        <Empty art="no-bets" title={t.noBets}>
          {t.noBetsHint}
        </Empty>
      ) : (
        <Table caption={t.myBets} rows={rows} columns={columns(onProof)} keyOf={({ id }) => id} />
      )}
    </Card>
  );
}

export type GameConfig = { minBet: number; maxBet: number; maxProfit: number; rtp?: number };

type AboutProps = { name: Name; rtp: number | undefined; config: GameConfig | undefined };

function About({ name, rtp, config }: AboutProps) {
  const t = words.table;
  const usd = (value: number | undefined) => (value === undefined ? null : money(String(value)));
  return (
    <Card title={t.about(words.games[name])}>
      <p className="dim">{words.about[name]}</p>
      <Facts
        of={{
          ...(rtp !== undefined && { [t.rtp]: percent(rtp) }),
          [t.range]: config ? t.fromTo(usd(config.minBet)!, usd(config.maxBet)!) : null,
          [t.mostWin]: usd(config?.maxProfit),
        }}
      />
    </Card>
  );
}

/** The player's last bets, and facts about the game. */
export function Below({ onProof, ...about }: AboutProps & { onProof: (betId: string) => void }) {
  const me = useOptionalMe();
  return (
    <>
      {me && <MyBets game={about.name} onProof={onProof} />}
      <About {...about} />
    </>
  );
}
