import type { Role } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { CancelButton, Dialog } from '../../../kit/dialog.tsx';
import { Checks } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Fields } from '../../../kit/form/form.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { list, plural } from '../../../kit/intl.ts';
import { asRefused, refresh, send, useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { say } from '../../../kit/toast.tsx';
import { kit } from '../../../kit/words.ts';
import { useAsked } from '../../asked.ts';
import { listPage } from '../../list/list-page.tsx';

const STAFF = 'GET /admin/user/get-admins-with-roles';
const ROLES = 'GET /admin/roles';
const ADD = 'POST /admin/user/admin-user';
const SET_ROLES = 'PUT /admin/user/{id}/roles';

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
  const [isAdding, setAdding] = useAsked('add');
  return (
    <May op={ADD}>
      <Button kind="main" icon="user-plus" onClick={() => setAdding(true)}>
        Add colleague
      </Button>
      {isAdding && <AddColleague onClose={() => setAdding(false)} />}
    </May>
  );
}

/**
 * Creates an account for a colleague and gives it roles. The account has no permissions until its owner verifies the email address and sets
 * a password.
 */
function AddColleague({ onClose }: { onClose: () => void }) {
  const add = useAct(ADD, { stale: [STAFF] });
  const save = async (f: Filled) => {
    const added = await add.run({
      body: { username: f.text('username'), email: f.optional('email'), password: f.exact('password') },
    });
    if (!added) return;
    onClose();
    await giveRoles(added.answer.id, f.all('roles'));
  };
  return (
    <Dialog title="Add a colleague" onClose={onClose} hasCancel>
      <Fields refused={add.refused} onSend={(filled) => void save(filled)}>
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
        <May op={SET_ROLES}>
          <RoleChecks />
        </May>
        <div className="actions">
          <CancelButton />
          <Button type="submit" kind="main" op={ADD} isBusy={add.isBusy}>
            Create account
          </Button>
        </div>
      </Fields>
    </Dialog>
  );
}

function RoleChecks() {
  const { data = [] } = useRead(ROLES, {});
  return (
    <Checks
      name="roles"
      label="Roles"
      of={data.map((role) => ({ value: role.name, label: fullNameOf(role) }))}
    />
  );
}

/** Gives roles to a new account. The account exists even if this fails. */
async function giveRoles(id: number, roles: readonly string[]): Promise<void> {
  if (roles.length === 0) return say('Account created. Now give it a role.');
  try {
    await send(SET_ROLES, { path: { id }, body: { roles: [...roles] } });
    say('Account created');
  } catch (error) {
    say(`Account created, but without a role: ${kit.refusal(asRefused(error))}`, true);
  }
  await refresh(STAFF, ROLES);
}
