-- Versions with this migration use cron jobs of graphile-worker instead of schedules, and notifications or RabbitMQ instead of the other
-- tables. A later migration drops the tables, when no running version uses them.
comment on table schedules is 'Unused since migration 0083';
comment on table broker_queues is 'Unused since migration 0083';
comment on table broker_bindings is 'Unused since migration 0083';
comment on table broker_consumers is 'Unused since migration 0083';
comment on table broker_messages is 'Unused since migration 0083';
comment on table broker_dead_letters is 'Unused since migration 0083';
comment on table consumed_messages is 'Unused since migration 0083';
