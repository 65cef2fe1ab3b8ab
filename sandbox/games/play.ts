import { readFileSync } from 'node:fs';
import {
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  text,
} from '../endpoint.ts';
import { escapeHtml } from '../page.ts';
import { parseAmount } from '../payments-amounts.ts';
import { readAmount } from './amounts.ts';
import { type Dialect, findGame } from './catalogue.ts';
import type { Rounds } from './rounds.ts';
import type { Session, Sessions } from './sessions.ts';
import { LINES } from './seven-orchards.ts';

type Desk = { sessions: Sessions; rounds: Rounds };

/** Any site may show the game in a frame, but the game may load from and call only this server. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
const FILES = {
  '/games/play/slot.js': { file: 'slot.js', type: 'text/javascript; charset=utf-8' },
  '/games/play/slot.css': { file: 'slot.css', type: 'text/css; charset=utf-8' },
} as const;
const SPIN_ID = /^[\w-]{8,64}$/;
const USUAL_STAKES = ['0.1', '0.2', '0.5', '1', '2', '5', '10', '20', '50', '100'];
const STAKES: Readonly<Record<string, readonly string[]>> = {
  BTC: ['0.00001', '0.0001', '0.0005', '0.001', '0.005'],
  ETH: ['0.0001', '0.0005', '0.001', '0.005', '0.01', '0.05'],
};

/** Endpoints that the player's browser loads and calls. */
export const playEndpoints = ({ sessions, rounds }: Desk): Endpoint[] => [
  {
    method: 'GET',
    path: '/games/play',
    about: 'Serves the game page. A launch returns its URL.',
    handle: ({ query }) => gameFrame(sessions.find(query.get('session') ?? '')),
  },
  ...Object.entries(FILES).map(
    ([path, { file, type }]): Endpoint => ({
      method: 'GET',
      path,
      about: 'Serves a file of the game page.',
      handle: () => ({ status: 200, type, body: read(file) }),
    }),
  ),
  {
    method: 'GET',
    path: '/games/play/session',
    about:
      'Returns the initial data of the game page: the game, the stakes and the balance that the platform reports.',
    handle: ({ query }) => opened(rounds, sessions.find(query.get('session') ?? '')),
  },
  {
    method: 'POST',
    path: '/games/spin',
    about: 'Plays a round in a session. A repeated spinId returns the same round, once its outcome is known.',
    example: '{ "session": "…", "stake": "1", "spinId": "0b9e…" }',
    handle: (request) => spin({ sessions, rounds }, request),
  },
  {
    method: 'GET',
    path: '/games/images/{file}',
    about: 'Serves the image of a game.',
    handle: ({ params }) => ({
      status: 200,
      type: 'image/svg+xml; charset=utf-8',
      headers: { 'cache-control': 'public, max-age=86400' },
      body: image(params.file!.replace(/\.svg$/, '')),
    }),
  },
];

function gameFrame(session: Session | undefined): SandboxAnswer {
  if (!session) return { ...text(404, 'This game session is over. Open the game again from the lobby.') };
  const body = read('index.html').replaceAll('{{name}}', escapeHtml(session.gameName));
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': CSP, 'referrer-policy': 'no-referrer' },
    body,
  };
}

async function opened(rounds: Rounds, session: Session | undefined): Promise<SandboxAnswer> {
  if (!session) return json(404, { error: 'SESSION_NOT_FOUND' });
  const verdict = session.player ? await rounds.authenticate(session) : undefined;
  const isStake = (stake: string) => rounds.isStake(session, parseAmount(stake)!);
  const own = (STAKES[session.player?.currency ?? ''] ?? USUAL_STAKES).filter(isStake);
  return json(200, {
    game: session.gameName,
    isDemo: !session.player,
    currency: session.player?.currency ?? 'DEMO',
    lobbyUrl: session.lobbyUrl,
    stakes: own.length > 0 ? own : USUAL_STAKES.filter(isStake),
    balance: await rounds.balance(session),
    freeRounds: rounds.freeRounds(session) ?? null,
    problem: verdict?.kind === 'refused' ? verdict.code : null,
    lines: LINES,
  });
}

async function spin({ sessions, rounds }: Desk, { body }: SandboxRequest): Promise<SandboxAnswer> {
  const { session: id, stake: wanted, spinId } = parseObject(body) ?? {};
  const session = sessions.find(String(id));
  const stake = readAmount(wanted);
  if (!session) return json(404, { error: 'SESSION_NOT_FOUND' });
  if (stake === null || !rounds.isStake(session, stake)) return json(400, { error: 'STAKE_INVALID' });
  if (!SPIN_ID.test(String(spinId))) return json(400, { error: 'SPIN_ID_INVALID' });
  return json(200, await rounds.spin(session, stake, String(spinId)));
}

/** Reads the file for every request, so that edits are visible after a reload. */
const read = (file: string): string => readFileSync(new URL(`./play/${file}`, import.meta.url), 'utf8');

/** Returns a simple picture with the name of the game. It is always the same for a game code. */
function image(code: string): string {
  const hue = [...code].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 360, 7);
  const game = findGame(code.split('-')[0] as Dialect, code, Number.POSITIVE_INFINITY);
  const words = (game?.name ?? code).split(/[ -]/);
  const size = Math.min(34, 300 / Math.max(...words.map((word) => word.length)));
  const lines = words.map((word, at) => {
    const y = 296 - (words.length - 1 - at) * size;
    return `<text x="120" y="${y}">${escapeHtml(word.toUpperCase())}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 320" role="img" aria-label="${escapeHtml(words.join(' '))}">
<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(${hue} 60% 48%)"/><stop offset="1" stop-color="hsl(${(hue + 50) % 360} 60% 22%)"/></linearGradient></defs>
<rect width="240" height="320" fill="url(#g)"/>
<circle cx="120" cy="120" r="${64 + (hue % 24)}" fill="#fff" fill-opacity=".14"/>
<path d="M120 52l18 50 50 18-50 18-18 50-18-50-50-18 50-18z" fill="#fff" fill-opacity=".85" transform="rotate(${hue} 120 120)"/>
<g font-family="system-ui, sans-serif" font-size="${size.toFixed(1)}" font-weight="800" fill="#fff" text-anchor="middle">${lines.join('')}</g>
</svg>`;
}
