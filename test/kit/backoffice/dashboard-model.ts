/** Computes all dashboard figures from individual bets and payments, as simply as possible. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const UNIT = 100_000_000n;

export type Game = {
  id: number;
  slug: string;
  name: string;
  type: string;
  category: string;
  provider: string | null;
  feePpm: bigint;
};
export type Facts = {
  /** `counts`: true unless the user is a staff member or a test user. */
  users: { id: number; at: number; counts: boolean }[];
  games: Game[];
  /** Bets with amounts of the player's own money in US dollars, without bonus money. */
  bets: {
    id: bigint;
    userId: number;
    gameId: number;
    at: number;
    staked: bigint;
    paid: bigint;
    counts: boolean;
  }[];
  /** `stands`: true if the deposit was not reversed. Failed deposits have their own list. */
  deposits: {
    userId: number;
    at: number;
    currencyId: string;
    networkId: string | null;
    amount: bigint;
    usd: bigint;
    stands: boolean;
  }[];
  failedDeposits: { userId: number; at: number; currencyId: string; networkId: string | null }[];
  withdrawals: {
    userId: number;
    currencyId: string;
    networkId: string;
    status: string;
    at: number;
    askedAt: number;
    approvedAt: number | null;
    amount: bigint;
    usd: bigint;
  }[];
  given: { userId: number; at: number; kind: string; currencyId: string; usd: bigint }[];
};
/** A period of whole hours. */
export type Span = { from: number; until: number };
type Where = Span & { currencyId?: string | undefined; games?: readonly number[] | undefined };

const cut = (part: bigint, whole: bigint, places: number) =>
  whole === 0n ? 0 : Number((part * 10n ** BigInt(places)) / whole) / 10 ** places;
const dollars = (usd: bigint) => cut(usd, UNIT, 2);
const sum = <T>(all: readonly T[], of: (one: T) => bigint) => all.reduce((total, one) => total + of(one), 0n);
const people = (all: readonly { userId: number }[]) => BigInt(new Set(all.map(({ userId }) => userId)).size);

/** Formats units as a decimal, such as "12.5". */
function text(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(9, '0');
  const decimals = digits.slice(-8).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -8)}${decimals && `.${decimals}`}`;
}

const before = ({ from, until }: Span): Span => ({ from: 2 * from - until, until: from });

/** Splits a period by hour, day, week or month in a time zone. An hour belongs to the local date on which it ends. */
function stepsOf({ from, until }: Span, group: string, zone = 'UTC'): Span[] {
  const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  const steps: (Span & { label: string })[] = [];
  for (let hour = from; hour < until; hour += HOUR) {
    const date = calendar.format(hour + HOUR - 1);
    const monday = new Date(`${date}T00:00:00Z`);
    monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
    const label = { HOUR: String(hour), DAY: date, WEEK: monday.toISOString(), MONTH: date.slice(0, 7) }[
      group
    ]!;
    const last = steps.at(-1);
    if (last?.label === label) last.until = hour + HOUR;
    else steps.push({ label, from: hour, until: hour + HOUR });
  }
  return steps;
}

export function modelOf(facts: Facts) {
  const who = new Map(facts.users.map((user) => [user.id, user]));
  const games = new Map(facts.games.map((game) => [game.id, game]));
  const counts = (userId: number) => who.get(userId)!.counts;
  const during =
    ({ from, until, currencyId }: Where) =>
    (one: { at: number; userId: number; currencyId?: string }) =>
      one.at >= from &&
      one.at < until &&
      counts(one.userId) &&
      (currencyId === undefined || one.currencyId === undefined || one.currencyId === currencyId);

  const betsIn = (where: Where) =>
    facts.bets.filter(
      (bet) =>
        bet.counts && during(where)(bet) && (where.games === undefined || where.games.includes(bet.gameId)),
    );
  const staked = (where: Where) => sum(betsIn(where), (bet) => bet.staked);
  const ggr = (where: Where) => sum(betsIn(where), (bet) => bet.staked - bet.paid);
  const active = (where: Where) => people(betsIn(where));
  const count = (where: Where) => BigInt(betsIn(where).length);

  const depositsIn = (where: Where) => facts.deposits.filter((one) => one.stands && during(where)(one));
  const firstOf = (userId: number) =>
    facts.deposits.filter((one) => one.stands && one.userId === userId).toSorted((a, b) => a.at - b.at)[0];
  const firstIn = (where: Where) => depositsIn(where).filter((one) => firstOf(one.userId) === one);
  const withdrawalsIn = (where: Where, status: string) =>
    facts.withdrawals.filter((one) => one.status === status && during(where)(one));
  const registered = ({ from, until }: Span) =>
    facts.users.filter((user) => user.counts && user.at >= from && user.at < until);

  function deductions(where: Where) {
    const given = (...kinds: string[]) =>
      sum(
        facts.given.filter((one) => kinds.includes(one.kind) && during(where)(one)),
        (one) => one.usd,
      );
    const providers = Map.groupBy(betsIn(where), (bet) => games.get(bet.gameId)!.provider);
    const fees = [...providers.values()].map((bets) => {
      const brought = sum(bets, (bet) => bet.staked - bet.paid);
      return brought > 0n ? (brought * games.get(bets[0]!.gameId)!.feePpm) / 1_000_000n : 0n;
    });
    return {
      convertedBonusUsd:
        given('promo.conversion', 'promo.grant', 'crm.funds') - given('promo.conversion.back'),
      rakebackUsd: given('rakeback.claim'),
      affiliateUsd: given('affiliate.claim'),
      prizesUsd: given('leaderboard.prize', 'challenge.reward') - given('challenge.rollback'),
      adminTipsUsd: given('admin.tip'),
      adminDeductionsUsd: given('admin.deduction'),
      providerFeesUsd: sum(fees, (fee) => fee),
    };
  }
  function ngr(where: Where) {
    const { adminDeductionsUsd, providerFeesUsd, ...less } = deductions(where);
    if (where.games !== undefined) return ggr(where) - providerFeesUsd;
    return ggr(where) - sum(Object.values(less), (usd) => usd) - providerFeesUsd + adminDeductionsUsd;
  }
  const revenue = (where: Where) => ({
    turnoverUsd: text(staked(where)),
    ggrUsd: text(ggr(where)),
    ngrUsd: text(ngr(where)),
  });

  const compared = <T>(span: Span, figures: (span: Span) => T) => ({
    current: figures(span),
    previous: figures(before(span)),
  });
  const series = (steps: readonly Span[], value: (span: Span) => number) =>
    steps.map((step) => ({ at: new Date(step.from).toISOString(), value: value(step) }));

  const gameRow = (where: Where, { id, slug, name, category, provider }: Game) => {
    const own = { ...where, games: [id] };
    return {
      slug,
      name,
      category,
      providerSlug: provider,
      activePlayers: Number(active(own)),
      betCount: Number(count(own)),
      turnover: dollars(staked(own)),
      ggr: dollars(ggr(own)),
      margin: cut(ggr(own) * 100n, staked(own), 2),
    };
  };
  const playedIn = (where: Where) =>
    facts.games.filter(
      ({ id }) => count({ ...where, games: [id] }) > 0n && (where.games ?? [id]).includes(id),
    );
  /** Returns the games in order. Games with equal figures are ordered by id. */
  const ranked = (where: Where, by: (game: Game) => bigint, sign: 1 | -1) =>
    playedIn(where).toSorted((a, b) => sign * (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0) || a.id - b.id);
  const byGgr = (where: Where) => (game: Game) => ggr({ ...where, games: [game.id] });

  return {
    overview: (span: Span, currencyId?: string) =>
      compared(span, (part) => {
        const where = { ...part, currencyId };
        const deposits = depositsIn(where);
        const repeat = deposits.filter((one) => firstOf(one.userId) !== one);
        const open = ['WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'UNKNOWN_OUTCOME'];
        const pending = facts.withdrawals.filter(
          (one) =>
            open.includes(one.status) &&
            counts(one.userId) &&
            (currencyId === undefined || one.currencyId === currencyId),
        );
        const bets = count(where);
        return {
          registrations: registered(part).length,
          ftd: firstIn(where).length,
          repeatDepositors: Number(people(repeat)),
          activeUsers: Number(active(where)),
          depositUsd: text(sum(deposits, (one) => one.usd)),
          withdrawUsd: text(sum(withdrawalsIn(where, 'COMPLETED'), (one) => one.usd)),
          pendingWithdrawUsd: text(sum(pending, (one) => one.usd)),
          ...revenue(where),
          betCount: Number(bets),
          averageBetUsd: text(bets === 0n ? 0n : staked(where) / bets),
          regToFtdRate: cut(BigInt(firstIn(where).length), BigInt(registered(part).length), 4),
        };
      }),

    revenue: (
      span: Span,
      { group = 'DAY', zone = 'UTC', currencyId = undefined as string | undefined } = {},
    ) =>
      compared(span, (part) => ({
        ...revenue({ ...part, currencyId }),
        ngrVersion: '1',
        deductions: Object.fromEntries(
          Object.entries(deductions({ ...part, currencyId })).map(([name, usd]) => [name, text(usd)]),
        ),
        series: stepsOf(part, group, zone).map((step) => ({
          at: new Date(step.from).toISOString(),
          ...revenue({ ...step, currencyId }),
        })),
      })),

    payments: (span: Span, currencyId?: string) =>
      compared(span, (part) => {
        const where = { ...part, currencyId };
        const all = [
          ...depositsIn(where).map((one) => ({ ...one, direction: 'DEPOSIT', isDone: true })),
          ...facts.failedDeposits
            .filter(during(where))
            .map((one) => ({ ...one, direction: 'DEPOSIT', isDone: false, amount: 0n, usd: 0n })),
          ...['COMPLETED', 'FAILED'].flatMap((status) =>
            withdrawalsIn(where, status).map((one) => ({
              ...one,
              direction: 'WITHDRAW',
              isDone: status === 'COMPLETED',
            })),
          ),
        ];
        const rows = Map.groupBy(all, (one) => [one.direction, one.currencyId, one.networkId].join(' '));
        return [...rows.keys()].sort().map((key) => {
          const own = rows.get(key)!;
          const done = own.filter((one) => one.isDone);
          const { direction, currencyId: currency, networkId } = own[0]!;
          const waits = facts.withdrawals
            .filter(
              (one) =>
                one.approvedAt !== null &&
                one.status !== 'REJECTED' &&
                during(where)({ ...one, at: one.approvedAt }) &&
                one.currencyId === currency &&
                one.networkId === networkId,
            )
            .map((one) => Math.floor((one.approvedAt! - one.askedAt) / 1000))
            .sort((a, b) => a - b);
          return {
            direction,
            currencyId: currency,
            networkId,
            count: done.length,
            amount: text(sum(done, (one) => one.amount)),
            usdAmount: text(sum(done, (one) => one.usd)),
            failureRate: cut(BigInt(own.length - done.length), BigInt(own.length), 4),
            medianApprovalSeconds:
              direction === 'DEPOSIT' ? null : (waits[Math.ceil(waits.length / 2) - 1] ?? null),
          };
        });
      }),

    users: (
      span: Span,
      { zone = 'UTC', currencyId = undefined as string | undefined, now = Date.now() } = {},
    ) =>
      compared(span, (part) => {
        const name = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
        const dateOf = (at: number) => name.format(Math.floor(at / HOUR) * HOUR + HOUR - 1);
        const later = (date: string, n: number) =>
          new Date(Date.parse(`${date}T00:00:00Z`) + n * DAY).toISOString().slice(0, 10);
        const cohorts = stepsOf(part, 'DAY', zone).map((step) => {
          const date = dateOf(step.from);
          const own = registered(step);
          const retention = (after: number) => {
            if (dateOf(now) <= later(date, after)) return null;
            const back = own.filter((user) =>
              facts.bets.some(
                (bet) => bet.counts && bet.userId === user.id && dateOf(bet.at) === later(date, after),
              ),
            );
            return cut(BigInt(back.length), BigInt(own.length), 4);
          };
          return {
            date,
            registrations: own.length,
            ftd: firstIn({ ...step, currencyId }).length,
            retentionD1: retention(1),
            retentionD7: retention(7),
            retentionD30: retention(30),
          };
        });
        return {
          registrations: registered(part).length,
          ftd: firstIn({ ...part, currencyId }).length,
          activeUsers: Number(active(part)),
          cohorts,
        };
      }),

    games: (span: Span, take: number) =>
      compared(span, (part) => {
        const shown = (game: Game) => ({
          slug: game.slug,
          betCount: Number(count({ ...part, games: [game.id] })),
          turnoverUsd: text(staked({ ...part, games: [game.id] })),
          ggrUsd: text(ggr({ ...part, games: [game.id] })),
        });
        return {
          top: ranked(part, byGgr(part), -1).slice(0, take).map(shown),
          worst: ranked(part, byGgr(part), 1).slice(0, take).map(shown),
        };
      }),

    topUsers: (span: Span, take: number, currencyId?: string) =>
      compared(span, (part) => {
        const ranking = (of: (userId: number) => bigint) =>
          facts.users
            .filter((user) => user.counts && of(user.id) > 0n)
            .toSorted((a, b) => (of(a.id) > of(b.id) ? -1 : of(a.id) < of(b.id) ? 1 : a.id - b.id))
            .slice(0, take)
            .map(({ id }) => ({ userId: id, usdAmount: text(of(id)) }));
        const own = (userId: number) => betsIn(part).filter((bet) => bet.userId === userId);
        return {
          wagered: ranking((id) => sum(own(id), (bet) => bet.staked)),
          won: ranking((id) => sum(own(id), (bet) => bet.paid - bet.staked)),
          lost: ranking((id) => sum(own(id), (bet) => bet.staked - bet.paid)),
          deposited: ranking((id) =>
            sum(
              depositsIn({ ...part, currencyId }).filter((one) => one.userId === id),
              (one) => one.usd,
            ),
          ),
        };
      }),

    main(span: Span, group: string) {
      const steps = stepsOf(span, group);
      const metric = (value: (span: Span) => bigint, shown: (value: bigint) => number = Number) => {
        const [now, then] = [value(span), value(before(span))];
        return {
          current: shown(now),
          previous: shown(then),
          changePercent: then === 0n ? null : cut((now - then) * 100n, then < 0n ? -then : then, 2),
          series: series(steps, (step) => shown(value(step))),
        };
      };
      return {
        activePlayersMetrics: metric(active),
        depositMetrics: metric((part) => sum(depositsIn(part), (one) => one.usd), dollars),
        registrationMetrics: metric((part) => BigInt(registered(part).length)),
        turnoverMetrics: metric(staked, dollars),
        ggrMetrics: metric(ggr, dollars),
        ngrMetrics: metric(ngr, dollars),
      };
    },

    gameSeries(span: Span, group: string, games?: readonly number[]) {
      const steps = stepsOf(span, group);
      const line = (value: (where: Where) => number) => series(steps, (step) => value({ ...step, games }));
      return {
        activePlayersTimeSeries: line((where) => Number(active(where))),
        turnoverTimeSeries: line((where) => dollars(staked(where))),
        arpuTimeSeries: line((where) => cut(ggr(where), active(where) * UNIT, 2)),
        atpuTimeSeries: line((where) => cut(staked(where), active(where) * UNIT, 2)),
        ggrTimeSeries: line((where) => dollars(ggr(where))),
        ngrTimeSeries: line((where) => dollars(ngr(where))),
      };
    },

    gameTypes(span: Span, only?: readonly number[]) {
      const where = { ...span, games: only };
      const types = [...new Set(playedIn(where).map(({ type }) => type))];
      const ofType = (type: string) => ({
        ...where,
        games: playedIn(where)
          .filter((game) => game.type === type)
          .map(({ id }) => id),
      });
      const won = (type: string) => (ggr(ofType(type)) > 0n ? ggr(ofType(type)) : 0n);
      return {
        gameTypeMarginPie: types.map((key) => ({
          key,
          value: cut(ggr(ofType(key)) * 100n, staked(ofType(key)), 2),
          percent: cut(won(key) * 100n, sum(types, won), 2),
        })),
        gameTypeTurnoverPie: types.map((key) => ({
          key,
          value: dollars(staked(ofType(key))),
          percent: cut(staked(ofType(key)) * 100n, staked(where), 2),
        })),
        activePlayers: Number(active(where)),
        turnover: dollars(staked(where)),
        atpu: cut(staked(where), active(where) * UNIT, 2),
        ggr: dollars(ggr(where)),
        arpu: cut(ggr(where), active(where) * UNIT, 2),
        margin: cut(ggr(where) * 100n, staked(where), 2),
        betCount: Number(count(where)),
        abcpu: cut(count(where), active(where), 2),
        averageBetSum: cut(staked(where), count(where) * UNIT, 2),
        ngr: dollars(ngr(where)),
      };
    },

    gameRows(span: Span, only?: readonly number[]) {
      const where = { ...span, games: only };
      const rows = (sign: 1 | -1) => ranked(where, byGgr(where), sign).map((game) => gameRow(where, game));
      return {
        topGameAnalytics: rows(-1).slice(0, 10),
        worstGameAnalytics: rows(1).slice(0, 10),
        gameSlugAnalytics: rows(-1).slice(0, 20),
      };
    },

    paymentStats(span: Span, group: string) {
      const deposits = (part: Span) => sum(depositsIn(part), (one) => one.usd);
      const withdrawals = (part: Span) => sum(withdrawalsIn(part, 'COMPLETED'), (one) => one.usd);
      const steps = stepsOf(span, group);
      return {
        depositAmount: dollars(deposits(span)),
        depositAmountTimeSeries: series(steps, (step) => dollars(deposits(step))),
        ratio: cut(withdrawals(span), deposits(span), 4),
        ratioTimeSeries: series(steps, (step) => cut(withdrawals(step), deposits(step), 4)),
        withdrawalAmount: dollars(withdrawals(span)),
      };
    },

    registrationStats(span: Span, group: string) {
      const steps = stepsOf(span, group);
      const percent = (part: Span) =>
        cut(BigInt(firstIn(part).length) * 100n, BigInt(registered(part).length), 2);
      return {
        registrationCount: registered(span).length,
        registrationTimeSeries: series(steps, (step) => registered(step).length),
        firstTimeDepositCount: firstIn(span).length,
        firstTimeDepositTimeSeries: series(steps, (step) => firstIn(step).length),
        firstTimeDepositPercent: percent(span),
        firstTimeDepositPercentTimeSeries: series(steps, percent),
      };
    },
  };
}
