/** The formats that the server requires for usernames and passwords. */
export const USERNAME = { minLength: 3, maxLength: 20, pattern: '[A-Za-z0-9_]+' };
export const PASSWORD = { minLength: 8, maxLength: 128, autoComplete: 'new-password' };
