import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeJwt, SignJWT } from 'jose';
import type { Account } from './protocol.ts';
import type { World } from './world.ts';

const PART = fileURLToPath(new URL('../src/bin/part.ts', import.meta.url));
/** Connection limits are off, because all sockets connect from one address within seconds. */
const OPEN = { REALTIME_PORT: '0', REALTIME_HANDSHAKES_PER_MINUTE: '0', REALTIME_SOCKETS_PER_ADDRESS: '0' };

/** Starts a realtime process of the platform. */
export async function startRealtime({ env }: World) {
  const child = fork(PART, ['realtime'], { env: { ...process.env, ...env, ...OPEN }, execArgv: [] });
  const [{ ready }] = (await once(child, 'message')) as [{ ready: string }];
  return {
    url: ready,
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024,
    /** Returns the CPU time of a process in seconds since its start (Linux, 100 ticks per second). */
    cpu: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      const isGone = child.exitCode !== null || child.signalCode !== null;
      child.kill(signal);
      if (!isGone) await once(child, 'exit');
    },
  };
}

/** Returns an account's socket token, for the same session as its access token. */
export const socketToken = ({ token, userId }: Account, key: Uint8Array) =>
  new SignJWT({ sid: decodeJwt(token).sid })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('croupier')
    .setAudience('socket')
    .setSubject(String(userId))
    .setIssuedAt()
    .setJti(`bench-${userId}`)
    .setExpirationTime('1d')
    .sign(key);
