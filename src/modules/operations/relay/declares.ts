export const declares = {
  about: 'publishes events to the broker',
  checks: {
    // If no worker has ever run, nothing is published, so nothing is late. In a copy, the limit is a minute before its end, because
    // publishing stopped there.
    'an event was not published within a minute': `select e.id, e.name, e.created_at, c.position from cursors c
      join events e on e.id > c.position
      where c.name = 'events-relay' and c.position > 0 and e.created_at < coalesce(nullif(current_setting('croupier.as_of', true), '')::timestamptz, now()) - interval '1 minute'`,
  },
} as const;
