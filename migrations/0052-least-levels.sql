-- The few whose level as affiliates staff has lifted: a list of affiliates by level asks who they are.
create index users_min_affiliate_level_idx on users (custom_min_affiliate_level, id) where custom_min_affiliate_level is not null;
