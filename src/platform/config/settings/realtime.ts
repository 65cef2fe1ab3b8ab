import { address, count, hidden, optionalUrl } from './setting.ts';

export const realtime = {
  REDIS_URL: hidden(address(/^rediss?:\/\//, 'redis:// or rediss://')).describe(
    'Redis that realtime processes speak to each other over. Absent: PostgreSQL.',
  ),
  REALTIME_URL: optionalUrl.describe(
    'Where browsers reach the realtime application (`https://realtime.example.com`), for the pages that the main API serves. Absent: in `local` and `test` its own port, else PUBLIC_API_URL.',
  ),
  REALTIME_MESSAGES_PER_MINUTE: count(240, 0).describe(
    'Messages a minute and player, over all of their sockets. The third refusal within ten minutes ends a socket. 0: no limit.',
  ),
  REALTIME_RESUME_FRAMES_PER_MINUTE: count(10_000, 0).describe(
    'Frames that one player is told again within a minute after interruptions, over all sockets and processes; then RESUME_LIMITED. 0: no limit.',
  ),
  REALTIME_RESUME_BYTES_PER_MINUTE: count(8 * 1024 * 1024, 0).describe('The same in bytes. 0: no limit.'),
  REALTIME_HANDSHAKES_PER_MINUTE: count(300, 0).describe('Connections a minute and address. 0: no limit.'),
  REALTIME_SOCKETS_PER_USER: count(20).describe('Sockets of one player on one process.'),
  REALTIME_SOCKETS_PER_ADDRESS: count(500, 0).describe(
    'Connections of one address on one process. 0: no limit.',
  ),
  REALTIME_FRAME_BYTES: count(16 * 1024).describe('Largest message of a client.'),
  REALTIME_CONNECT_TIMEOUT_MS: count(5000).describe('A connection has this long to say whose it is.'),
  REALTIME_READ_MS: count(20).describe('Pause between two reads of what has happened.'),
  REALTIME_BACKLOG_FRAMES: count(1000).describe(
    'A client that so many frames wait for is cut; it comes back and gets what it has missed.',
  ),
  LIVE_BETS_EVERY_MS: count(1000, 100, 60_000).describe(
    'How often everybody is sent the newest settled bets at most (`live-bets.new`): each time one message for every socket.',
  ),
  RESUME_SECONDS: count(300, 1, 86_400).describe(
    'How long a socket may have been away and still be told all that it missed.',
  ),
  EVENTS_KEEP_DAYS: count(7, 1, 3650).describe('How long events are kept.'),
};
