-- The currencies that a new platform starts with. Amounts are kept at 10^-8 whatever a currency shows;
-- `decimals` is the finest amount that is accepted and paid, at most 8 also where the chain knows more.
insert into currencies (id, name, symbol, type, decimals, display_decimals, sort_order) values
  ('BTC',  'Bitcoin',      '₿',    'CRYPTO', 8, 8, 10),
  ('ETH',  'Ethereum',     'Ξ',    'CRYPTO', 8, 6, 20),
  ('USDT', 'Tether',       '₮',    'CRYPTO', 6, 2, 30),
  ('USDC', 'USD Coin',     'USDC', 'CRYPTO', 6, 2, 40),
  ('LTC',  'Litecoin',     'Ł',    'CRYPTO', 8, 6, 50),
  ('TRX',  'TRON',         'TRX',  'CRYPTO', 6, 2, 60),
  ('SOL',  'Solana',       'SOL',  'CRYPTO', 8, 4, 70),
  ('DOGE', 'Dogecoin',     'Ð',    'CRYPTO', 8, 2, 80),
  ('BNB',  'BNB',          'BNB',  'CRYPTO', 8, 6, 90),
  ('XRP',  'XRP',          'XRP',  'CRYPTO', 6, 2, 100),
  ('BCH',  'Bitcoin Cash', 'BCH',  'CRYPTO', 8, 6, 110),
  ('EUR',  'Euro',         '€',    'FIAT',   2, 2, 120),
  ('USD',  'US Dollar',    '$',    'FIAT',   2, 2, 130);

insert into currency_networks (currency_id, id, name) values
  ('BTC',  'bitcoin',      'Bitcoin'),
  ('ETH',  'ethereum',     'Ethereum'),
  ('ETH',  'bsc',          'BNB Smart Chain'),
  ('USDT', 'ethereum',     'Ethereum'),
  ('USDT', 'tron',         'TRON'),
  ('USDT', 'bsc',          'BNB Smart Chain'),
  ('USDT', 'solana',       'Solana'),
  ('USDC', 'ethereum',     'Ethereum'),
  ('USDC', 'bsc',          'BNB Smart Chain'),
  ('USDC', 'solana',       'Solana'),
  ('LTC',  'litecoin',     'Litecoin'),
  ('TRX',  'tron',         'TRON'),
  ('SOL',  'solana',       'Solana'),
  ('DOGE', 'dogecoin',     'Dogecoin'),
  ('BNB',  'bsc',          'BNB Smart Chain'),
  ('XRP',  'ripple',       'XRP Ledger'),
  ('BCH',  'bitcoincash',  'Bitcoin Cash'),
  ('EUR',  'sepa',         'SEPA transfer'),
  ('USD',  'swift',        'SWIFT transfer');
