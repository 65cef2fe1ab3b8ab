export const declares = {
  about: 'server and client seeds, their commitments, the random number stream of a bet',
  tags: { Fairness: 'Seeds, commitments and proofs: everything needed to verify a bet.' },
} as const;
