import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { PermissionInfo, RoleDetails } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { plural } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Card, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { refresh, useAct, useRead } from '../../../kit/query.ts';
import { useMe, useMissing } from '../../../kit/session.tsx';
import { MayLink } from '../../user-link.tsx';
import { differenceOf, sizeOf } from './areas.ts';
import { useDraft } from './draft.ts';
import { People } from './people.tsx';
import { PermissionChanges, Permissions, partOf, SaveBar } from './permissions.tsx';
import { CreateRole, ReasonField, RoleState } from './roles.tsx';

const ONE = 'GET /admin/roles/{name}';
const ROLES = 'GET /admin/roles';
const CHANGE = 'PUT /admin/roles/{name}';
const STALE = [ONE, ROLES, 'GET /user/me'] as const;

export function RolePage({ params: { name = '' } }: { params: { name?: string } }) {
  const role = useRead(ONE, { path: { name } });
  const known = useRead('GET /admin/user/all-permissions', {});
  return (
    <Page title={role.data?.title ?? 'Role'} {...(role.data && { about: role.data.description })} of={role}>
      {(one) => (
        <Loaded of={known}>
          {({ permissions }) => <Editor key={one.name} role={one} all={permissions} />}
        </Loaded>
      )}
    </Page>
  );
}

type Props = { role: RoleDetails; all: readonly PermissionInfo[] };

/** The switches of a role. Nothing changes before the review is saved. */
function Editor({ role, all }: Props) {
  const draft = useDraft(role.permissions, role.version);
  const [isReviewing, setReviewing] = useState(false);
  const isReadOnly = useMissing(CHANGE) !== undefined || role.kind === 'FIXED';
  return (
    <div className="role-page">
      <div className="stack">
        <OwnRole role={role} />
        <Permissions
          all={all}
          chosen={draft.chosen}
          shipped={role.shippedPermissions}
          onChange={draft.change}
          isFixed={isReadOnly}
        />
        <SaveBar of={draft}>
          <Button kind="main" op={CHANGE} onClick={() => setReviewing(true)}>
            Review changes
          </Button>
        </SaveBar>
      </div>
      <div className="stack">
        <About role={role} all={all} />
        <People role={role} />
      </div>
      {isReviewing && (
        <Review role={role} all={all} chosen={draft.chosen} onClose={() => setReviewing(false)} />
      )}
    </div>
  );
}

/** Tells staff who have the role themselves what they cannot do. The server rejects it, too. */
function OwnRole({ role: { name } }: { role: RoleDetails }) {
  const { roles } = useMe();
  if (!roles.includes(name) || roles.includes('SUPERADMIN')) return null;
  return (
    <Note>You have this role. You can remove permissions from it, but only a colleague can add any.</Note>
  );
}

type ReviewProps = Props & {
  /** Null: the role follows the shipped permissions again. */
  chosen: readonly string[] | null;
  isRenaming?: boolean;
  onClose: () => void;
};

/** Shows what a change adds and removes and whom it affects, and asks for a reason. */
function Review({ role: seen, all, chosen, isRenaming = false, onClose }: ReviewProps) {
  // The version that the dialog shows. If a colleague changes the role meanwhile, the server rejects the change.
  const [role] = useState(seen);
  const change = useAct(CHANGE, { stale: STALE, said: 'Role saved', onDone: onClose });
  const next = chosen ?? role.shippedPermissions ?? [];
  const difference = differenceOf(role.permissions, next);
  const isRejected = change.refused?.code === 'ROLE_CHANGED';
  useEffect(() => {
    if (isRejected) void refresh(ONE);
  }, [isRejected]);
  return (
    <Dialog title={isRenaming ? `Rename ${role.title}` : 'Save changes?'} onClose={onClose} hasCancel>
      <Form
        act={change}
        input={(f) => ({
          path: { name: role.name },
          body: {
            title: isRenaming ? f.text('title') : role.title,
            description: isRenaming ? f.text('description') : role.description,
            permissions: chosen && [...chosen],
            version: role.version,
            reason: f.text('reason'),
          },
        })}
        submit="Save changes"
      >
        {sizeOf(difference) > 0 && <PermissionChanges of={difference} all={all} />}
        {isRenaming ? <Titles role={role} /> : <Affected count={role.userCount} />}
        <ReasonField />
      </Form>
    </Dialog>
  );
}

const Affected = ({ count }: { count: number }) => (
  <Note>
    {count === 0
      ? 'No one has this role.'
      : plural(count, {
          one: '# person has this role. The change applies immediately.',
          other: '# people have this role. The change applies immediately.',
        })}
  </Note>
);

const Titles = ({ role }: { role: RoleDetails }) => (
  <>
    <Field name="title" label="Title" defaultValue={role.title} maxLength={60} required />
    <Field name="description" label="What it is for" defaultValue={role.description} maxLength={300} />
  </>
);

type Asking = 'copy' | 'reset' | 'rename' | 'delete';

/** The state of a role, how it differs from the shipped one, and what else can be done with it. */
function About({ role, all }: Props) {
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const { shippedPermissions: shipped, permissions } = role;
  const difference = differenceOf(shipped ?? permissions, permissions);
  return (
    <Card title="About this role">
      <Facts
        of={{
          State: <RoleState of={role} />,
          Permissions: partOf(permissions.length, all.length),
          'Last change': <When at={role.updatedAt} />,
          By: role.updatedBy && (
            <MayLink op="GET /admin/user/{id}" to={`/staff/${role.updatedBy.id}`}>
              {role.updatedBy.username}
            </MayLink>
          ),
        }}
      />
      {sizeOf(difference) > 0 && (
        <>
          <h3>Differs from the default</h3>
          <PermissionChanges of={difference} all={all} />
        </>
      )}
      <Actions role={role} onAsk={setAsking} />
      {asking === 'copy' && <CreateRole copyOf={role} onClose={close} />}
      {asking === 'rename' && <Review role={role} all={all} chosen={kept(role)} isRenaming onClose={close} />}
      {asking === 'reset' && <Review role={role} all={all} chosen={null} onClose={close} />}
      {asking === 'delete' && <Delete role={role} onClose={close} />}
    </Card>
  );
}

/** A renamed role that follows the shipped permissions keeps following them. */
const kept = ({ isAsShipped, permissions }: RoleDetails) => (isAsShipped ? null : permissions);

function Actions({ role, onAsk }: { role: RoleDetails; onAsk: (what: Asking) => void }) {
  return (
    <div className="actions">
      <Button icon="copy" op="POST /admin/roles/{name}/copy" onClick={() => onAsk('copy')}>
        Copy
      </Button>
      {role.kind !== 'FIXED' && (
        <Button icon="pencil" op={CHANGE} onClick={() => onAsk('rename')}>
          Rename
        </Button>
      )}
      {role.kind === 'SHIPPED' && !role.isAsShipped && (
        <Button icon="undo-2" op={CHANGE} onClick={() => onAsk('reset')}>
          Use default
        </Button>
      )}
      {role.kind === 'CREATED' && (
        <Button
          kind="danger"
          icon="trash-2"
          op="DELETE /admin/roles/{name}"
          disabled={role.userCount > 0}
          why={
            role.userCount > 0
              ? plural(role.userCount, { one: '# person still has it', other: '# people still have it' })
              : undefined
          }
          onClick={() => onAsk('delete')}
        >
          Delete
        </Button>
      )}
    </div>
  );
}

function Delete({ role, onClose }: { role: RoleDetails; onClose: () => void }) {
  const [, goTo] = useLocation();
  const remove = useAct('DELETE /admin/roles/{name}', {
    stale: [ROLES],
    said: 'Role deleted',
    onDone: () => goTo('/staff/roles'),
  });
  return (
    <Dialog title={`Delete ${role.title}?`} onClose={onClose} hasCancel>
      <Form
        act={remove}
        input={(f) => ({
          path: { name: role.name },
          body: { version: role.version, reason: f.text('reason') },
        })}
        submit="Delete role"
        kind="danger"
      >
        <ReasonField />
      </Form>
    </Dialog>
  );
}
