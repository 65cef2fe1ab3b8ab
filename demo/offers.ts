import type { Staff } from './staff.ts';

const QUESTIONS = [
  [
    'How long does a withdrawal take?',
    'Small withdrawals are sent automatically. Staff reviews larger ones, usually within a day.',
  ],
  [
    'What does "provably fair" mean?',
    'The result of each bet is fixed before you make it, and you can recompute it afterwards at /verify.',
  ],
  [
    'Which coins can I deposit?',
    'USDT on TRON and bitcoin are credited after a few confirmations. Others are listed under Deposit.',
  ],
  [
    'How do I set a limit?',
    'Open Limits. A lower limit takes effect immediately, a higher one after a day in which you can cancel the change.',
  ],
  [
    'Why do you ask for proof of identity?',
    'The law requires it above certain amounts. Only our partner sees your documents.',
  ],
  [
    'I think I play too much. What can I do?',
    'Exclude yourself from play for a time or permanently under Limits, Self-exclusion. It takes effect immediately.',
  ],
] as const;

const PRIZES = [40, 20, 10, 5, 5].map((usd, i) => ({ place: i + 1, usdAmount: String(usd) }));

type Promos = { code: string; deposit: string; manual: string };
export type Offers = { promos: Promos; challenges: string[] };

/** Creates the offers that staff set up before the month begins. */
export async function setUpOffers(
  { SUPERADMIN: boss, second }: Staff,
  { from, to }: { from: Date; to: Date },
): Promise<Offers> {
  await boss.call('PATCH /admin/config/{code}', {
    path: { code: 'WITHDRAWALS' },
    body: {
      autoApproveLimitUsd: '100',
      autoApproveMinAccountDays: 3,
      autoApproveMaxRisk: 20,
      fourEyesThresholdUsd: '2500',
    },
  });
  await boss.call('PATCH /admin/config/{code}', {
    path: { code: 'COMMON' },
    body: { languages: ['en', 'de', 'es'], leaderboards: { paysAutomatically: true } },
  });
  for (const [title, text] of QUESTIONS) await boss.call('POST /admin/faq', { body: { title, text } });

  const promo = async (
    body: Parameters<typeof boss.call<'POST /admin/promo'>>[1]['body'],
  ): Promise<string> => {
    const { id } = await boss.call('POST /admin/promo', { body });
    // A promotion without a limit needs a second approver.
    const start = { path: { id }, body: { status: 'ACTIVE', reason: 'The season begins' } } as const;
    for (const one of [boss, second]) await one.try('POST /admin/promo/{id}/status', start);
    return id;
  };
  const bonus = { kind: 'BONUS', currencyId: 'USDT' } as const;
  const code = await promo({
    name: 'Welcome bonus',
    description: 'Ten dollars of bonus money for every player with the code.',
    type: 'CODE',
    reward: { ...bonus, amount: '10' },
    wagerMultiplier: 10,
    validityHours: 168,
  });
  await boss.call('POST /admin/promo/{id}/codes', {
    path: { id: code },
    body: { kind: 'UNIVERSAL', code: 'STARTER10' },
  });
  await boss.call('POST /admin/promo/{id}/codes', {
    path: { id: code },
    body: { kind: 'ONE_TIME', count: 20 },
  });
  const deposit = await promo({
    name: 'Weekend deposit bonus',
    description: 'A bonus of 25 % on your next deposit.',
    type: 'DEPOSIT',
    reward: { ...bonus, percent: 25, maxAmount: '100' },
    wagerMultiplier: 15,
    validityHours: 96,
  });
  const manual = await promo({
    name: 'A gift from us',
    type: 'MANUAL',
    reward: { kind: 'CASH', currencyId: 'USDT', amount: '10' },
    wagerMultiplier: 1,
  });
  await boss.call('POST /admin/promo', {
    body: {
      name: 'Winter calendar (draft)',
      type: 'CODE',
      reward: { ...bonus, amount: '5' },
      wagerMultiplier: 5,
    },
  });

  const challenges: string[] = [];
  for (const [gameSlug, minBetMultiplier, rewardAmount] of [
    ['plinko', 9, '10'],
    ['limbo', 10, '8'],
    ['dice', 3.9, '5'],
    ['keno', 40, '15'],
    ['mines', 20, '20'],
  ] as const) {
    const body = {
      minBetAmountUsd: '1',
      rewardCurrency: 'USDT',
      rewardAmount,
      gameSlug,
      minBetMultiplier,
      isHidden: false,
    };
    const { id } = await boss.call('PUT /admin/challenge', { body });
    challenges.push(id);
  }

  const day = 86_400_000;
  const race = (name: string, start: number, end: number, body: object = {}) =>
    boss.call('POST /admin/leaderboards', {
      body: {
        name,
        description: 'The player who wagers most wins.',
        startDate: new Date(start).toISOString(),
        endDate: new Date(end).toISOString(),
        currencyId: 'USDT',
        prizes: PRIZES,
        ...body,
      },
    });
  const [first, last] = [from.getTime(), to.getTime()];
  await race('The first week', first + 3_600_000, first + Math.max((last - first) * 0.25, 7_200_000));
  await race('Plinko days', first + (last - first) * 0.4, first + (last - first) * 0.7, {
    eligible: { gameSlugs: ['plinko'] },
  });
  await race('Race of the month', first + 3_600_000, last + 6 * day);
  for (const { id, config } of await boss.call('GET /admin/leaderboards/schedule', {}))
    if (config.type === 'WEEKLY')
      for (const one of [boss, second])
        await one.try('POST /admin/leaderboards/schedule/{id}', {
          path: { id },
          body: { enabled: true, name: 'Weekly race', description: 'A new race every week.', prizes: PRIZES },
        });
  return { promos: { code, deposit, manual }, challenges };
}

/** Pays won challenges. The worker pays the prizes of leaderboards. */
export async function payWinners({ SUPERADMIN: boss }: Staff, { challenges }: Offers): Promise<void> {
  for (const id of challenges.slice(0, 3)) {
    const { data } = await boss.call('GET /admin/challenge/{id}/bets', { path: { id }, query: { take: 1 } });
    const [bet] = data as { betId?: string }[];
    if (bet?.betId)
      await boss.try('POST /admin/challenge/{id}/award', {
        path: { id },
        body: { betId: bet.betId, sendNotification: true },
      });
  }
}
