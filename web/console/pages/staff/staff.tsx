import { useState } from 'react';
import type { Role, UserWithRoles } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { useFilters } from '../../../kit/filters.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { list, plural } from '../../../kit/intl.ts';
import { List } from '../../../kit/list.tsx';
import { Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Tabs } from '../../../kit/tabs.tsx';

const STAFF = 'GET /admin/user/get-admins-with-roles';
const ROLES = 'GET /admin/roles';

export const StaffTabs = () => <Tabs label="Staff" of={{ Staff: '/staff', Roles: '/staff/roles' }} />;

/** Returns the titles of roles. A role that no longer exists is shown by its name. */
export const titlesOf = (names: readonly string[], roles: readonly Role[] = []): string =>
  list(names.map((name) => roles.find((role) => role.name === name)?.title ?? name));

const columnsOf = (roles: readonly Role[] | undefined): Columns<UserWithRoles> => [
  { head: 'Name', of: ({ username }) => username, isMain: true },
  { head: 'Email', of: ({ email }) => email },
  { head: 'Role', of: (one) => titlesOf(one.roles, roles) || <None />, isMain: true },
  {
    head: 'Extra permissions',
    of: ({ permissions }) =>
      permissions.length === 0 ? <None /> : plural(permissions.length, { one: '# extra', other: '# extra' }),
  },
  { head: 'Last sign-in', of: ({ lastLoginAt }) => <When at={lastLoginAt} /> },
];

const None = () => <span className="dim">–</span>;

export function Staff() {
  const filters = useFilters({});
  const staff = useRead(STAFF, { query: { page: filters.page, take: 50 } });
  const roles = useRead(ROLES, {});
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title="Staff"
      actions={
        <May op="POST /admin/user/admin-user">
          <Button kind="main" icon="user-plus" onClick={() => setAdding(true)}>
            Add colleague
          </Button>
        </May>
      }
    >
      <StaffTabs />
      <List
        of={staff}
        columns={columnsOf(roles.data)}
        caption="Staff"
        keyOf={({ id }) => id}
        to={({ id }) => `/staff/${id}`}
        onPage={filters.toPage}
        empty="No staff yet"
      />
      {isAdding && <AddColleague onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** Creates an account for a colleague. The account has no permissions until its owner verifies the email address and sets a password. */
function AddColleague({ onClose }: { onClose: () => void }) {
  const add = useAct('POST /admin/user/admin-user', {
    stale: [STAFF],
    said: 'Account created. Now give it a role.',
    onDone: onClose,
  });
  return (
    <Dialog title="Add a colleague" onClose={onClose}>
      <Form
        act={add}
        input={(f) => ({
          body: { username: f.text('username'), email: f.optional('email'), password: f.exact('password') },
        })}
        submit="Create account"
      >
        <Field name="username" label="Username" required />
        <Field name="email" label="Email" type="email" required />
        <Field
          name="password"
          label="Temporary password"
          type="password"
          autoComplete="new-password"
          required
          hint="Your colleague verifies the email address and sets a new password before any permission counts."
        />
      </Form>
    </Dialog>
  );
}
