import { useLocation } from 'wouter';
import type { AffiliateLevel } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { number, percent } from '../../../kit/intl.ts';
import { Card, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice, count, text } from '../../list/spec.ts';
import { SectionTabs } from '../../section-tabs.tsx';
import { useAffiliateLevels } from '../choices.ts';

const LIST = 'POST /admin/affiliate';
export const Affiliates = listPage({
  list: 'affiliates',
  title: 'Affiliates',
  op: LIST,
  file: 'affiliates',
  input: ({ text: read, number: numberIn }) => ({
    body: {
      sortBy: read<'createdAt' | 'wageredUsdAmount' | 'earnedUsdAmount'>('sortBy'),
      sortOrder: read<'asc' | 'desc'>('sortOrder'),
      where: {
        search: read('search'),
        email: read('email'),
        code: read('code'),
        levelId: numberIn('levelId'),
        minReferralCount: numberIn('minReferralCount'),
        minUsersWageredUsdAmount: read('minUsersWageredUsdAmount'),
      },
    },
  }),
  keyOf: ({ userId }) => userId,
  idField: 'userId',
  nameOf: ({ user }) => user.username,
  to: ({ userId }) => `/affiliates/${userId}`,
  search: { name: 'search', label: 'Username or ID' },
  filters: [
    choice('levelId', 'Level', useAffiliateLevels),
    count('minReferralCount', 'Referrals from'),
    text('minUsersWageredUsdAmount', 'Wagered from, in USD'),
    text('code', 'Code'),
    text('email', 'Email'),
  ],
  columns: [
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Affiliate',
      of: ({ user }) => user.username,
      isMain: true,
    },
    { name: 'level', fields: ['level.name'], head: 'Level', of: ({ level }) => level?.name ?? '–' },
    { name: 'codes', head: 'Codes', of: ({ codes }) => codes.map(({ id }) => id).join(', '), wide: true },
    { name: 'referralCount', head: 'Referrals', of: (a) => number(a.referralCount), end: true },
    { name: 'activeReferrals', head: 'Active', of: (a) => number(a.activeReferrals), end: true },
    {
      name: 'usersWageredUsdAmount',
      head: 'Wagered',
      of: (a) => <Usd of={a.usersWageredUsdAmount} />,
      end: true,
      sort: 'wageredUsdAmount',
    },
    {
      name: 'earnedUsdAmount',
      head: 'Earned',
      of: (a) => <Usd of={a.earnedUsdAmount} />,
      end: true,
      sort: 'earnedUsdAmount',
      isMain: true,
    },
    {
      name: 'claimableUsdAmount',
      head: 'Claimable',
      of: (a) => <Usd of={a.claimableUsdAmount} />,
      end: true,
    },
    {
      name: 'totalClaimedUsdAmount',
      head: 'Claimed',
      of: (a) => <Usd of={a.totalClaimedUsdAmount} />,
      end: true,
    },
  ],
  empty: 'Players who refer others appear here',
});

const LEVELS: Columns<AffiliateLevel> = [
  { head: 'Level', of: ({ name }) => name },
  { head: 'ID', of: ({ id }) => id, end: true },
  { head: 'Share of the house edge', of: ({ commission }) => percent(commission), end: true },
  {
    head: 'Wagered by referrals',
    of: ({ minWageredUsdAmount }) => <Usd of={minWageredUsdAmount} />,
    end: true,
  },
  { head: 'Referrals to claim', of: (level) => level.minReferralCountForClaim, end: true },
];

export function AffiliateLevels() {
  const levels = useRead('GET /admin/affiliate/levels', {});
  return (
    <Page title="Levels and codes" filters={<SectionTabs />}>
      <div className="stack">
        <Loaded of={levels}>
          {(all) => <Table rows={all} columns={LEVELS} caption="Levels" keyOf={({ id }) => id} />}
        </Loaded>
        <div className="cards">
          <FindOwner />
          <GiveCode />
        </div>
      </div>
    </Page>
  );
}

const OWNER_BY = [
  { value: 'code', label: 'Code, including deleted ones' },
  { value: 'username', label: 'Username' },
];

/** Finds the current or former owner of a referral code. */
function FindOwner() {
  const [, goTo] = useLocation();
  const find = useAct('POST /admin/affiliate/find-one-extended', {
    onDone: ({ userId }) => goTo(`/affiliates/${userId}`),
  });
  return (
    <Card title="Find an affiliate">
      <Form
        act={find}
        input={(f) => ({ body: { where: { [f.text('by')]: f.text('what') } } })}
        submit="Find affiliate"
      >
        <Select name="by" label="Find by" of={OWNER_BY} />
        <Field name="what" label="Code or username" required maxLength={64} />
      </Form>
    </Card>
  );
}

/** Creates a referral code for a player. `to`: the player, if already selected. */
export function GiveCode({ to }: { to?: number }) {
  const give = useAct('POST /admin/affiliate/code', {
    stale: [LIST, 'GET /admin/affiliate/streamer/{id}', 'POST /admin/affiliate/streamer'],
    said: ({ id }) => `Code ${id} added`,
  });
  return (
    <Card title="Add a code">
      <Form
        act={give}
        input={(f) => ({ body: { id: f.text('id'), userId: to ?? f.number('userId') } })}
        submit="Add code"
        isEmptied
      >
        {to === undefined && <Field name="userId" label="User ID" type="number" min={1} required />}
        <Field
          name="id"
          label="Code"
          hint="Letters, digits, - and _"
          pattern="[A-Za-z0-9_\-]{1,64}"
          required
          maxLength={64}
        />
      </Form>
    </Card>
  );
}
