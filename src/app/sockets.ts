import type { Server } from 'node:http';
import { createRateLimiter } from '../http/server/rate-limit.ts';
import { addStrike, createHitStore } from '../platform/limits/hits.ts';
import { limitRepeats } from '../platform/observability/log-repeats.ts';
import { createClusterAdapter } from '../realtime/adapter.ts';
import { createResumeLimit } from '../realtime/resume-limit.ts';
import { startRealtime } from '../realtime/server.ts';
import type { Services } from './services.ts';

type Realtime = ReturnType<typeof startRealtime>;

/** Starts the sockets on the HTTP server of the part `realtime`. Rate limits are shared with the other processes. */
export async function startSockets(services: Services, server: Server) {
  const { config, db, database, metrics, databaseClock, sessions, feed, chat, core } = services;
  const log = limitRepeats(services.log.named('sockets'));
  const limiter = createRateLimiter(
    {
      handshake: config.REALTIME_HANDSHAKES_PER_MINUTE,
      message: config.REALTIME_MESSAGES_PER_MINUTE,
      'resume-frames': config.REALTIME_RESUME_FRAMES_PER_MINUTE,
      'resume-bytes': config.REALTIME_RESUME_BYTES_PER_MINUTE,
    },
    createHitStore(db),
  );
  const allowance = (limit: 'resume-frames' | 'resume-bytes') => ({
    wait: (key: string) => limiter.peek(limit, key),
    spend: (key: string, amount: number) => limiter.add(limit, key, amount),
  });
  const realtime = startRealtime({
    server,
    config,
    log,
    metrics,
    databaseClock,
    feed,
    chat,
    verifyToken: sessions.verifyToken,
    standingsOf: sessions.standings,
    endingsOf: sessions.endings,
    limits: {
      handshakes: (address) => limiter.hit('handshake', address),
      messages: (userId) => limiter.hit('message', userId),
      countStrike: (userId) => addStrike(db, String(userId)),
      resumes: createResumeLimit({ frames: allowance('resume-frames'), bytes: allowance('resume-bytes') }),
    },
    cluster: await createClusterAdapter({ redisUrl: config.REDIS_URL, db, database, log }),
  });
  core.report('sockets', () => ({ status: 'up', connected: realtime.sockets() }));
  // Gateway messages come from RabbitMQ, or in development from the debug routes. Not awaited, because a start must not wait for RabbitMQ.
  if (config.isDevelopment || config.BROKER_URL !== undefined)
    void listen(services, realtime).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'could not listen to gateway messages'),
    );
  return {
    ...realtime,
    async close() {
      await realtime.close();
      limiter.close();
    },
  };
}

/**
 * Receives gateway messages. Every process sends published messages to its own sockets. A request is handled by only one process, which
 * responds on behalf of all processes.
 */
async function listen({ broker }: Services, realtime: Realtime): Promise<void> {
  await broker.respond('gateway.send', realtime.send);
  await broker.listen('gateway.emit', async (data) => realtime.emit(data));
}
