-- Rounds of providers are looked for by their names alone too: one index serves both, and each write of a round has one less to enter.
alter table provider_rounds drop constraint provider_rounds_user_id_provider_id_round_ref_key;
alter table provider_rounds add constraint provider_rounds_name_key unique (round_ref, user_id, provider_id);
drop index provider_rounds_ref_idx;

-- Moves on with every booking. A process that remembers an open round proves by it that nobody has changed the round since.
alter table provider_rounds add column changes integer not null default 0;
