import { parseObject } from './endpoint.ts';
import { MODES } from './payments-faults.ts';
import { createRandom } from './random.ts';

export type WebhookFaults = {
  /** The probability of each fault. `delayMs` and `reorderMs` are durations. */
  duplicates: number;
  reorder: number;
  lost: number;
  slow: number;
  delayMs: number;
  reorderMs: number;
};
/** One mode, or a probability for each mode. The remaining probability is assigned to `ok`. */
type Answers = string | Record<string, number>;
export type Behaviour = {
  payouts: Answers;
  lookups: Answers;
  addresses: Answers;
  webhooks: WebhookFaults;
  autoSettle: boolean;
  slowMs: number;
  redirectTo: string;
};
const GOOD: Behaviour = {
  payouts: 'ok',
  lookups: 'ok',
  addresses: 'ok',
  webhooks: { duplicates: 0, reorder: 0, lost: 0, slow: 0, delayMs: 0, reorderMs: 200 },
  autoSettle: true,
  slowMs: 1000,
  redirectTo: 'http://127.0.0.1:1/',
};

/** Parses the behaviour. Omitted settings have their normal values. Throws an Error whose message describes the problem. */
function readBehaviour(text: string): Behaviour & { seed: number } {
  const input = parseObject(text);
  if (!input) throw new Error('the body must be a JSON object');
  const { seed = 1, webhooks = {}, ...rest } = input;
  const given = { ...GOOD, ...rest, webhooks: { ...GOOD.webhooks, ...(webhooks as object) } };
  for (const [faults, known] of [
    [given, GOOD],
    [given.webhooks, GOOD.webhooks],
  ]) {
    const unknown = Object.keys(faults!).find((name) => !Object.hasOwn(known!, name));
    if (unknown)
      throw new Error(`unknown field ${unknown}; the fields are ${Object.keys(known!).join(', ')}, seed`);
  }
  for (const name of ['payouts', 'lookups', 'addresses'] as const)
    if (!isAnswers(given[name]))
      throw new Error(`${name} must be one of, or probabilities of, ${MODES.join(', ')}`);
  if (!Object.values(given.webhooks).every((value) => Number.isFinite(value) && value >= 0))
    throw new Error('webhooks must contain numbers of at least 0');
  if (!Number.isInteger(seed)) throw new Error('seed must be a whole number');
  return { ...given, seed: seed as number };
}

function isAnswers(value: unknown): value is Answers {
  if (typeof value === 'string') return MODES.includes(value);
  return Object.entries({ ...(value as object) }).every(
    ([mode, chance]) => MODES.includes(mode) && typeof chance === 'number',
  );
}

/** The provider's current behaviour. The seed determines all random decisions. */
export function createBehaviour() {
  let now = GOOD;
  const random = createRandom();
  return {
    random: random.next,
    chance: (probability: number): boolean => probability > 0 && random.next() < probability,
    get: (): Behaviour => now,
    set(text: string): void {
      const { seed, ...behaviour } = readBehaviour(text);
      now = behaviour;
      random.restart(seed);
    },
    pick(of: 'payouts' | 'lookups' | 'addresses'): string {
      const answers = now[of];
      if (typeof answers === 'string') return answers;
      let left = random.next();
      for (const [mode, probability] of Object.entries(answers)) {
        left -= probability;
        if (left < 0) return mode;
      }
      return 'ok';
    },
  };
}
