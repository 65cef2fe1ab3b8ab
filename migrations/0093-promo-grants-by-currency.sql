-- On a large installation, create this index with "concurrently" before the upgrade.

-- The results of a promotion sum up its grants by currency.
create index if not exists promo_grants_granted_idx on promo_grants (promo_id, currency_id) include (granted_amount);
