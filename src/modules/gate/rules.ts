import type { GateAction } from '../../http/route.ts';
import type { AppError } from '../../platform/errors.ts';
import { gateErrors } from './errors.ts';

/** What the gate knows of a player: read under his lock. */
export type GateFacts = { isBanned: boolean };

/** Actions that go on whatever happens to the player: what he has won or holds stays his. */
const ALWAYS: ReadonlySet<GateAction> = new Set(['none', 'finish']);

/** The one decision whether money may go in or play may start. Undefined: go on. */
export function refusalOf(action: GateAction, facts: GateFacts): AppError | undefined {
  if (ALWAYS.has(action)) return undefined;
  return facts.isBanned ? gateErrors.USER_BANNED() : undefined;
}
