/** The modifier of shortcuts, as the keyboard of this computer names it. */
export const COMMAND_KEY = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
