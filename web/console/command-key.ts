/** The label of the shortcut modifier on this keyboard. */
export const COMMAND_KEY = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
