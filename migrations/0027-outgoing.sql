-- What has left a player's account lately, without reading what left it long ago.
create index withdrawals_user_asked_idx on withdrawals (user_id, asked_at) where status in ('SENT', 'COMPLETED');
