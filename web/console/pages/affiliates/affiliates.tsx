import { useLocation } from 'wouter';
import type { AdminAffiliateRow, AffiliateLevel } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.ts';
import { Select } from '../../../kit/form/select.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { Export } from '../../export.tsx';

const LIST = 'POST /admin/affiliate';
const SORTS = ['wageredUsdAmount', 'earnedUsdAmount'] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Username or id' },
  { name: 'email', label: 'E-mail' },
  { name: 'code', label: 'Code' },
  { name: 'levelId', label: 'Level (its id)', type: 'number' },
  { name: 'minReferralCount', label: 'Referrals from', type: 'number' },
  { name: 'minUsersWageredUsdAmount', label: 'Wagered from, in USD' },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<AdminAffiliateRow> = [
  { head: 'Affiliate', of: ({ user }) => user.username },
  { head: 'Level', of: ({ level }) => level?.name ?? '–' },
  { head: 'Codes', of: ({ codes }) => codes.map(({ id }) => id).join(', '), wide: true },
  { head: 'Referrals', of: ({ referralCount }) => referralCount, end: true },
  { head: 'Active', of: ({ activeReferrals }) => activeReferrals, end: true },
  { head: 'They wagered', of: ({ usersWageredUsdAmount }) => <Usd of={usersWageredUsdAmount} />, end: true },
  { head: 'Earned', of: ({ earnedUsdAmount }) => <Usd of={earnedUsdAmount} />, end: true },
  { head: 'Can claim', of: ({ claimableUsdAmount }) => <Usd of={claimableUsdAmount} />, end: true },
  { head: 'Claimed', of: ({ totalClaimedUsdAmount }) => <Usd of={totalClaimedUsdAmount} />, end: true },
];

export const AffiliateTabs = () => (
  <Tabs
    label="Affiliates"
    of={{
      Affiliates: '/affiliates',
      Referrals: '/affiliates/referrals',
      'Levels and codes': '/affiliates/levels',
    }}
  />
);

export function Affiliates() {
  const filters = useFilters({});
  const { text, number, page } = filters;
  const where = {
    search: text('search'),
    email: text('email'),
    code: text('code'),
    levelId: number('levelId'),
    minReferralCount: number('minReferralCount'),
    minUsersWageredUsdAmount: text('minUsersWageredUsdAmount'),
  };
  const body = {
    where,
    sortBy: text<(typeof SORTS)[number]>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(LIST, { body: { ...body, page, take: 50 } });
  return (
    <Page
      title="Affiliates"
      filters={
        <>
          <AffiliateTabs />
          <Filters of={FILTERS} in={filters} />
        </>
      }
      actions={<Export op={LIST} input={{ body }} name="affiliates" />}
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Affiliates"
        keyOf={({ userId }) => userId}
        to={({ userId }) => `/affiliates/${userId}`}
        onPage={filters.toPage}
        empty="No affiliate is like this."
      />
    </Page>
  );
}

const LEVELS: Columns<AffiliateLevel> = [
  { head: 'Level', of: ({ name }) => name },
  { head: 'Id', of: ({ id }) => id, end: true },
  { head: 'Of the house edge', of: ({ commission }) => `${commission} %`, end: true },
  { head: 'Referrals wagered', of: ({ minWageredUsdAmount }) => <Usd of={minWageredUsdAmount} />, end: true },
  { head: 'Claims from, referrals', of: (level) => level.minReferralCountForClaim, end: true },
];

export function AffiliateLevels() {
  const levels = useRead('GET /admin/affiliate/levels', {});
  return (
    <Page title="Levels and codes" filters={<AffiliateTabs />}>
      <div className="stack">
        <Loaded of={levels}>{(all) => <Table rows={all} columns={LEVELS} caption="Levels" />}</Loaded>
        <div className="cards">
          <FindOwner />
          <GiveCode />
        </div>
      </div>
    </Page>
  );
}

const OWNER_BY = [
  { value: 'code', label: 'code, deleted ones too' },
  { value: 'username', label: 'username' },
];

/** Finds the current or former owner of a referral code. */
function FindOwner() {
  const [, goTo] = useLocation();
  const find = useAct('POST /admin/affiliate/find-one-extended', {
    onDone: ({ userId }) => goTo(`/affiliates/${userId}`),
  });
  return (
    <Card title="Find an affiliate">
      <Form act={find} input={(f) => ({ body: { where: { [f.text('by')]: f.text('what') } } })} submit="Find">
        <Select name="by" label="By" of={OWNER_BY} />
        <Field name="what" label="Code or username" required maxLength={64} />
      </Form>
    </Card>
  );
}

/** Creates a referral code for a player. `to`: the player, if already selected. */
export function GiveCode({ to }: { to?: number }) {
  const give = useAct('POST /admin/affiliate/code', {
    stale: [LIST, 'GET /admin/affiliate/streamer/{id}', 'POST /admin/affiliate/streamer'],
    said: ({ id }) => `The code ${id} is theirs`,
  });
  return (
    <Card title="Give a code">
      <Form
        act={give}
        input={(f) => ({ body: { id: f.text('id'), userId: to ?? f.number('userId') } })}
        submit="Give it"
        isEmptied
      >
        {to === undefined && <Field name="userId" label="User id" type="number" min={1} required />}
        <Field
          name="id"
          label="Code"
          hint="letters, digits, - and _"
          pattern="[A-Za-z0-9_\-]{1,64}"
          required
          maxLength={64}
        />
      </Form>
    </Card>
  );
}
