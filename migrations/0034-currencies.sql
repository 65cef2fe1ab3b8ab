-- Another process's change of a currency, a network or a rate counts at once.
create function announce_currencies() returns trigger language plpgsql as $$
begin
  perform pg_notify('currencies_changed', '');
  return null;
end $$;
create trigger currencies_announced after insert or update or delete on currencies
  for each statement execute function announce_currencies();
create trigger currency_networks_announced after insert or update or delete on currency_networks
  for each statement execute function announce_currencies();
create trigger exchange_rates_announced after insert or update or delete on exchange_rates
  for each statement execute function announce_currencies();
