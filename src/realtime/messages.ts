import { type Clock, iso } from '../platform/clock.ts';
import { isUnavailable } from '../platform/database/errors.ts';
import { AppError, commonErrors } from '../platform/errors.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { span } from '../platform/observability/trace.ts';
import type { CatchUp } from './catch-up.ts';
import { dismiss } from './connection.ts';
import type { Delivering } from './delivery.ts';
import { realtimeErrors } from './errors.ts';
import type { Member, Members } from './members.ts';
import type { ResumeLimit } from './resume-limit.ts';
import { isToldOnEntry, type RoomRefusal, userRoom } from './rooms.ts';
import { type Body, MESSAGES, type MessageName, readAs } from './schemas.ts';
import type { Throttle } from './throttle.ts';

type Answer = (answer: object) => void;
type Handlers = { [N in MessageName]: (member: Member, body: Body<N>) => object | Promise<object> };

/** Returns an error in the form that clients receive. */
export const refusalBody = ({ code, message, details }: AppError) => ({
  code,
  message,
  ...(details ? { details } : {}),
});

/** The functions of the chat module that sockets use: checking whether a room exists, and posting a player's message. */
export type ChatDoor = {
  hasRoom: (room: string) => boolean;
  send: (message: { userId: number; ip: string } & Body<'chat.send'>) => Promise<{
    messageId: string;
    at: string;
  }>;
};

/** Sends a frame to one socket. `seq` is the position up to which the socket has all frames; by default, that of this process. */
export type Say = (member: Member, event: string, data: object, seq?: number) => void;

export type MessageDeps = {
  members: Members;
  delivery: Delivering;
  throttle: Throttle;
  roomRefusal: RoomRefusal;
  chat: ChatDoor;
  ipOf: (member: Member) => string;
  resumes: ResumeLimit;
  metrics: Metrics;
  log: Log;
  say: Say;
  clock: Clock;
};

export type TakeMessage = ReturnType<typeof createMessages>;

/** Handles client messages. Each message is checked, parsed, executed and acknowledged. Handling a message never throws. */
export function createMessages(deps: MessageDeps) {
  const { metrics, log } = deps;
  const handlers = createHandlers(deps);
  return (member: Member, name: unknown, args: readonly unknown[]): void => {
    metrics.realtimeMessages.inc();
    const last = args.at(-1);
    const answer = typeof last === 'function' ? (last as Answer) : undefined;
    const body = answer ? args.slice(0, -1) : args;
    const carryOut = async (): Promise<object> => {
      await assertAllowed(deps.throttle, member);
      if (!isKnown(name)) throw realtimeErrors.UNKNOWN_EVENT();
      if (body.length > 1) throw commonErrors.VALIDATION_FAILED({ fields: [] });
      return handlers[name](member, readAs(MESSAGES[name], body[0]) as never);
    };
    span(`socket ${isKnown(name) ? name : 'unknown'}`, { kind: 'server', parent: 'none' }, carryOut).then(
      (result) => answer?.(result),
      (error: unknown) => {
        const isExpected = error instanceof AppError || isUnavailable(error);
        if (!isExpected) log.error({ error: String(error) }, 'could not handle a socket message');
        refuse(deps, member, refusalFor(error), answer);
      },
    );
  };
}

const refusalFor = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  return isUnavailable(error) ? commonErrors.SERVICE_UNAVAILABLE() : commonErrors.INTERNAL_ERROR();
};

const isKnown = (name: unknown): name is MessageName =>
  typeof name === 'string' && Object.hasOwn(MESSAGES, name);

async function assertAllowed(throttle: Throttle, { userId }: Member): Promise<void> {
  const verdict = await throttle.judge(userId);
  if (verdict !== 'pass') throw realtimeErrors.RATE_LIMITED({ isLast: verdict === 'cut' });
}

function refuse(
  { metrics, say }: MessageDeps,
  member: Member,
  refusal: AppError,
  answer: Answer | undefined,
): void {
  metrics.realtimeRefused.inc({ reason: refusal.code });
  const body = refusalBody(refusal);
  if (answer) answer({ ok: false, error: body });
  if (!answer || refusal.code === 'RATE_LIMITED') say(member, 'error', body);
  if (refusal.details?.isLast === true) dismiss(member.socket, { isFlooding: true });
}

function createHandlers(deps: MessageDeps): Handlers {
  const { members, delivery, roomRefusal, chat, ipOf, clock } = deps;
  const assertOpen = (member: Member, room: string): void => {
    const refusal = roomRefusal(member, room);
    if (refusal) throw refusal;
  };
  return {
    ping: () => ({ at: iso(new Date(clock.now())), seq: delivery.position() }),

    async subscribe(member, { room }) {
      if (isToldOnEntry(room)) {
        assertOpen(member, room);
        await enter(delivery, member, [room]);
        return { ok: true };
      }
      return delivery.between(() => {
        assertOpen(member, room);
        members.enter(member, room);
        if (!member.isBehind) void member.socket.join(room);
        return { ok: true };
      });
    },

    unsubscribe(member, { room }) {
      if (room === userRoom(member.userId)) throw commonErrors.FORBIDDEN();
      members.leave(member, room);
      void member.socket.leave(room);
      return { ok: true };
    },

    resume: createResume(deps),

    async 'chat.send'(member, message) {
      const { userId } = member;
      return { ok: true, ...(await chat.send({ userId, ip: ipOf(member), ...message })) };
    },
  };
}

/** Adds a member to rooms whose state is sent on entry: first the current state, then new events. */
export const enter = (
  delivery: Delivering,
  member: Member,
  rooms: readonly string[],
  entered: CatchUp['caughtUp'] = () => undefined,
): Promise<void> =>
  delivery.catchUp(member, { lastSeq: undefined, rooms, resync: () => undefined, caughtUp: entered });

/** Runs only one resumption of a member at a time, because each may read a thousand frames. */
function createResume({ delivery, resumes, say }: MessageDeps): Handlers['resume'] {
  const resuming = new WeakSet<Member>();
  return async (member, { lastSeq }) => {
    if (resuming.has(member)) throw realtimeErrors.RATE_LIMITED();
    const seconds = resumes.wait(member.userId);
    if (seconds > 0) throw realtimeErrors.RESUME_LIMITED({ retryAfterSeconds: seconds });
    let answer = {};
    resuming.add(member);
    await delivery.catchUp(member, {
      lastSeq,
      resync: () => say(member, 'resync', {}),
      caughtUp: ({ frames, seq }) => {
        const again = { ok: false, error: refusalBody(realtimeErrors.RESYNC()) };
        answer = frames === undefined ? again : { ok: true, frames, seq };
      },
    });
    resuming.delete(member);
    return answer;
  };
}
