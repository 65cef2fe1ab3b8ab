import { IDEMPOTENT } from '../../client/api.ts';
import { type Answer, type Call, type Input, type Op, Refused } from '../../client/call.ts';

/** A request and its idempotency key. If the operation is in `IDEMPOTENT`, it takes effect at most once, however often it is sent. */
type Sent<O extends Op> = {
  input: Input<O>;
  key: string;
  /** True while the server may have carried out the request and no response has said so. */
  mayBeDone: boolean;
  /** The player, the operation and the order. Undefined for requests that are not remembered. */
  id: string | undefined;
};

type Order<O extends Op> = {
  /** Undefined for visitors, whose requests are not remembered. */
  userId: number | undefined;
  op: O;
  input: Input<O>;
  /** The part of the input that does not change when the user repeats the order. */
  order: unknown;
};

type Deps = {
  call: Call;
  /** Asks for the code of the second factor. Resolves to undefined if the user cancels. */
  askForCode: (wasWrong: boolean) => Promise<string | undefined>;
  /** Asks for the password, so that this session counts as just started. Resolves to false if the user cancels. */
  askForPassword: () => Promise<boolean>;
};

/**
 * Returns a function that sends requests. It remembers those whose outcome is unknown. If the user repeats such an order, it sends the same
 * request again, which takes effect once. A new request follows only if the server rejects the earlier one.
 */
export function createOrders(deps: Deps) {
  const open = new Map<string, Sent<Op>>();
  return async <O extends Op>(order: Order<O>): Promise<Answer<O>> => {
    const text = JSON.stringify(order.input);
    for (;;) {
      const sent = requestFor(open, order);
      try {
        return await proven(deps, order.op, sent, open);
      } catch (error) {
        if (sent.mayBeDone || JSON.stringify(sent.input) === text) throw error;
      }
    }
  };
}

type OpenRequests = Map<string, Sent<Op>>;

/** Returns the earlier request for the order if its outcome is unknown, otherwise a new request. */
function requestFor<O extends Op>(open: OpenRequests, { userId, op, input, order }: Order<O>): Sent<O> {
  const isKept = userId !== undefined && IDEMPOTENT.has(op);
  const id = isKept ? JSON.stringify([userId, op, order]) : undefined;
  const before = id === undefined ? undefined : open.get(id);
  return (before as Sent<O> | undefined) ?? { input, key: crypto.randomUUID(), mayBeDone: false, id };
}

/**
 * Sends a request. If the operation requires the second factor or a recent sign-in, asks for the code or the password in place and repeats
 * the request with the same idempotency key.
 */
async function proven<O extends Op>(deps: Deps, op: O, sent: Sent<O>, open: OpenRequests) {
  const { input, key } = sent;
  let mfaCode: string | undefined;
  let isConfirmed = false;
  for (;;)
    try {
      const how = mfaCode === undefined ? { key } : { key, mfaCode };
      return await settling(open, sent, mfaCode !== undefined, () => deps.call(op, input, how));
    } catch (error) {
      const code = error instanceof Refused ? error.code : undefined;
      if (code === 'SIGN_IN_AGAIN' && !isConfirmed) {
        isConfirmed = await deps.askForPassword();
        if (isConfirmed) continue;
      }
      // The server returned MFA_REQUIRED although a code was sent in the header. This operation therefore expects the code elsewhere.
      if (code !== (mfaCode === undefined ? 'MFA_REQUIRED' : 'MFA_INVALID')) throw error;
      mfaCode = await deps.askForCode(code === 'MFA_INVALID');
      if (mfaCode === undefined) throw error;
    }
}

/** Sends a request and remembers it until a response settles it. `hasCode`: the request has a code of the second factor in its header. */
async function settling<T>(open: OpenRequests, sent: Sent<Op>, hasCode: boolean, send: () => Promise<T>) {
  const { id, mayBeDone } = sent;
  if (id === undefined) return send();
  const settle = () => {
    sent.mayBeDone = false;
    if (open.get(id) === sent) open.delete(id);
  };
  open.set(id, sent);
  sent.mayBeDone = true;
  try {
    const answer = await send();
    settle();
    return answer;
  } catch (error) {
    const subject = subjectOf(error, hasCode);
    const wasLost = error instanceof Refused && error.earlier.some(isUnknown);
    if (subject === 'request' || (subject === 'attempt' && !mayBeDone && !wasLost)) settle();
    throw error;
  }
}

/** Returns true if an error does not say whether the request was carried out. */
const isUnknown = ({ status }: Refused): boolean => status < 400 || status === 408 || status >= 500;

/**
 * Returns whether an error is about the request or only about this attempt, or undefined if the outcome is unknown. The server sends errors
 * about an attempt before it looks for the response to an earlier one.
 */
function subjectOf(error: unknown, hasCode: boolean): 'request' | 'attempt' | undefined {
  if (!(error instanceof Refused)) return undefined;
  if (isUnknown(error)) return undefined;
  const { status, code } = error;
  const isProof = code === 'MFA_REQUIRED' || code === 'SIGN_IN_AGAIN' || (hasCode && code === 'MFA_INVALID');
  return isProof || status === 401 || status === 429 ? 'attempt' : 'request';
}
