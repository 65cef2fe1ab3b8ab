-- Who chose the client seed of a seed pair. Null: not recorded; the server may have drawn it.
alter table seed_pairs add column client_seed_origin text;
-- safe seed_pairs.seed_pairs_client_seed_origin_known: the version before leaves the column null
alter table seed_pairs add constraint seed_pairs_client_seed_origin_known check (client_seed_origin in ('PLAYER', 'SERVER')) not valid;
