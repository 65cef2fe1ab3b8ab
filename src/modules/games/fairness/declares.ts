export const declares = {
  about: 'seeds, the random stream, commitments',
  tags: { Fairness: 'Seeds and commitments; what anybody needs to compute a bet again.' },
} as const;
