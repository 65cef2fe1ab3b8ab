export const declares = {
  about:
    'seamless wallets: callbacks of game providers and the sportsbook, launches, and the comparison of books',
  tags: {
    'Sportsbook external (auth)': "Signing the sportsbook in, and the key that verifies its players' tokens.",
    'Sportsbook external': "The sportsbook's view of players, and its transactions on their money.",
  },
  kinds: {
    'provider.freespin': 'PROMO_GRANT',
    'provider.promo': 'PROMO_GRANT',
    'provider.jackpot': 'PAYOUT',
    'provider.adjustment': 'CORRECTION',
  },
  checks: {
    'what free rounds have won is not what their grant says': `
      select g.id, g.user_id, g.converted, t.won from (select * from promo_grants where kind = 'FREE_SPINS') g
      left join free_rounds f on f.grant_id = g.id
      left join (
        select provider_id, free_rounds, sum(amount) as won from provider_transactions
        where type in ('FREE_WIN', 'FREE_SPIN_WIN') and status = 'DONE' and free_rounds is not null group by 1, 2
      ) t on t.provider_id = f.provider_id and t.free_rounds = f.reference
      where f.grant_id is null or g.converted <> coalesce(t.won, 0)`,
  },
} as const;
