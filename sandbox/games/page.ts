import { escapeHtml, hiddenFields, page } from '../page.ts';
import type { GamesBehaviour } from './behaviour.ts';
import type { Books } from './books.ts';
import type { Rounds } from './rounds.ts';
import { type Said, SCRIPT_HELP } from './script.ts';
import type { Session, Sessions } from './sessions.ts';
import { REASON_NAMES, type Sportsbook } from './sportsbook.ts';
import type { Unsettled } from './unsettled.ts';

/** The parts of the aggregator that the page controls. */
export type Control = {
  books: Books;
  sessions: Sessions;
  behaviour: GamesBehaviour;
  rounds: Rounds;
  sportsbook: Sportsbook;
  unsettled: Unsettled;
  run: (session: Session, script: string) => Promise<Said[]>;
};
type Pressed = { form: Readonly<Record<string, string>>; result: string };

const SHOWN = 10;

/** Returns the page at /games. `pressed` is the form that was submitted last and its result. */
export function gamesPage(control: Control, pressed?: Pressed): string {
  const { books, sessions, behaviour } = control;
  const { pending, oddities } = books.read();
  const live = sessions.list().filter(({ player }) => player);
  return page(
    'Games',
    `${pressed ? `<h2>Answer</h2><pre id="result" role="status">${escapeHtml(resultText(pressed.result))}</pre>` : ''}
<h2>Play by hand</h2>
<p>${escapeHtml(SCRIPT_HELP)}</p>
${live.length === 0 ? '<p id="empty">No session yet: a player launches a game at the platform.</p>' : ''}
${live
  .slice(0, SHOWN)
  .map((session) => sessionForms(session, pressed?.form))
  .join('\n')}
<h2>Sportsbook</h2>
${sportsForm(pressed?.form)}
<h2>Behaviour</h2>
<form method="post"><input type="hidden" name="do" value="behaviour">
<label>Omitted faults are off
<textarea name="behaviour" rows="6" cols="70">${escapeHtml(JSON.stringify(behaviour.get()))}</textarea></label>
<button>Set behaviour</button></form>
<h2>Books</h2>
<p id="books">${pending} transactions with an unknown outcome, ${oddities.length} oddities.
<a href="/games/books">Books</a> · <a href="/games/calls">Calls</a> · <a href="/games/sessions">Sessions</a> · <a href="/">Sandbox</a></p>
${oddities.length > 0 ? `<pre>${escapeHtml(oddities.slice(-SHOWN).join('\n'))}</pre>` : ''}`,
  );
}

/** Formats each step of a script as `b1 10: OK =90`. Other results are shown as JSON. */
function resultText(result: string): string {
  const answer: unknown = JSON.parse(result);
  const isSaid = Array.isArray(answer) && answer.every((one) => typeof one.step === 'string');
  if (!isSaid) return JSON.stringify(answer, null, 2);
  return (answer as Said[])
    .map(
      ({ step, code, balance }) =>
        `${step}: ${code ?? 'no response'}${balance === null ? '' : ` =${balance}`}`,
    )
    .join('\n');
}

function sessionForms({ id, dialect, gameName, player }: Session, form: Pressed['form'] = {}): string {
  const isOwn = form.session === id;
  const script = isOwn && form.script ? form.script : 'b1 10, w1 25!';
  const name = `${dialect}: player ${player!.id}, ${player!.currency}, ${gameName}`;
  return `<h3>${escapeHtml(name)}</h3>
<form method="post">${hiddenFields([['session', id]])}
<label>Script <input name="script" value="${escapeHtml(script)}" required></label>
<button name="do" value="script">Send</button></form>
<form method="post">${hiddenFields([['session', id]])}
<label>Stake <input name="stake" value="${escapeHtml((isOwn && form.stake) || '1')}" required></label>
<label>Rounds <input name="count" value="${escapeHtml((isOwn && form.count) || '1')}" required></label>
<button name="do" value="rounds">Play</button>
<a href="/games/play?session=${id}">Open the game</a></form>`;
}

function sportsForm(form: Pressed['form'] = {}): string {
  const isOwn = form.do === 'sportsbook';
  const field = (label: string, name: string, otherwise = '') =>
    `<label>${label} <input name="${name}" value="${escapeHtml((isOwn && form[name]) || otherwise)}" required></label>`;
  const options = REASON_NAMES.map(
    (one) => `<option${isOwn && form.reason === one ? ' selected' : ''}>${one}</option>`,
  );
  return `<form method="post"><input type="hidden" name="do" value="sportsbook">
<label>Reason <select name="reason">${options.join('')}</select></label>
${field('Bet', 'betId', 'b-1')}
${field('Player', 'playerId')}
${field('Currency', 'currency', 'USDT')}
${field('Amount', 'amount', '10')}
<button>Send</button></form>`;
}
