import type { DeclineCode } from './errors.ts';

/** A transaction that is not carried out. `keepsOut`: what it refers to is refused when it comes. */
export class Decline extends Error {
  readonly code: DeclineCode;
  readonly keepsOut: boolean;
  constructor(code: DeclineCode, { keepsOut = false } = {}) {
    super(code);
    this.code = code;
    this.keepsOut = keepsOut;
  }
}
