import { type Clock, iso } from '../platform/clock.ts';
import { AppError, commonErrors } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { span } from '../platform/trace.ts';
import { dismiss } from './connection.ts';
import type { Delivering } from './delivery.ts';
import { realtimeErrors } from './errors.ts';
import type { Frame } from './feed.ts';
import type { Member, Members } from './members.ts';
import type { ResumeLimit } from './resume-limit.ts';
import { roomRefusal, userRoom } from './rooms.ts';
import { type Body, MESSAGES, type MessageName, readAs } from './schemas.ts';
import type { Throttle } from './throttle.ts';

type Answer = (answer: object) => void;
type Handlers = { [N in MessageName]: (member: Member, body: Body<N>) => object | Promise<object> };

/** What a refusal says on the wire. */
export const refusalBody = ({ code, message, details }: AppError) => ({
  code,
  message,
  ...(details ? { details } : {}),
});

/** Takes what clients say: each message is judged, read, carried out and answered; none of them ever throws. */
export function createMessages(parts: {
  members: Members;
  delivery: Delivering;
  throttle: Throttle;
  resumes: ResumeLimit;
  metrics: Metrics;
  log: Log;
  say: (member: Member, event: string, data: object) => Frame;
  clock: Clock;
}) {
  const { members, delivery, throttle, resumes, metrics, log, say, clock } = parts;

  const handlers: Handlers = {
    ping: () => ({ at: iso(new Date(clock.now())), seq: delivery.position() }),

    subscribe: (member, { room }) =>
      delivery.between(() => {
        const refusal = roomRefusal(member, room);
        if (refusal) throw refusal;
        members.enter(member, room);
        if (!member.isBehind) void member.socket.join(room);
        return { ok: true };
      }),

    unsubscribe(member, { room }) {
      const isOwn = room === userRoom(member.userId);
      const refusal = isOwn ? commonErrors.FORBIDDEN() : undefined;
      if (refusal) throw refusal;
      members.leave(member, room);
      void member.socket.leave(room);
      return { ok: true };
    },

    async resume(member, { lastSeq }) {
      if (member.isBehind) throw realtimeErrors.RATE_LIMITED();
      const seconds = resumes.wait(member.userId);
      if (seconds > 0) throw realtimeErrors.RESUME_LIMITED({ retryAfterSeconds: seconds });
      let answer = {};
      await delivery.catchUp(member, {
        lastSeq,
        resync: () => say(member, 'resync', {}),
        caughtUp: ({ frames, seq }) => {
          const again = { ok: false, error: refusalBody(realtimeErrors.RESYNC()) };
          answer = frames === undefined ? again : { ok: true, frames, seq };
        },
      });
      return answer;
    },
  };

  const refuse = (member: Member, error: AppError, answer: Answer | undefined) => {
    metrics.realtimeRefused.inc({ reason: error.code });
    const body = refusalBody(error);
    if (answer) answer({ ok: false, error: body });
    if (!answer || error.code === 'RATE_LIMITED') say(member, 'error', body);
  };

  const carryOut = async (member: Member, name: unknown, body: readonly unknown[]): Promise<object> => {
    const verdict = await throttle.judge(member.userId);
    if (verdict !== 'pass') throw realtimeErrors.RATE_LIMITED({ isLast: verdict === 'cut' });
    if (typeof name !== 'string' || !Object.hasOwn(MESSAGES, name)) throw realtimeErrors.UNKNOWN_EVENT();
    const known = name as MessageName;
    if (body.length > 1) throw commonErrors.VALIDATION_FAILED({ fields: [] });
    return handlers[known](member, readAs(MESSAGES[known], body[0]) as never);
  };

  return (member: Member, name: unknown, args: readonly unknown[]): void => {
    metrics.realtimeMessages.inc();
    const last = args.at(-1);
    const answer = typeof last === 'function' ? (last as Answer) : undefined;
    const body = answer ? args.slice(0, -1) : args;
    const known = typeof name === 'string' && Object.hasOwn(MESSAGES, name) ? name : 'unknown';
    span(`socket ${known}`, { kind: 'server', parent: 'none' }, () => carryOut(member, name, body)).then(
      (result) => answer?.(result),
      (error: unknown) => {
        if (!(error instanceof AppError)) log.error({ error: String(error) }, 'a message of a socket failed');
        const refusal = error instanceof AppError ? error : commonErrors.INTERNAL_ERROR();
        refuse(member, refusal, answer);
        if (refusal.details?.isLast === true) dismiss(member.socket, { isFlooding: true });
      },
    );
  };
}
