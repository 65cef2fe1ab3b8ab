export const declares = {
  about: 'balances, the vault',
  tags: {
    Accounting: "A player's balances, and the vault. In the backoffice: the statement over the ledger.",
  },
  kinds: {
    'vault.to': 'TO_VAULT',
    'vault.from': 'FROM_VAULT',
  },
} as const;
