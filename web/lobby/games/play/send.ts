import type { Answer, Input, Op, Refused } from '../../../../client/call.ts';
import { call } from '../../../kit/api.ts';
import { asRefused, userId } from '../../../kit/query.ts';
import { keepPending, pending, type Sent, untilSignOut } from '../../pending.ts';

/** Waits between two attempts while it is unknown whether a bet was placed. */
const UNKNOWN_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 5000;
/** The bets whose response is awaited, by idempotency key. */
const awaited = new Map<string, Promise<unknown>>();

type Watch = {
  /** Called when the server does not know yet whether the bet was placed. */
  onUnknown?: () => void;
  /** If it returns false, no further attempt is made. The bet can be asked for again with `pendingBets`. */
  isWanted?: () => boolean;
};

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/**
 * Sends a bet until the server reports its outcome. All attempts have one idempotency key, so the bet is placed at most once. The same bet
 * has this key also after a lost connection, until a response arrives. Throws `Refused`.
 */
export function send<O extends Op>(op: O, input: Input<O>, watch: Watch = {}): Promise<Answer<O>> {
  const text = JSON.stringify(input);
  const lost = pending().filter((one) => one.op === op && !awaited.has(one.key));
  const same = lost.find(({ input: before }) => before === text);
  const sent = same ?? { op, input: text, key: crypto.randomUUID(), at: Date.now() };
  // A player who has changed a lost bet does not want it any more.
  keepPending(
    sent,
    lost.map(({ key }) => key),
  );
  return awaitOnce(sent, watch, { isAgain: same !== undefined, mayBeLost: false });
}

/** Returns functions that request the outcomes of the bets whose responses were lost by a reload of the page or by leaving it. */
export const pendingBets = <O extends Op>(op: O, watch: Watch): (() => Promise<Answer<O>>)[] =>
  pending()
    .filter((sent) => sent.op === op)
    .map((sent) => async () => {
      const running = awaited.get(sent.key) as Promise<Answer<O>> | undefined;
      // The page that sent the bet stops after an unknown outcome, because the player has left it.
      const answer = await running?.catch((error) => {
        if (!pending().some(({ key }) => key === sent.key)) throw error;
      });
      return answer ?? awaitOnce(sent, watch, { isAgain: true, mayBeLost: true });
    });

type How = {
  /** True if the bet was sent before, so that an error may belong to this attempt only. */
  isAgain: boolean;
  /** If true, a lost connection is waited for. */
  mayBeLost: boolean;
};

function awaitOnce<O extends Op>(sent: Sent, watch: Watch, how: How): Promise<Answer<O>> {
  const answer = attempts<O>(sent, watch, how).finally(() => awaited.delete(sent.key));
  awaited.set(sent.key, answer);
  return answer;
}

async function attempts<O extends Op>(
  sent: Sent,
  watch: Watch,
  { isAgain, mayBeLost }: How,
): Promise<Answer<O>> {
  const player = userId();
  const signal = untilSignOut();
  const isWanted = () => watch.isWanted?.() !== false && userId() === player && !signal.aborted;
  const forget = () => userId() === player && keepPending(undefined, [sent.key]);
  for (let tries = 1; ; tries++)
    try {
      const input = JSON.parse(sent.input) as Input<O>;
      const answer = await call(sent.op as O, input, { key: sent.key, signal });
      forget();
      return answer;
    } catch (error) {
      const no = asRefused(error);
      if ((isUndecided(no) || (mayBeLost && no.status === 0)) && isWanted()) {
        watch.onUnknown?.();
        await pause(Math.min(UNKNOWN_PAUSE_MS * tries, MOST_PAUSE_MS));
        if (isWanted()) continue;
      }
      if (isFinal(no, isAgain || tries > 1)) forget();
      throw error;
    }
}

const isUndecided = ({ code }: Refused): boolean => code === 'BET_OUTCOME_UNKNOWN';

/** Returns true if an error does not say whether the bet is placed. A proxy sends errors of its own, without the code of the server. */
const isUnknown = (error: Refused): boolean =>
  error.status === 0 || isUndecided(error) || /^HTTP_(408|5)/.test(error.code);

/** Returns true if the error settles that the bet is not placed. */
function isFinal(error: Refused, isAgain: boolean): boolean {
  if (isUnknown(error)) return false;
  const { status, earlier } = error;
  const mayBePlaced = isAgain || earlier.some(isUnknown);
  return !(mayBePlaced && (status >= 500 || status === 429 || status === 401));
}
