export const declares = {
  about: "the lock that every change of a player's money, nonce or seeds takes first",
} as const;
