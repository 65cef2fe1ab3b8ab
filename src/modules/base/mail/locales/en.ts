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
      preview: 'Confirm your address with one click.',
      title: 'Confirm your email address',
      body: ({ brand }) => `Please confirm that this address belongs to you and to your account at ${brand}.`,
      button: 'Confirm address',
      expiry: (f) => `The link works once, for ${hours(f.hours)}.`,
      notYou: 'If you did not request this, ignore this message. Nothing changes unless you use the link.',
      why: ({ brand }) =>
        `You received this because an account at ${brand} was registered with this address.`,
    },
    'reset-password': {
      subject: ({ brand }) => `Reset your password for ${brand}`,
      preview: 'Here is the link to choose a new password.',
      title: 'Choose a new password',
      body: ({ brand }) =>
        `Someone requested a password reset for your account at ${brand}. If it was you, continue here.`,
      button: 'Choose a new password',
      expiry: (f) => `The link works once, for ${minutes(f.minutes)}.`,
      notYou: 'If it was not you, ignore this message. Your password does not change. Do not share the link.',
      why: ({ brand }) => `You received this because a reset was requested for your account at ${brand}.`,
    },
    'new-device': {
      subject: ({ brand }) => `New sign-in to your account at ${brand}`,
      preview: 'Your account was used on a device that we have not seen before.',
      title: 'A new device signed in',
      body: 'Your account was used on a device that we have not seen before. If it was you, you do not need to do anything.',
      notYou:
        'If it was not you, change your password immediately, end the other sessions in your settings and turn on two-factor authentication.',
      why: ({ brand }) => `You received this because we report every new device on your account at ${brand}.`,
    },
    'mfa-changed': {
      subject: ({ brand, change }) => `${MFA_TITLE[change]} at ${brand}`,
      preview: 'The security settings of your account have changed.',
      title: ({ change }) => MFA_TITLE[change],
      body: ({ change }) => MFA_BODY[change],
      notYou:
        'If it was not you, reset your password immediately, end the other sessions in your settings and contact our support.',
      why: ({ brand }) =>
        `You received this because we report every change to the security of your account at ${brand}.`,
    },
    'email-change-old': {
      subject: ({ brand }) => `Confirm the change of your email address at ${brand}`,
      preview: 'Your account is about to move to another address. Nothing changes unless you confirm.',
      title: 'Confirm the change of your address',
      body: ({ brand }) =>
        `Someone with the password of your account at ${brand} requested to change its email address. If it was you, confirm it here and follow the link that we sent to the new address.`,
      button: 'Confirm the change',
      expiry: (f) => `The link works for ${hours(f.hours)}. The address changes when both are confirmed.`,
      notYou:
        'If it was not you, do not follow the link. Reset your password immediately, which also stops the change, and contact our support.',
      why: ({ brand }) => `You received this because this is the address of an account at ${brand}.`,
    },
    'email-change-new': {
      subject: ({ brand }) => `Confirm your new email address for ${brand}`,
      preview: 'Confirm this address with one click.',
      title: 'Confirm your new email address',
      body: ({ brand }) => `Please confirm that you want to use this address for your account at ${brand}.`,
      button: 'Confirm address',
      expiry: (f) => `The link works for ${hours(f.hours)}.`,
      notYou: 'If you did not request this, ignore this message. Nothing changes unless you use the link.',
      why: ({ brand }) =>
        `You received this because an account at ${brand} was registered with this address.`,
    },
    'email-changed': {
      subject: ({ brand }) => `Your email address at ${brand} was changed`,
      preview: 'The address of your account was changed.',
      title: 'Your email address was changed',
      body: 'Your account now has another email address. If it was you, you do not need to do anything.',
      notYou: 'If it was not you, contact our support immediately.',
      why: ({ brand }) =>
        `You received this because we report every change to the security of your account at ${brand}.`,
    },
    'already-registered': {
      subject: ({ brand }) => `You already have an account at ${brand}`,
      preview: 'Someone tried to open an account with your address.',
      title: 'You already have an account',
      body: ({ brand }) =>
        `Someone tried to open an account at ${brand} with your email address. You already have one. Sign in with it.`,
      signIn: 'Sign in',
      forgot: 'Forgot your password?',
      reset: 'Choose a new one',
      notYou: 'If it was not you, you do not need to do anything. No other account has your address.',
      why: ({ brand }) => `You received this because this address belongs to an account at ${brand}.`,
    },
    'password-changed': {
      subject: ({ brand }) => `Your password at ${brand} was changed`,
      preview: 'The password of your account was changed.',
      title: 'Your password was changed',
      body: 'The password of your account was changed. If it was you, you do not need to do anything.',
      notYou: 'If it was not you, reset your password immediately and contact our support.',
      why: ({ brand }) =>
        `You received this because we report every change to the security of your account at ${brand}.`,
    },
    'sign-in-failures': {
      subject: ({ brand }) => `Someone may know your password at ${brand}`,
      preview: 'The correct password was entered three times, but not the second factor.',
      title: 'Someone may know your password',
      body: 'The correct password of your account was entered three times, but never the second factor. No one signed in. If it was you, you do not need to do anything.',
      button: 'Choose a new password',
      notYou:
        'If it was not you, someone knows your password. Choose a new one, here and everywhere else you use it.',
      why: ({ brand }) =>
        `You received this because we report suspicious sign-ins to your account at ${brand}.`,
    },
    'return-alert': {
      subject: ({ brand, game }) => `${brand}: unexpected return of ${game}`,
      preview: 'The return of a game is outside its expected range.',
      title: 'A game has an unexpected return',
      body: ({ game }) =>
        `The return of bets on ${game} is very unlikely to be due to chance. The window ends at the time below.`,
      next: 'Check the returns of the game, replay its bets with the reconcile command, and stop it with its kill switch if in doubt.',
      why: ({ brand }) => `You received this because this address receives alerts of ${brand}.`,
    },
    'uniformity-alert': {
      subject: ({ brand, game }) => `${brand}: uneven results in ${game}`,
      preview: 'Two consecutive tests found that some results of a game occur too often.',
      title: 'The results of a game are uneven',
      body: ({ game }) =>
        `All results of ${game} should be equally likely. Two consecutive tests found counts that a fair game shows in fewer than one of a hundred tests. The rounds were played before the time below.`,
      next: 'Replay the bets of the game with the reconcile command, check the source of its seeds, and stop it with its kill switch if in doubt.',
      why: ({ brand }) => `You received this because this address receives alerts of ${brand}.`,
    },
  },
};

const MFA_TITLE = {
  enabled: 'Two-factor authentication turned on',
  disabled: 'Two-factor authentication turned off',
  reset: 'Two-factor authentication was reset',
  'recovery-code-used': 'A recovery code was used',
  'passkey-added': 'A passkey was added',
  'passkey-removed': 'A passkey was removed',
  'passkey-copied': 'A passkey may have been copied',
};
const MFA_BODY = {
  enabled: 'Your account is now protected by a second factor. Keep your recovery codes in a safe place.',
  disabled:
    'Your account is no longer protected by a second factor. The password alone is enough to sign in.',
  reset: 'The second factor of your account was removed. Set up a new one in your settings.',
  'recovery-code-used':
    'One of your recovery codes was used instead of your second factor. Each code works once.',
  'passkey-added':
    'A passkey was added to your account. You can sign in with it alone or as the second factor after your password. Keep your recovery codes in a safe place.',
  'passkey-removed': 'A passkey was removed from your account. It can no longer be used to sign in.',
  'passkey-copied':
    'One of your passkeys may have been copied. We rejected the sign-in. Remove this passkey in your settings and add a new one.',
};
