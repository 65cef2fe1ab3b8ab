import { useState } from 'react';
import type { Role } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { list, plural } from '../../../kit/intl.ts';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { listPage } from '../../list/list-page.tsx';

const STAFF = 'GET /admin/user/get-admins-with-roles';
const ROLES = 'GET /admin/roles';

/** Returns the titles of roles. A role that no longer exists is shown by its name. */
export const titlesOf = (names: readonly string[], roles: readonly Role[] = []): string =>
  list(names.map((name) => roles.find((role) => role.name === name)?.title ?? name));

/** Returns a role's title and its name, which no one can change. Confirmations show both before a role is assigned. */
export const fullNameOf = ({ title, name }: Pick<Role, 'title' | 'name'>): string => `${title} (${name})`;

const None = () => <span className="dim">–</span>;

function Titles({ of: names }: { of: readonly string[] }) {
  const { data } = useRead(ROLES, {});
  return names.length === 0 ? <None /> : titlesOf(names, data);
}

export const Staff = listPage({
  list: 'staff',
  title: 'Staff',
  op: STAFF,
  file: 'staff',
  Actions: AddButton,
  input: () => ({ query: {} }),
  keyOf: ({ id }) => id,
  nameOf: ({ username }) => username,
  to: ({ id }) => `/staff/${id}`,
  columns: [
    { name: 'username', head: 'Name', of: ({ username }) => username, isMain: true },
    { name: 'email', head: 'Email', of: ({ email }) => email },
    { name: 'roles', head: 'Role', of: ({ roles }) => <Titles of={roles} />, isMain: true },
    {
      name: 'permissions',
      head: 'Extra permissions',
      of: ({ permissions }) =>
        permissions.length === 0 ? (
          <None />
        ) : (
          plural(permissions.length, { one: '# extra', other: '# extra' })
        ),
    },
    { name: 'lastLoginAt', head: 'Last sign-in', of: ({ lastLoginAt }) => <When at={lastLoginAt} /> },
    {
      name: 'createdAt',
      head: 'Added',
      of: ({ createdAt }) => <When at={createdAt} />,
      isExtra: true,
    },
  ],
  empty: 'No staff yet',
});

function AddButton() {
  const [isAdding, setAdding] = useState(false);
  return (
    <May op="POST /admin/user/admin-user">
      <Button kind="main" icon="user-plus" onClick={() => setAdding(true)}>
        Add colleague
      </Button>
      {isAdding && <AddColleague onClose={() => setAdding(false)} />}
    </May>
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
