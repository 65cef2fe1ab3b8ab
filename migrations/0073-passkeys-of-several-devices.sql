-- Whether an authenticator may store the passkey on several devices (backup eligible). Null: registered before this was recorded.
alter table passkeys add column is_multi_device boolean;
