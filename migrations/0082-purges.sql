-- Purges find due rows by an index, and so does the gauge croupier_purge_overdue_seconds.
create index one_time_tokens_unused_idx on one_time_tokens (expires_at) where purpose <> 'VERIFY_EMAIL' or used_at is null;
create index one_time_tokens_verified_idx on one_time_tokens (used_at) where purpose = 'VERIFY_EMAIL' and used_at is not null;
create index pending_factors_created_idx on pending_factors (created_at);
create index email_changes_expires_idx on email_changes (expires_at);
create index openid_nonces_seen_idx on openid_nonces (seen_at);
create index sportsbook_tokens_expires_idx on sportsbook_tokens (expires_at);
create index rate_limits_window_idx on rate_limits (window_start);
create index leaderboards_unpurged_idx on leaderboards (end_date) where not is_purged and status in ('FINISHED', 'CANCELLED');
