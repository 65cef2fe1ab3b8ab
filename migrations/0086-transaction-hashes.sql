-- Staff look up payments by transaction hash. Before the upgrade of a large installation, create both indexes with "concurrently".
create index if not exists withdrawals_transaction_idx on withdrawals (tx_hash) where tx_hash is not null;
create index if not exists deposit_returns_transaction_idx on deposit_returns (tx_hash) where tx_hash is not null;
