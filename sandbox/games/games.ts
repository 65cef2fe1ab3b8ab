import { html, json, parseObject, type SandboxAnswer, type SandboxService, setting } from '../endpoint.ts';
import { formatAmount } from '../payments-amounts.ts';
import { readAmount } from './amounts.ts';
import { createGamesBehaviour, faultsText, type GamesBehaviour, MOST_GAMES } from './behaviour.ts';
import { type Books, createBooks, type State } from './books.ts';
import type { Dialect } from './catalogue.ts';
import type { Speech } from './dialect.ts';
import { type Award, createAwards } from './free-rounds/awards.ts';
import { generic } from './generic.ts';
import { hub88 } from './hub88.ts';
import { type Control, gamesPage } from './page.ts';
import { playEndpoints } from './play.ts';
import { pragmatic } from './pragmatic.ts';
import { createRounds } from './rounds.ts';
import { runScript, SCRIPT_HELP } from './script.ts';
import { createSessions } from './sessions.ts';
import { softswiss } from './softswiss.ts';
import { createSportsbook } from './sportsbook.ts';
import { createTill } from './till.ts';
import { createUnsettled } from './unsettled.ts';
import { createWallet } from './wallet.ts';

const GAMES = 40;
const MOST_ROUNDS = 1000;
const STATES: readonly State[] = ['PENDING', 'DONE', 'REFUSED', 'UNDONE'];

/** A games aggregator with four protocols, and a sportsbook. `apiUrl` is the address of the platform's wallet. */
export function games({ url, apiUrl }: { url: string; apiUrl: () => string }): SandboxService {
  const behaviour = createGamesBehaviour(firstCount());
  const books = createBooks();
  const sessions = createSessions();
  const wallet = createWallet({ apiUrl, behaviour });
  const till = createTill({ books, wallet, behaviour });
  const awards = createAwards();
  const desk = { url, books, sessions, behaviour, awards };
  const speeches: Readonly<Record<Dialect, Speech>> = {
    generic: generic(desk),
    hub88: hub88(desk),
    softswiss: softswiss(desk),
    pragmatic: pragmatic(desk),
  };
  const unsettled = createUnsettled();
  const rounds = createRounds({ books, behaviour, till, speeches, unsettled, awards });
  const sportsbook = createSportsbook({ books, wallet, behaviour, unsettled });
  const control: Control = {
    books,
    sessions,
    behaviour,
    rounds,
    sportsbook,
    unsettled,
    run: (session, script) => runScript({ books, till, wallet }, speeches[session.dialect], session, script),
  };
  return {
    name: 'Games',
    about:
      'A game aggregator with a playable slot, and a sportsbook. The aggregator supports four protocols: its own (provider ' +
      'sandbox), Hub88 (sandbox-hub88), SOFTSWISS (sandbox-softswiss) and Pragmatic Play (sandbox-pragmatic). The sportsbook uses ' +
      'the protocol of GR8. Both call the wallet of the main API and keep their own books.',
    // In development, the platform needs no other setting than the port.
    settings: { SANDBOX_PORT: new URL(url).port },
    endpoints: [
      ...pages(control),
      ...playEndpoints({ sessions, rounds }),
      ...playControls(control),
      ...controls(control),
      {
        method: 'GET',
        path: '/games/calls',
        about: 'Lists the last 1000 wallet calls, oldest first, with the response to each.',
        handle: () => json(200, wallet.list()),
      },
      {
        method: 'GET',
        path: '/games/free-rounds',
        about: 'Lists the free rounds that the platform has ordered, and how many were played.',
        handle: () => json(200, awards.list().map(shownAward)),
      },
      ...Object.values(speeches).flatMap(({ endpoints }) => endpoints),
      ...sportsbook.endpoints,
    ],
    close: wallet.close,
  };
}

const shownAward = ({ session: _, bet, won, ...award }: Award) => ({
  ...award,
  bet: formatAmount(bet),
  won: formatAmount(won),
});

function firstCount(): number {
  const count = Number(setting('SANDBOX_GAMES', String(GAMES)));
  return Number.isInteger(count) && count >= 0 && count <= MOST_GAMES ? count : GAMES;
}

const pages = (control: Control): SandboxService['endpoints'] => [
  {
    method: 'GET',
    path: '/games',
    about: 'Shows sessions and books, plays rounds by hand and sets the behaviour.',
    handle: () => html(200, gamesPage(control)),
  },
  {
    method: 'POST',
    path: '/games',
    about: 'Receives the forms of that page.',
    example: 'do=script&session=…&script=b1 10, w1 25!',
    handle: async ({ body }) => {
      const form = Object.fromEntries(new URLSearchParams(body));
      const answer = await press(control, form).catch((error: Error) => json(400, { error: error.message }));
      const result = typeof answer === 'object' ? answer.body : '';
      return html(200, gamesPage(control, { form, result }));
    },
  },
];

/** Handles a button of the page, which submits a form. */
async function press(control: Control, form: Record<string, string>): Promise<SandboxAnswer> {
  if (form.do === 'script') return script(control, form);
  if (form.do === 'rounds') return playRounds(control, { ...form, count: Number(form.count) });
  if (form.do === 'behaviour') return behave(control.behaviour, form.behaviour ?? '');
  const bet = control.sportsbook.endpoints.find(({ method }) => method === 'POST')!;
  return bet.handle({
    url: '',
    headers: {},
    query: new URLSearchParams(),
    params: {},
    body: JSON.stringify(form),
  });
}

const playControls = (control: Control): SandboxService['endpoints'] => [
  {
    method: 'POST',
    path: '/games/script',
    about: `Plays a script in a launched session. ${SCRIPT_HELP}`,
    example: '{ "session": "…", "script": "b1 10, w1 25!" }',
    handle: ({ body }) => answered(script(control, parseObject(body) ?? {})),
  },
  {
    method: 'POST',
    path: '/games/rounds',
    about: 'Plays slot rounds one after another in a session and returns their results.',
    example: '{ "session": "…", "stake": "1", "count": 10 }',
    handle: ({ body }) => answered(playRounds(control, parseObject(body) ?? {})),
  },
  {
    method: 'POST',
    path: '/games/settle',
    about:
      'Sends late wins now and closes open rounds. Returns { ends } once the outcome of every transaction is known, however long ' +
      'that takes.',
    example: '{}',
    handle: async () => json(200, { ends: await control.unsettled.settle() }),
  },
];

const controls = (control: Control): SandboxService['endpoints'] => [
  {
    method: 'GET',
    path: '/games/sessions',
    about: 'Lists the sessions, newest first.',
    handle: () =>
      json(
        200,
        control.sessions.list().map(({ id, dialect, gameCode, player, at }) => ({
          id,
          dialect,
          gameCode,
          player: player?.id ?? null,
          currency: player?.currency ?? null,
          at,
        })),
      ),
  },
  {
    method: 'GET',
    path: '/games/books',
    about:
      'Shows the books of each protocol: transactions { id, type, amount, effect, player, currency, round, state }, rounds, and the ' +
      'balance change of each player. `pending` is the number of transactions with an unknown outcome. `oddities` lists unexpected ' +
      'responses of the platform.',
    handle: () => json(200, control.books.read()),
  },
  {
    method: 'POST',
    path: '/games/books',
    about: `Changes a transaction (book, id, type) so that the books differ from the platform's: its amount, its state (${STATES.join(', ')}), or remove.`,
    example: '{ "book": "generic", "id": "t-…", "type": "BET", "amount": "11" }',
    handle: ({ body }) => change(control.books, parseObject(body) ?? {}),
  },
  {
    method: 'POST',
    path: '/games/behaviour',
    about: `Sets the behaviour. Omitted faults are off. The value of a fault is a probability, { "next": number of calls } or { "every": number of calls }: ${faultsText}. Other fields: slowMs, lateWinHours, games (number of offered games, up to ${MOST_GAMES}), listOncePerMinute, seed.`,
    example: '{ "lost": 0.2, "duplicates": { "next": 1 }, "outOfOrder": 0.1, "slowMs": 500, "seed": 7 }',
    handle: ({ body }) => behave(control.behaviour, body),
  },
];

const answered = (work: Promise<SandboxAnswer>): Promise<SandboxAnswer> =>
  work.catch((error: Error) => json(400, { error: error.message }));

async function script(control: Control, input: Record<string, unknown>): Promise<SandboxAnswer> {
  const session = control.sessions.find(String(input.session));
  if (!session?.player) throw new Error('session must be one that was launched for real money');
  return json(200, await control.run(session, String(input.script)));
}

async function playRounds(
  { sessions, rounds }: Control,
  input: Record<string, unknown>,
): Promise<SandboxAnswer> {
  const session = sessions.find(String(input.session));
  const [stake, count] = [readAmount(input.stake), Number(input.count ?? 1)];
  if (!session) throw new Error('session must be one that was launched');
  if (stake === null || !rounds.isStake(session, stake))
    throw new Error("stake must be a multiple of ten of the currency's smallest units");
  if (!Number.isInteger(count) || count < 1 || count > MOST_ROUNDS)
    throw new Error(`count must be from 1 to ${MOST_ROUNDS}`);
  const played: object[] = [];
  for (let n = 0; n < count; n++) played.push(await rounds.spin(session, stake, crypto.randomUUID()));
  return json(200, played);
}

function behave(behaviour: GamesBehaviour, text: string): SandboxAnswer {
  try {
    behaviour.set(text);
  } catch (error) {
    return json(400, { error: (error as Error).message });
  }
  return json(200, behaviour.get());
}

function change(books: Books, input: Record<string, unknown>): SandboxAnswer {
  const { book, id, type, state } = input as { book: never; id: string; type: string; state: State };
  const transaction = books.find(book, id, type);
  if (!transaction) return json(404, { error: 'no such transaction: book, id and type are required' });
  const amount = input.amount === undefined ? transaction.amount : readAmount(input.amount);
  if (amount === null || (state !== undefined && !STATES.includes(state)))
    return json(400, { error: `amount must be decimal text, and state one of ${STATES.join(', ')}` });
  if (input.remove === true) books.remove(transaction);
  Object.assign(transaction, { amount, state: state ?? transaction.state });
  return json(200, { changed: id });
}
