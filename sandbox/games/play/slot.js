/** The game in the browser. It only displays results; the server decides outcomes, money and balances. */

const SYMBOLS = {
  7: {
    name: 'seven',
    pays: [60, 250, 1000],
    art: '<path d="M22 22h56v14L54 82H36l22-44H22z" fill="#ff6b5e"/>',
  },
  B: {
    name: 'bell',
    pays: [25, 100, 300],
    art: '<path d="M50 16c18 0 24 15 24 31 0 12 4 18 10 23H16c6-5 10-11 10-23 0-16 6-31 24-31z" fill="#f2c14e"/><circle cx="50" cy="79" r="8" fill="#d99a24"/>',
  },
  L: {
    name: 'lemon',
    pays: [12, 40, 100],
    art: '<ellipse cx="50" cy="52" rx="34" ry="25" transform="rotate(-24 50 52)" fill="#f7e05a"/><path d="M74 30q12-8 14-12-12-2-18 6z" fill="#7fbf6a"/>',
  },
  P: {
    name: 'plum',
    pays: [9, 25, 80],
    art: '<circle cx="50" cy="56" r="29" fill="#9a6bd6"/><path d="M50 28q2-14 16-16-2 14-16 16z" fill="#7fbf6a"/><path d="M50 28q-9 26 0 56" stroke="#7d50b8" stroke-width="4" fill="none"/>',
  },
  C: {
    name: 'cherry',
    pays: [5, 15, 50],
    art: '<path d="M34 62Q40 26 64 16 62 40 66 62" stroke="#7fbf6a" stroke-width="5" fill="none"/><circle cx="33" cy="68" r="17" fill="#e0454f"/><circle cx="67" cy="68" r="17" fill="#e0454f"/>',
  },
  O: {
    name: 'orange',
    pays: [5, 15, 50],
    art: '<circle cx="50" cy="54" r="30" fill="#f59b3c"/><path d="M50 25q9-14 22-11-5 13-22 11z" fill="#7fbf6a"/>',
  },
  W: {
    name: 'wild',
    art: '<rect x="12" y="22" width="76" height="56" rx="12" fill="#8fce8a"/><path d="M24 38l10 26 10-20 6 0 6 20 10-26" transform="translate(5 0)" fill="none" stroke="#10240f" stroke-width="8" stroke-linejoin="round" stroke-linecap="round"/>',
  },
  S: {
    name: 'scatter',
    art: '<path d="M45 60h10v26H45z" fill="#a5764b"/><circle cx="50" cy="40" r="28" fill="#5fae6d"/><circle cx="40" cy="34" r="6" fill="#ff6b5e"/><circle cx="60" cy="46" r="6" fill="#f2c14e"/><circle cx="56" cy="26" r="5" fill="#ff6b5e"/>',
  },
};
const START = ['COP', 'CPW', '7PL', 'OLC', 'BCS'];
const PATIENCE_MS = 15_000;
const SHOWN_MS = 1100;
const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;

const $ = (id) => document.getElementById(id);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const session = new URLSearchParams(location.search).get('session') ?? '';
let lines = [];
let currency = '';

function say(text, isProblem = false) {
  $('status').textContent = text;
  $('status').classList.toggle('is-problem', isProblem);
}

function art(symbol) {
  const box = document.createElement('span');
  box.innerHTML = `<svg viewBox="0 0 100 100" aria-hidden="true">${SYMBOLS[symbol].art}</svg>`;
  return box.firstChild;
}

function showWindow(window) {
  const reels = window.map((column) => {
    const reel = document.createElement('div');
    reel.className = 'reel';
    for (const symbol of column) {
      const cell = document.createElement('div');
      cell.className = 'cell';
      cell.append(art(symbol));
      reel.append(cell);
    }
    return reel;
  });
  $('reels').replaceChildren(...reels);
  const rows = [0, 1, 2].map((row) => window.map((column) => SYMBOLS[column[row]].name).join(', '));
  $('reels').setAttribute('aria-label', `The reels, row by row: ${rows.join('; ')}`);
}

function clearWins() {
  document.querySelector('.machine').classList.remove('shows-win');
  $('lines').replaceChildren();
  $('wins').replaceChildren();
}

const cellAt = (reel, row) => $('reels').children[reel].children[row];

/** Draws and names the winning lines. */
function showWins({ wins, isTrigger, window }) {
  clearWins();
  if (wins.length === 0 && !isTrigger) return;
  document.querySelector('.machine').classList.add('shows-win');
  for (const { line, symbol, count, pay } of wins) {
    const rows = [...lines[line]].map(Number);
    const points = rows.slice(0, count).map((row, reel) => `${reel * 100 + 50},${row * 100 + 50}`);
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
    path.setAttribute('points', points.join(' '));
    $('lines').append(path);
    for (let reel = 0; reel < count; reel++) cellAt(reel, rows[reel]).classList.add('is-hit');
    const item = document.createElement('li');
    item.textContent = `Line ${line + 1}: ${count} × ${SYMBOLS[symbol].name}, ${pay}`;
    $('wins').append(item);
  }
  if (!isTrigger) return;
  for (const [reel, column] of window.entries())
    if (column.includes('S')) cellAt(reel, column.indexOf('S')).classList.add('is-hit');
}

async function showSpin(spin, label) {
  showWindow(spin.window);
  showWins(spin);
  if (spin.pay > 0) say(`${label}${spin.pay} line bets won.`);
  else say(`${label}no win.`);
  await wait(isCalm ? SHOWN_MS : SHOWN_MS - 200);
}

function setSpinning(isSpinning) {
  for (const id of ['spin', 'stake', 'less', 'more']) $(id).disabled = isSpinning;
  for (const reel of $('reels').children) reel.classList.toggle('spins', isSpinning);
}

/** Repeats the request until it gets a response. The server plays a spin once, even if it is requested repeatedly. */
async function askForSpin(stake) {
  const body = JSON.stringify({
    session,
    stake,
    spinId: crypto.randomUUID?.() ?? `spin-${Date.now()}-${Math.random().toString(36).slice(2)}`,
  });
  const patience = setTimeout(
    () => say('Waiting for the casino’s response. Your bet is placed at most once.'),
    2000,
  );
  try {
    for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
      const answer = await fetch('/games/spin', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => undefined);
      if (answer?.ok) return await answer.json();
      if (answer && answer.status < 500) return { status: 'REFUSED', code: (await answer.json()).error };
      await wait(pause);
    }
  } finally {
    clearTimeout(patience);
  }
}

const REASONS = [
  [/FUNDS|MONEY|^1$|^100$/, 'Your balance does not cover this stake.'],
  [/LIMIT|^50$|^105$/, 'A limit that you or the casino has set does not allow this bet.'],
  [/TOKEN|^4$|^101$|SESSION/, 'This game session is over. Open the game again from the lobby.'],
  [/BLOCKED|DISABLED|^6$|^110$/, 'The casino does not take bets from this account at the moment.'],
];
const reasonOf = (code) =>
  REASONS.find(([pattern]) => pattern.test(code))?.[1] ??
  `The bet was not taken (${code}). Nothing was debited.`;

async function play() {
  clearWins();
  setSpinning(true);
  say('');
  $('won').textContent = '–';
  const spun = await askForSpin($('stake').value);
  setSpinning(false);
  setControls(true);
  if (spun.round) await showRound(spun);
  else if (spun.status === 'CANCELLED')
    say('The casino did not confirm the bet, so it was cancelled. Nothing was lost.', true);
  else say(reasonOf(spun.code), true);
  if (spun.balance !== null && spun.balance !== undefined) showBalance(spun.balance);
  if (spun.freeRoundsLeft === undefined) $('rounds').hidden = true;
  else showFreeRounds(spun.freeRoundsLeft);
  setControls(false);
  $('spin').focus({ preventScroll: true });
}

async function showRound({ round, won }) {
  const [paid, ...free] = round.spins;
  await showSpin(paid, '');
  for (const [i, spin] of free.entries()) {
    $('free').hidden = false;
    $('free').textContent = `Free spin ${i + 1} of ${free.length}`;
    await showSpin(spin, `Free spin ${i + 1}: `);
  }
  $('free').hidden = true;
  $('won').textContent = `${won} ${currency}`;
  say(Number(won) > 0 ? `You won ${won} ${currency}.` : 'No win this time.');
}

function setControls(isBusy) {
  for (const id of ['spin', 'stake', 'less', 'more']) $(id).disabled = isBusy;
}

/** Shows the free rounds that the casino pays for. The selected stake is ignored while free rounds are left. */
function showFreeRounds(left) {
  $('rounds').hidden = false;
  $('rounds').textContent = left > 0 ? `Free rounds left: ${left}` : 'That was the last free round.';
}

const showBalance = (balance) => {
  $('balance').textContent = `${balance} ${currency}`;
};

function moveStake(by) {
  const { options, selectedIndex } = $('stake');
  const next = Math.min(options.length - 1, Math.max(0, selectedIndex + by));
  $('stake').selectedIndex = next;
  say(`Stake ${$('stake').value} ${currency}`);
}

async function start() {
  showWindow(START);
  for (const { name, pays, art: drawing } of Object.values(SYMBOLS)) {
    if (!pays) continue;
    const row = $('pays').tBodies[0].insertRow();
    row.insertCell().innerHTML = `<svg viewBox="0 0 100 100" aria-hidden="true">${drawing}</svg> ${name}`;
    for (const pay of pays) row.insertCell().textContent = String(pay);
  }
  const answer = await fetch(`/games/play/session?session=${encodeURIComponent(session)}`).catch(
    () => undefined,
  );
  if (!answer?.ok) return say('The game cannot be opened now. Try again from the lobby.', true);
  const about = await answer.json();
  ({ lines, currency } = about);
  $('mode').hidden = !about.isDemo;
  if (/^https?:/.test(about.lobbyUrl)) {
    $('lobby').href = about.lobbyUrl;
    $('lobby').hidden = false;
  }
  $('stake').replaceChildren(...about.stakes.map((stake) => new Option(`${stake} ${currency}`, stake)));
  const one = about.stakes.indexOf('1');
  if (one >= 0) $('stake').selectedIndex = one;
  if (about.balance !== null) showBalance(about.balance);
  if (about.freeRounds) showFreeRounds(about.freeRounds.left);
  $('spin').addEventListener('click', play);
  $('less').addEventListener('click', () => moveStake(-1));
  $('more').addEventListener('click', () => moveStake(1));
  if (about.problem) return say(reasonOf(about.problem), true);
  $('spin').disabled = false;
  say('Choose a stake and spin.');
}

await start();
