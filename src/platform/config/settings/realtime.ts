import { address, count, hidden, optionalUrl } from './setting.ts';

export const realtime = {
  REDIS_URL: hidden(address(/^rediss?:\/\//, 'redis:// or rediss://')).describe(
    'Redis for messages between realtime processes. If absent, they use PostgreSQL.',
  ),
  REALTIME_URL: optionalUrl.describe(
    'Public address of the realtime application for browsers (`https://realtime.example.com`), used by the pages that the main API serves. Default: its own port in `local` and `test`, otherwise PUBLIC_API_URL.',
  ),
  REALTIME_MESSAGES_PER_MINUTE: count(240, 0).describe(
    "Messages per minute and player, over all of the player's sockets. The third rejection within ten minutes closes the socket. 0: no limit.",
  ),
  REALTIME_RESUME_FRAMES_PER_MINUTE: count(10_000, 0).describe(
    'Frames replayed to one player per minute after interruptions, over all sockets and processes. Beyond it the player gets RESUME_LIMITED. 0: no limit.',
  ),
  REALTIME_RESUME_BYTES_PER_MINUTE: count(8 * 1024 * 1024, 0).describe(
    'The limit of replayed frames in bytes. 0: no limit.',
  ),
  REALTIME_HANDSHAKES_PER_MINUTE: count(300, 0).describe(
    'Connections per minute and IP address. 0: no limit.',
  ),
  REALTIME_SOCKETS_PER_USER: count(20).describe("Maximum number of one player's sockets on one process."),
  REALTIME_SOCKETS_PER_ADDRESS: count(500, 0).describe(
    'Maximum number of connections from one IP address on one process. 0: no limit.',
  ),
  REALTIME_FRAME_BYTES: count(16 * 1024).describe("Maximum size of a client's message."),
  REALTIME_CONNECT_TIMEOUT_MS: count(5000).describe('Time for a new connection to authenticate.'),
  REALTIME_READ_MS: count(20).describe('Pause between two reads of new events.'),
  REALTIME_BACKLOG_FRAMES: count(1000).describe(
    'A client is disconnected when this number of frames waits for it. It reconnects and receives the missed frames.',
  ),
  LIVE_BETS_EVERY_MS: count(1000, 100, 60_000).describe(
    'Minimum interval between two messages with the newest settled bets (`live-bets.new`). Each is a single message for all sockets.',
  ),
  RESUME_SECONDS: count(300, 1, 86_400).describe(
    'Maximum duration of an interruption after which a socket still receives all missed events.',
  ),
  EVENTS_KEEP_DAYS: count(7, 1, 3650).describe('Retention of events.'),
};
