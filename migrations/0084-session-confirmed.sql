-- When the user last confirmed the password in this session (POST /session/confirm).
alter table sessions add column confirmed_at timestamptz;
