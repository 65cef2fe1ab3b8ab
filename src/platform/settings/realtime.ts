import { z } from 'zod';
import { count, setting } from './setting.ts';

export const realtime = {
  REDIS_URL: setting(
    z
      .string()
      .regex(/^rediss?:\/\//, 'needs to start with redis:// or rediss://')
      .optional(),
    'Redis that realtime processes speak to each other over. Absent: PostgreSQL.',
    true,
  ),
  REALTIME_MESSAGES_PER_MINUTE: setting(
    count(240, 0),
    'Messages a minute and player, over all of their sockets. The third refusal within ten minutes ends a socket. 0: no limit.',
  ),
  REALTIME_RESUME_FRAMES_PER_MINUTE: setting(
    count(10_000, 0),
    'Frames that one player is told again within a minute after interruptions, over all sockets and processes; then RESUME_LIMITED. 0: no limit.',
  ),
  REALTIME_RESUME_BYTES_PER_MINUTE: setting(count(8 * 1024 * 1024, 0), 'The same in bytes. 0: no limit.'),
  REALTIME_HANDSHAKES_PER_MINUTE: setting(count(300, 0), 'Connections a minute and address. 0: no limit.'),
  REALTIME_SOCKETS_PER_USER: setting(count(20), 'Sockets of one player on one process.'),
  REALTIME_SOCKETS_PER_ADDRESS: setting(
    count(500, 0),
    'Connections of one address on one process. 0: no limit.',
  ),
  REALTIME_FRAME_BYTES: setting(count(16 * 1024), 'Largest message of a client.'),
  REALTIME_CONNECT_TIMEOUT_MS: setting(count(5000), 'A connection has this long to say whose it is.'),
  REALTIME_READ_MS: setting(count(20), 'Pause between two reads of what has happened.'),
  REALTIME_BACKLOG_FRAMES: setting(
    count(1000),
    'A client that so many frames wait for is cut; it comes back and gets what it has missed.',
  ),
  LIVE_BETS_EVERY_MS: setting(
    count(1000, 100, 60_000),
    'How often everybody is sent the newest settled bets at most (`live-bets.new`): each time one message for every socket.',
  ),
  RESUME_SECONDS: setting(
    count(300, 1, 86_400),
    'How long a socket may have been away and still be told all that it missed.',
  ),
  EVENTS_KEEP_DAYS: setting(count(7, 1, 3650), 'How long events are kept.'),
};
