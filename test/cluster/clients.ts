import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { call, type Reply } from '../crash/client.ts';

type Asked = { token: string; body?: object };

/** Creates clients that repeat a failed request once, with the same key. Without `keepAlive` each request may reach a different process. */
export function createClients(url: () => string, { keepAlive = true } = {}) {
  const agent = new Agent({ keepAlive });
  const seen = { asked: 0, retried: 0, failed: [] as string[] };
  return {
    seen,
    async ask(method: string, path: string, { token, body }: Asked, wanted: number): Promise<void> {
      const key = randomUUID();
      const once = () =>
        call(method, url() + path, { agent, token, body, headers: { 'idempotency-key': key } }).catch(
          (error: Error) => error,
        );
      const isGood = (reply: Reply | Error) => !(reply instanceof Error) && reply.status === wanted;
      seen.asked++;
      const first = await once();
      if (isGood(first)) return;
      seen.retried++;
      const second = await once();
      if (!isGood(second)) seen.failed.push(`${method} ${path}: ${told(first)}, then ${told(second)}`);
    },
    close: () => agent.destroy(),
  };
}

const told = (reply: Reply | Error): string =>
  reply instanceof Error ? reply.message : `${reply.status} ${reply.body?.code}`;
