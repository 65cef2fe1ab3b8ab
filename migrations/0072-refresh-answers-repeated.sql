-- A session's latest refresh. The current refresh token is derived from the salt and the exchanged token, so a client that lost the
-- response gets the same token again. Neither is secret by itself: the exchanged token is stored only as a hash.
alter table sessions
  add column refresh_salt bytea,
  add column refresh_device bytea;
