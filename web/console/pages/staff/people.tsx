import type { RoleDetails } from '../../../../client/call.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { plural } from '../../../kit/intl.ts';
import { Card, Empty } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { MayLink } from '../../user-link.tsx';
import { fullNameOf } from './staff.tsx';

const STALE = [
  'GET /admin/roles/{name}',
  'GET /admin/roles',
  'GET /admin/user/get-admins-with-roles',
  'GET /user/me',
] as const;

/** The people who have a role. Superadmins give it to others and remove it. */
export function People({ role }: { role: RoleDetails }) {
  const remove = useAct('PUT /admin/user/revoke-single-role', { stale: STALE, said: 'Role removed' });
  const more = role.userCount - role.users.length;
  return (
    <Card title="Who has it">
      {role.users.length === 0 && <Empty title="No one has this role" />}
      <ul className="people">
        {role.users.map(({ id, username }) => (
          <li key={id}>
            <MayLink op="GET /admin/user/{id}" to={`/staff/${id}`}>
              {username}
            </MayLink>
            <May op={remove.op}>
              <ActButton
                act={remove}
                input={{ body: { username, role: role.name } }}
                confirm={`Remove ${fullNameOf(role)} from ${username}?`}
                size="sm"
              >
                Remove
              </ActButton>
            </May>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="dim">{plural(more, { one: 'and # more', other: 'and # more' })}</p>}
      <Assign role={role} />
    </Card>
  );
}

function Assign({ role }: { role: RoleDetails }) {
  const give = useAct('PUT /admin/user/add-single-role', { stale: STALE, said: 'Role given' });
  return (
    <May op={give.op}>
      <Form
        act={give}
        input={(f) => ({ body: { username: f.text('username'), role: role.name } })}
        submit="Give role"
        confirm={`Give ${fullNameOf(role)}?`}
        tells={({ body }) => <p>{body.username}</p>}
        isEmptied
      >
        <Field name="username" label="Username" required />
      </Form>
    </May>
  );
}
