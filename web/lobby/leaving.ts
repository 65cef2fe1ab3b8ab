/**
 * The message that /play/leave sends from a game's frame to the lobby. /play/leave is the target of the Home button in a provider's game.
 */
export const LEAVE = 'croupier-leave';

/** Messages with which the games of common providers ask the parent page to close the game. */
const EXITS: ReadonlySet<string> = new Set([
  'exit',
  'exitgame',
  'close',
  'closegame',
  'gameexit',
  'gameclose',
  'home',
  'gohome',
  'lobby',
  'golobby',
  'gotolobby',
  'quit',
]);

/** Messages with which games ask the parent page to show the wallet. */
const CASHIERS: ReadonlySet<string> = new Set([
  'cashier',
  'opencashier',
  'gocashier',
  'gotocashier',
  'deposit',
  'opendeposit',
  'quickdeposit',
]);

/** Message fields that may contain one of these words. */
const FIELDS = ['type', 'event', 'name', 'action', 'message', 'method', 'command'] as const;

/**
 * Returns what a message from a frame asks for: to close the game, or to show the wallet. Such a message is one of the words above, or an
 * object (or its JSON) that contains a word in one of the fields.
 */
export function asksFor(data: unknown): 'home' | 'cashier' | undefined {
  if (typeof data === 'string') {
    const parsed = data.startsWith('{') && data.length < 1000 ? parse(data) : undefined;
    return parsed === undefined ? meaningOf(data) : asksFor(parsed);
  }
  if (typeof data !== 'object' || data === null) return undefined;
  for (const field of FIELDS) {
    const meaning = meaningOf((data as Record<string, unknown>)[field]);
    if (meaning) return meaning;
  }
  return undefined;
}

function meaningOf(word: unknown): 'home' | 'cashier' | undefined {
  if (typeof word !== 'string' || word.length > 32) return undefined;
  const plain = word.toLowerCase().replace(/[\s:._-]/g, '');
  if (EXITS.has(plain) || word.toLowerCase() === LEAVE) return 'home';
  return CASHIERS.has(plain) ? 'cashier' : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
