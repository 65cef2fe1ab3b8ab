import type { Answer, PermissionInfo, Role } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { list } from '../../../kit/intl.ts';
import { Refusal } from '../../../kit/note.tsx';
import { Card, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useMissing } from '../../../kit/session.tsx';
import { UserLink } from '../../user-link.tsx';
import { useDraft } from './draft.ts';
import { Permissions, SaveBar } from './permissions.tsx';
import { fullNameOf, titlesOf } from './staff.tsx';

const ONE = 'GET /admin/user/{id}';
const ROLES = 'GET /admin/roles';
const ASSIGNED = 'GET /admin/user/get-all-roles-with-users';
const STALE = [ONE, ROLES, ASSIGNED, 'GET /admin/user/get-admins-with-roles', 'GET /user/me'] as const;

export function StaffMember({ params }: { params: { id?: string } }) {
  const id = Number(params.id);
  const user = useRead(ONE, { path: { id } });
  const known = useRead('GET /admin/user/all-permissions', {});
  const roles = useRead(ROLES, {});
  const assigned = useRead(ASSIGNED, {});
  return (
    <Page title={user.data?.username ?? 'Colleague'} of={user}>
      {(one) => (
        <Loaded of={assigned}>
          {(all) => (
            <Loaded of={roles}>
              {(shown) => (
                <Loaded of={known}>
                  {({ permissions }) => {
                    const own = all.filter(({ users }) => users.some((each) => each.id === id));
                    const names = own.map(({ role }) => role);
                    return (
                      <div className="stack">
                        <About user={one} names={names} roles={shown} />
                        <RolesOf key={names.join()} id={id} names={names} roles={shown} />
                        <Extra
                          user={one}
                          all={permissions}
                          roles={shown.filter(({ name }) => names.includes(name))}
                        />
                      </div>
                    );
                  }}
                </Loaded>
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Page>
  );
}

type User = Answer<typeof ONE>;
type RolesOfProps = { id: number; names: readonly string[]; roles: readonly Role[] };

function About({ user, names, roles }: Omit<RolesOfProps, 'id'> & { user: User }) {
  const make = useAct('PATCH /admin/user/{id}', { stale: STALE, said: 'Saved' });
  const { isStaff } = user;
  return (
    <Card
      actions={
        <ActButton
          act={make}
          input={{ path: { id: user.id }, body: { isStaff: !isStaff } }}
          confirm={isStaff ? `Remove ${user.username} from staff?` : `Add ${user.username} to staff?`}
        >
          {isStaff ? 'Remove from staff' : 'Add to staff'}
        </ActButton>
      }
    >
      <Facts
        of={{
          Account: <UserLink of={user} />,
          Email: user.email,
          Roles: titlesOf(names, roles) || 'None',
          'Last sign-in': <When at={user.lastLoginAt} />,
        }}
      />
    </Card>
  );
}

const fullNames = (names: readonly string[], roles: readonly Role[]): string[] =>
  names.map((name) => fullNameOf(roles.find((role) => role.name === name) ?? { title: name, name }));

/** Replaces the roles of a staff member. */
function RolesOf({ id, names, roles }: RolesOfProps) {
  const set = useAct('PUT /admin/user/{id}/roles', { stale: STALE, said: 'Roles saved' });
  return (
    <Card title="Roles">
      <Form
        act={set}
        input={(f) => ({ path: { id }, body: { roles: f.all('roles') } })}
        submit="Save roles"
        confirm="Save roles?"
        tells={({ body }) => <p>{list(fullNames(body.roles, roles)) || 'No roles'}</p>}
      >
        {roles.map(({ name, title, description }) => (
          <Check
            key={name}
            name="roles"
            value={name}
            defaultChecked={names.includes(name)}
            label={
              <>
                <strong>{title}</strong> {description}
              </>
            }
          />
        ))}
      </Form>
    </Card>
  );
}

/** Permissions in addition to the roles, for this person alone. Permissions from roles are marked with the role. */
function Extra({ user, all, roles }: { user: User; all: readonly PermissionInfo[]; roles: readonly Role[] }) {
  const set = useAct('PUT /admin/user/{id}/permissions', { stale: STALE, said: 'Permissions saved' });
  const isReadOnly = useMissing(set.op) !== undefined;
  const draft = useDraft(user.permissions, user.permissions.toSorted().join());
  const given = new Map(
    all.flatMap(({ name }) => {
      const from = roles.filter(({ permissions }) => permissions.includes(name)).map(({ title }) => title);
      return from.length > 0 ? [[name, list(from)] as const] : [];
    }),
  );
  return (
    <section className="stack">
      <h2>Extra permissions</h2>
      <Permissions
        all={all}
        chosen={draft.chosen}
        onChange={draft.change}
        given={given}
        isFixed={isReadOnly}
      />
      {set.refused && <Refusal of={set.refused} />}
      <SaveBar of={draft}>
        <Button
          kind="main"
          op={set.op}
          isBusy={set.isBusy}
          onClick={() => void set.run({ path: { id: user.id }, body: { permissions: [...draft.chosen] } })}
        >
          Save permissions
        </Button>
      </SaveBar>
    </section>
  );
}
