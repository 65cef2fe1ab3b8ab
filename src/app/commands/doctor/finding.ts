/** The result of one check. `remedy` says what to do about a warning or a problem. No field contains a secret. */
export type Finding = {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  message: string;
  remedy?: string;
};

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'warning',
  message,
  remedy,
});
export const problem = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'problem',
  message,
  remedy,
});
