import type { RoleWithUsers, UserWithRoles } from '../../../client/call.ts';
import { useFilters } from '../../kit/filters.ts';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Checks } from '../../kit/form/choice.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Select } from '../../kit/form/select.tsx';
import { List } from '../../kit/list.tsx';
import { Card, Loaded, Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { type Columns, Table } from '../../kit/table.tsx';
import { UserLink } from '../user-link.tsx';

const STAFF = 'GET /admin/user/get-admins-with-roles';
const ROLES = 'GET /admin/user/get-all-roles-with-users';

const STAFF_COLUMNS: Columns<UserWithRoles> = [
  { head: 'Who', of: ({ username }) => username },
  { head: 'E-mail', of: ({ email }) => email },
  { head: 'Roles', of: ({ roles }) => roles.join(', ') },
  { head: 'Rights of their own', of: ({ permissions }) => permissions.join(', ') },
];

const ROLE_COLUMNS: Columns<RoleWithUsers> = [
  { head: 'Role', of: ({ role }) => role },
  { head: 'Who has it', of: ({ users }) => users.map((user) => <UserLink key={user.id} of={user} />) },
  { head: 'Rights', of: ({ permissions }) => permissions.join(', ') },
];

export function Staff() {
  const filters = useFilters({});
  const staff = useRead(STAFF, { query: { page: filters.page, take: 50 } });
  const roles = useRead(ROLES, {});
  return (
    <Page title="Staff">
      <div className="stack">
        <List
          of={staff}
          columns={STAFF_COLUMNS}
          caption="Staff"
          keyOf={({ id }) => id}
          to={({ id }) => `/staff/${id}`}
          onPage={filters.toPage}
        />
        <Card title="Roles">
          <Loaded of={roles}>{(all) => <Table rows={all} columns={ROLE_COLUMNS} caption="Roles" />}</Loaded>
        </Card>
        <div className="cards">
          <Open />
          <OneRole />
        </div>
      </div>
    </Page>
  );
}

/** Creates an account for a colleague. The account has no permissions until its owner verifies the email address and sets a password. */
function Open() {
  const open = useAct('POST /admin/user/admin-user', { stale: [STAFF], said: 'The account is there' });
  return (
    <May op={open.op}>
      <Card title="An account for a colleague">
        <Form
          act={open}
          input={(f) => ({
            body: { username: f.text('username'), email: f.optional('email'), password: f.exact('password') },
          })}
          submit="Open it"
          isEmptied
        >
          <Field name="username" label="Username" required />
          <Field name="email" label="E-mail" type="email" required />
          <Field
            name="password"
            label="Temporary password"
            type="password"
            autoComplete="new-password"
            required
            hint="They set one of their own before any right counts."
          />
        </Form>
      </Card>
    </May>
  );
}

/** Adds or removes one role by name. Other roles and permissions do not change. */
function OneRole() {
  const known = useRead(ROLES, {});
  const stale = [ROLES, STAFF] as const;
  const give = useAct('PUT /admin/user/add-single-role', { stale, said: 'They have the role' });
  const take = useAct('PUT /admin/user/revoke-single-role', { stale, said: 'They have the role no longer' });
  const roles = (known.data ?? []).map(({ role }) => ({ value: role, label: role }));
  const acts = [
    { title: 'Give a role', act: give },
    { title: 'Take a role', act: take },
  ] as const;
  return (
    <May op={give.op}>
      {acts.map(({ title, act }) => (
        <Card key={title} title={title}>
          <Form
            act={act as typeof give}
            input={(f) => ({ body: { username: f.text('username'), role: f.text('role') } })}
            submit={title}
            confirm={`${title}?`}
            tells={({ body }) => (
              <p>
                {body.username}: {body.role}
              </p>
            )}
            isEmptied
          >
            <Field name="username" label="Username" required />
            <Select name="role" label="Role" of={roles} />
          </Form>
        </Card>
      ))}
    </May>
  );
}

export function StaffMember({ params }: { params: { id?: string } }) {
  const id = Number(params.id);
  const one = useRead('GET /admin/user/{id}', { path: { id } });
  const known = useRead('GET /admin/user/all-permissions', {});
  const roles = useRead(ROLES, {});
  const setRoles = useAct('PUT /admin/user/{id}/roles', { stale: [ROLES, STAFF], said: 'The roles are set' });
  const setRights = useAct('PUT /admin/user/{id}/permissions', {
    stale: [STAFF],
    said: 'The rights are set',
  });
  const makeStaff = useAct('PATCH /admin/user/{id}', { stale: [STAFF], said: 'Changed' });
  return (
    <Page title="Member of staff" of={one}>
      {(user) => (
        <div className="stack">
          <Card
            title={user.username}
            actions={
              <ActButton
                act={makeStaff}
                input={{ path: { id }, body: { isStaff: !user.isStaff } }}
                confirm={user.isStaff ? 'They are staff no longer?' : 'Make them staff?'}
              >
                {user.isStaff ? 'No longer staff' : 'Make staff'}
              </ActButton>
            }
          >
            <UserLink of={user} />
          </Card>
          <Loaded of={roles}>
            {(all) => (
              <Card>
                <Form
                  act={setRoles}
                  input={(f) => ({ path: { id }, body: { roles: f.all('roles') } })}
                  submit="Set the roles"
                  confirm="Set them?"
                >
                  <Checks
                    name="roles"
                    label="Roles"
                    of={all.map(({ role }) => ({ value: role, label: role }))}
                    chosen={all.filter(({ users }) => users.some((u) => u.id === id)).map(({ role }) => role)}
                  />
                </Form>
              </Card>
            )}
          </Loaded>
          <Loaded of={known}>
            {({ permissions }) => (
              <Card>
                <Form
                  act={setRights}
                  input={(f) => ({ path: { id }, body: { permissions: f.all('permissions') } })}
                  submit="Set the rights"
                  confirm="Set them?"
                >
                  <Checks
                    name="permissions"
                    label="Rights of their own"
                    of={permissions.map(({ name, description }) => ({
                      value: name,
                      label: `${name}: ${description}`,
                    }))}
                    chosen={user.permissions}
                  />
                </Form>
              </Card>
            )}
          </Loaded>
        </div>
      )}
    </Page>
  );
}
