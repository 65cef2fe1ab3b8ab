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
  'game_exit',
  'gameclose',
  'home',
  'gohome',
  'lobby',
  'golobby',
  'gotolobby',
  'quit',
  LEAVE,
]);

/** Message fields that may contain one of these words. */
const FIELDS = ['type', 'event', 'name', 'action', 'message', 'method', 'command'] as const;

/**
 * Returns true if a message from a frame asks to close the game. Such a message is one of the words above, or an object (or its JSON) that
 * contains a word in one of the fields.
 */
export function asksToLeave(data: unknown): boolean {
  if (typeof data === 'string') {
    const parsed = data.startsWith('{') && data.length < 1000 ? parse(data) : undefined;
    return parsed === undefined ? isExit(data) : asksToLeave(parsed);
  }
  if (typeof data !== 'object' || data === null) return false;
  return FIELDS.some((field) => isExit((data as Record<string, unknown>)[field]));
}

const isExit = (word: unknown): boolean =>
  typeof word === 'string' && word.length <= 32 && EXITS.has(word.toLowerCase().replace(/[\s:.]/g, ''));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
