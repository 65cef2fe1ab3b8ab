import type { Texts } from './texts.ts';

const hours = (n: number) => (n === 1 ? '1 hour' : `${n} hours`);
const minutes = (n: number) => (n === 1 ? '1 minute' : `${n} minutes`);

export const en: Texts = {
  labels: {
    at: 'Time',
    passkey: 'Passkey',
    address: 'New address',
    device: 'Device',
    browser: 'Browser',
    os: 'System',
    country: 'Country',
    ip: 'IP address',
    game: 'Game',
    bets: 'Bets',
    actual: 'Return',
    band: '95 % band',
    rounds: 'Rounds',
    chance: 'Chance of this',
  },
  orCopy: 'If the button does not work, copy this address into your browser:',
  automatic: 'This message was sent automatically. We never ask for your password or your codes by email.',
  mails: {
    'verify-email': {
      subject: ({ brand }) => `Confirm your email address for ${brand}`,
      preview: 'One click, and your address is confirmed.',
      title: 'Confirm your email address',
      body: ({ brand }) => `Please confirm that this address belongs to you and to your account at ${brand}.`,
      button: 'Confirm address',
      expiry: (f) => `The link works once, for ${hours(f.hours)}.`,
      notYou: 'If you did not ask for this, ignore this message: nothing happens without the link.',
      why: ({ brand }) => `You received this because an account at ${brand} gave this address.`,
    },
    'reset-password': {
      subject: ({ brand }) => `Reset your password for ${brand}`,
      preview: 'Here is the link to choose a new password.',
      title: 'Choose a new password',
      body: ({ brand }) =>
        `Somebody asked to reset the password of your account at ${brand}. If it was you, continue here.`,
      button: 'Choose a new password',
      expiry: (f) => `The link works once, for ${minutes(f.minutes)}.`,
      notYou:
        'If it was not you, ignore this message: your password stays as it is. Give the link to nobody.',
      why: ({ brand }) => `You received this because a reset was requested for your account at ${brand}.`,
    },
    'new-device': {
      subject: ({ brand }) => `New sign-in to your account at ${brand}`,
      preview: 'Your account was used on a device that we have not seen before.',
      title: 'A new device signed in',
      body: 'Your account was used on a device that we have not seen before. If it was you, there is nothing to do.',
      notYou:
        'If it was not you: change your password at once, end the other sessions in your settings and switch on two-factor sign-in.',
      why: ({ brand }) => `You received this because we report every new device on your account at ${brand}.`,
    },
    'mfa-changed': {
      subject: ({ brand, change }) => `${MFA_TITLE[change]} at ${brand}`,
      preview: 'The protection of your account has changed.',
      title: ({ change }) => MFA_TITLE[change],
      body: ({ change }) => MFA_BODY[change],
      notYou:
        'If it was not you: reset your password at once, end the other sessions in your settings and write to our support.',
      why: ({ brand }) =>
        `You received this because we report every change of the protection of your account at ${brand}.`,
    },
    'email-change-old': {
      subject: ({ brand }) => `Allow the change of your email address at ${brand}`,
      preview: 'Your account is about to move to another address. Nothing changes without you.',
      title: 'Allow the change of your address',
      body: ({ brand }) =>
        `Somebody who knows the password of your account at ${brand} asked to move it from this address to another one. If it was you, allow it here, and follow the link that we have sent to the new address.`,
      button: 'Allow the change',
      expiry: (f) => `The link works for ${hours(f.hours)}. The address changes once both are confirmed.`,
      notYou:
        'If it was not you: do not follow the link, reset your password at once, which also stops the change, and write to our support.',
      why: ({ brand }) => `You received this because this is the address of an account at ${brand}.`,
    },
    'email-change-new': {
      subject: ({ brand }) => `Confirm your new email address for ${brand}`,
      preview: 'One click, and this address is confirmed.',
      title: 'Confirm your new email address',
      body: ({ brand }) => `Please confirm that this address is to be the one of your account at ${brand}.`,
      button: 'Confirm address',
      expiry: (f) => `The link works for ${hours(f.hours)}.`,
      notYou: 'If you did not ask for this, ignore this message: nothing happens without the link.',
      why: ({ brand }) => `You received this because an account at ${brand} gave this address.`,
    },
    'email-changed': {
      subject: ({ brand }) => `Your email address at ${brand} was changed`,
      preview: 'The address of your account was changed.',
      title: 'Your email address was changed',
      body: 'Your account has another email address from now on. If it was you, there is nothing to do.',
      notYou: 'If it was not you, write to our support at once.',
      why: ({ brand }) =>
        `You received this because we report every change of the protection of your account at ${brand}.`,
    },
    'already-registered': {
      subject: ({ brand }) => `You already have an account at ${brand}`,
      preview: 'Somebody wanted to use your address for an account.',
      title: 'You already have an account',
      body: ({ brand }) =>
        `Somebody wanted to use your email address for an account at ${brand}. You have one already: sign in with it.`,
      signIn: 'Sign in',
      forgot: 'You do not remember your password?',
      reset: 'Choose a new one',
      notYou: 'If it was not you, there is nothing to do: no other account has your address.',
      why: ({ brand }) => `You received this because this address belongs to an account at ${brand}.`,
    },
    'password-changed': {
      subject: ({ brand }) => `Your password at ${brand} was changed`,
      preview: 'The password of your account was changed.',
      title: 'Your password was changed',
      body: 'The password of your account was changed. If it was you, there is nothing to do.',
      notYou: 'If it was not you: reset your password at once and write to our support.',
      why: ({ brand }) =>
        `You received this because we report every change of the protection of your account at ${brand}.`,
    },
    'sign-in-failures': {
      subject: ({ brand }) => `Somebody knows your password at ${brand}`,
      preview: 'The right password was entered three times, but not the second factor.',
      title: 'Somebody may know your password',
      body: 'The right password of your account was entered three times, but never the second factor. Nobody got in. If it was you, there is nothing to do.',
      button: 'Choose a new password',
      notYou:
        'If it was not you, somebody knows your password: choose a new one, here and wherever else you use it.',
      why: ({ brand }) =>
        `You received this because we report suspicious sign-ins to your account at ${brand}.`,
    },
    'return-alert': {
      subject: ({ brand, game }) => `${brand}: the return of ${game} is not what it should be`,
      preview: 'The return of a game lies outside of what theory allows.',
      title: 'A game returns something else than it should',
      body: ({ game }) =>
        `The bets on ${game} were settled with a return that chance alone hardly explains. The window ends at the time below.`,
      next: 'Look at the returns of the game, play its bets again with the reconcile command, and stop it by its kill switch if in doubt.',
      why: ({ brand }) => `You received this because this address is told of alerts at ${brand}.`,
    },
    'uniformity-alert': {
      subject: ({ brand, game }) => `${brand}: what comes up in ${game} is uneven`,
      preview: 'Two tests running found that some results of a game come up too often.',
      title: 'The results of a game are uneven',
      body: ({ game }) =>
        `All results of ${game} should be equally likely. Two tests running found counts that fair chance shows less than once in a hundred tests. The rounds were played before the time below.`,
      next: 'Play the bets of the game again with the reconcile command, look at where its seeds come from, and stop it by its kill switch if in doubt.',
      why: ({ brand }) => `You received this because this address is told of alerts at ${brand}.`,
    },
  },
};

const MFA_TITLE = {
  enabled: 'Two-factor sign-in switched on',
  disabled: 'Two-factor sign-in switched off',
  reset: 'Two-factor sign-in was reset',
  'recovery-code-used': 'A recovery code was used',
  'passkey-added': 'A passkey was added',
  'passkey-removed': 'A passkey was removed',
  'passkey-copied': 'A passkey may have been copied',
};
const MFA_BODY = {
  enabled: 'Your account is now protected by a second factor. Keep your recovery codes in a safe place.',
  disabled: 'Your account is no longer protected by a second factor: the password alone opens it.',
  reset: 'The second factor of your account was removed. Set up a new one in your settings.',
  'recovery-code-used':
    'One of your recovery codes was used in place of your second factor. Each code works once.',
  'passkey-added':
    'A passkey was added to your account. It signs in by itself, and after the password it is asked for. Keep your recovery codes in a safe place.',
  'passkey-removed': 'A passkey was removed from your account. It does not sign in any more.',
  'passkey-copied':
    'One of your passkeys was used in a way that shows that there is a copy of it. We refused it. Remove this passkey in your settings and add a new one.',
};
