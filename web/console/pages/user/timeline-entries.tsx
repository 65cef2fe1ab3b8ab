import type { ReactNode } from 'react';
import type { TimelineEntry } from '../../../../client/call.ts';
import type { Tone } from '../../../kit/figures.tsx';
import type { IconName } from '../../../kit/icon.tsx';
import { exactMoney, moment, money, plural, unit } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import { Network } from '../../network.tsx';
import { spinsText } from '../promo/spins.ts';

type Kind = TimelineEntry['kind'];

export type EntryView = {
  icon: IconName;
  tone?: Tone;
  title: string;
  text?: ReactNode;
  /** A code that is shown in words. */
  state?: string | null;
  /** The page of the object. */
  to?: string;
};

const amountOf = ({ amount, currencyId }: TimelineEntry): string =>
  amount === null ? '' : money(amount, currencyId ?? 'USD');

/** Splits a text whose first part is a code or a request. */
function partsOf(text: string | null): [first: string, rest: string | undefined] {
  const [first = '', ...rest] = (text ?? '').split(', ');
  return [first, rest.length > 0 ? rest.join(', ') : undefined];
}

const PERIODS: Readonly<Record<string, string>> = { DAY: 'Daily', WEEK: 'Weekly', MONTH: 'Monthly' };

function limit({ text, amount, state }: TimelineEntry): EntryView {
  const [type = '', period = ''] = (text ?? '').split(' ');
  const name = `${PERIODS[period] ?? words(period)} ${words(type).toLowerCase()} limit`;
  const value = type === 'SESSION' ? unit(Number(amount), 'minute') : money(amount ?? '0', 'USD');
  return { icon: 'gauge', title: amount === null ? `${name} removed` : `${name}: ${value}`, state };
}

const EXCLUSIONS: Readonly<Record<string, string>> = {
  LIFTED: 'Exclusion ended by staff',
  COOL_OFF: 'Break',
  SELF_EXCLUSION: 'Self-exclusion',
};

/** Requests of staff in words, by their method and path and the action that some of them name. */
const DEEDS: readonly (readonly [RegExp, string])[] = [
  [/\/ban$/, 'Banned'],
  [/\/unban$/, 'Ban lifted'],
  [/^DELETE .*\/mfa$/, 'Two-step verification removed'],
  [/^PUT .*\/balance$/, 'Balance set'],
  [/\/admin-tips$/, 'Money given'],
  [/\/deduct-balance$/, 'Money taken'],
  [/\/end-turnover$/, 'Turnover ended'],
  [/^POST .*\/withdrawals-block\//, 'Withdrawals blocked'],
  [/^DELETE .*\/withdrawals-block\//, 'Withdrawals unblocked'],
  [/^PATCH .*\/kyc\//, 'Verification decided'],
  [/^POST .*\/user-exclusion$/, 'Excluded'],
  [/^DELETE .*\/user-exclusion$/, 'Exclusion ended'],
  [/\/gambling-limits$/, 'Limit lowered'],
  [/\/(roles|add-single-role|revoke-single-role)$/, 'Roles changed'],
  [/\/permissions$/, 'Permissions changed'],
  [/^POST .*\/user-notes$/, 'Note added'],
  [/\/api-keys(\/|$)/, 'API key changed'],
  [/\/withdraw\/approve$/, 'Withdrawal approved'],
  [/\/withdraw\/reject$/, 'Withdrawal rejected'],
  [/\/withdraw\/retry$/, 'Withdrawal retried'],
  [/\/review\/approve$/, 'Deposit decision approved'],
  [/\/review\/reject$/, 'Deposit decision rejected'],
  [/\/deposit\/[^/]+\/review$/, 'Deposit decided'],
  [/\/promo\/\d+\/grant$/, 'Promotion granted'],
  [/\/promo\/grants\/\d+\/cancel$/, 'Grant cancelled'],
  [/\/give-prize$/, 'Leaderboard prize paid'],
  [/\/challenge\/[^/]+\/award$/, 'Challenge reward paid'],
  [/\/challenge\/[^/]+\/rollback$/, 'Challenge reward reversed'],
  [/ MUTE_USER$/, 'Muted in chat'],
  [/ UNMUTE_USER$/, 'Mute ended'],
  [/ DELETE_MESSAGE$/, 'Message deleted'],
  [/\/user-tags$/, 'Tags changed'],
  [/\/user\/admin-user$/, 'Staff account created'],
  [/^PATCH .*\/user\/\d+$/, 'Account changed'],
];

function staff({ text, state }: TimelineEntry): EntryView {
  const [request, detail] = partsOf(text);
  const deed = DEEDS.find(([pattern]) => pattern.test(request) || pattern.test(`${request} ${state}`))?.[1];
  const reason = detail && state === 'MUTE_USER' ? `Until ${moment(detail)}` : detail;
  return { icon: 'shield-user', title: deed ?? 'Changed by staff', text: reason ?? (deed ? null : request) };
}

function bonusOf(entry: TimelineEntry): string {
  const { freeSpins, currencyId } = entry;
  if (!freeSpins) return `Bonus of ${amountOf(entry)}`;
  return spinsText(freeSpins.count, freeSpins.game, exactMoney(freeSpins.value, currencyId ?? 'USD'));
}

const VIEWS: Readonly<Record<Kind, (entry: TimelineEntry) => EntryView>> = {
  'sign-up': ({ text }) => ({ icon: 'user-plus', tone: 'good', title: 'Signed up', text }),
  'sign-in': ({ text, state }) => ({
    icon: 'log-in',
    title: 'Signed in',
    text: [text, state && `session ended: ${words(state).toLowerCase()}`].filter(Boolean).join(' · '),
  }),
  deposit: (entry) => ({
    icon: 'arrow-down-to-line',
    tone: 'good',
    title: `Deposit of ${amountOf(entry)}`,
    text: entry.text && <Network of={entry.text} in={entry.currencyId} />,
    state: entry.state,
    to: `/deposits/${entry.id}`,
  }),
  withdrawal: (entry) => ({
    icon: 'banknote',
    tone: 'warn',
    title: `Withdrawal of ${amountOf(entry)}`,
    text: entry.text && <Network of={entry.text} in={entry.currencyId} />,
    state: entry.state,
    to: `/withdrawals/${entry.id}`,
  }),
  bets: ({ bets }) => ({
    icon: 'receipt',
    title: plural(bets?.count ?? 0, { one: '# bet', other: '# bets' }),
    text: bets && `${money(bets.stakedUsd)} wagered, ${money(bets.paidUsd)} paid out`,
  }),
  limit,
  exclusion: ({ text, state }) => ({
    icon: 'shield',
    tone: 'warn',
    title: EXCLUSIONS[state ?? ''] ?? 'Exclusion',
    text,
  }),
  note: ({ text, state, id }) => ({
    icon: 'file-text',
    title: state === 'NONE' || state === null ? 'Note' : `Note, ${words(state).toLowerCase()} risk`,
    text,
    to: `/notes/${id}`,
  }),
  verification: ({ text, state }) => {
    const [tier, reason] = partsOf(text);
    return { icon: 'user-check', title: `Verification: ${words(tier).toLowerCase()}`, text: reason, state };
  },
  bonus: (entry) => ({
    icon: 'gift',
    tone: 'accent',
    title: bonusOf(entry),
    text: entry.text,
    state: entry.state,
  }),
  staff,
};

export const viewOf = (entry: TimelineEntry): EntryView => VIEWS[entry.kind](entry);
