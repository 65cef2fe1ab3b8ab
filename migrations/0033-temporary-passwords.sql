-- A password that somebody else has given: its account has no rights before its owner has set another.
alter table users add column password_is_temporary boolean not null default false;

-- Nobody can tell who still has the password that came with the account.
update users set password_is_temporary = true where opened_by is not null and password_hash is not null;
