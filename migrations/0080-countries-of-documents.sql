-- The country that issued the player's identity document, as the identity provider reports it. Null: not known.
alter table kyc_persons add column document_country text check (document_country ~ '^[A-Z]{2}$');
