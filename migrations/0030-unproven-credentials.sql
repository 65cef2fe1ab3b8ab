-- Whoever signs up can name any address. When its owner confirms it elsewhere than where the account was opened, a second factor or a linked
-- identity that was there already may be a stranger's: the next password reset by mail takes them away.
alter table users add column has_unproven_credentials boolean not null default false;
