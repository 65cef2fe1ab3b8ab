import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Role } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { number } from '../../../kit/intl.ts';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { SectionTabs } from '../../section-tabs.tsx';
import { differenceOf, nameOf, sizeOf } from './areas.ts';
import { partOf } from './permissions.tsx';

const ROLES = 'GET /admin/roles';

const columnsOf = (all: number): Columns<Role> => [
  { head: 'Role', of: ({ title }) => title, isMain: true },
  { head: 'What it is for', of: ({ description }) => description, wide: true },
  { head: 'Permissions', of: ({ permissions }) => partOf(permissions.length, all), end: true },
  { head: 'People', of: ({ userCount }) => number(userCount), end: true, isMain: true },
  { head: 'State', of: (role) => <RoleState of={role} /> },
  { head: 'Last change', of: ({ updatedAt }) => <When at={updatedAt} /> },
];

/** Says whether a role is as shipped, has been changed, or was created by staff. */
export function RoleState({ of: { kind, permissions, shippedPermissions } }: { of: Role }) {
  if (kind === 'FIXED') return <Badge icon="lock">Always everything</Badge>;
  if (shippedPermissions === null) return <Badge>Custom</Badge>;
  const isChanged = sizeOf(differenceOf(shippedPermissions, permissions)) > 0;
  return isChanged ? <Badge tone="accent">Changed</Badge> : <Badge>Default</Badge>;
}

export function Roles() {
  const roles = useRead(ROLES, {});
  const known = useRead('GET /admin/user/all-permissions', {});
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Roles"
      filters={<SectionTabs />}
      actions={
        <May op="POST /admin/roles">
          <Button kind="main" icon="plus" onClick={() => setCreating(true)}>
            Create role
          </Button>
        </May>
      }
    >
      <Loaded of={known}>
        {({ permissions }) => (
          <Loaded of={roles}>
            {(all) => (
              <>
                <Table
                  rows={all}
                  columns={columnsOf(permissions.length)}
                  caption="Roles"
                  keyOf={({ name }) => name}
                  to={({ name }) => `/staff/roles/${name}`}
                />
                {isCreating && <CreateRole onClose={() => setCreating(false)} />}
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

export const ReasonField = () => (
  <TextArea name="reason" label="Reason" hint="Shown in the audit log" maxLength={500} rows={2} required />
);

/** Creates a role without permissions, or with those of another role, and opens it. */
export function CreateRole({ copyOf, onClose }: { copyOf?: Role; onClose: () => void }) {
  const [, goTo] = useLocation();
  const done = {
    stale: [ROLES] as const,
    said: 'Role created',
    onDone: ({ name }: Role) => {
      onClose();
      goTo(`/staff/roles/${name}`);
    },
  };
  const create = useAct('POST /admin/roles', done);
  const copy = useAct('POST /admin/roles/{name}/copy', done);
  const fields = (
    <>
      <Field name="title" label="Title" maxLength={60} required />
      <Field name="description" label="What it is for" maxLength={300} />
      <ReasonField />
    </>
  );
  const bodyOf = (f: Filled) => ({
    name: nameOf(f.text('title')),
    title: f.text('title'),
    description: f.text('description'),
    reason: f.text('reason'),
  });
  const submit = 'Create role';
  return copyOf ? (
    <Dialog title={`Copy ${copyOf.title}`} onClose={onClose} hasCancel>
      <Form act={copy} input={(f) => ({ path: { name: copyOf.name }, body: bodyOf(f) })} submit={submit}>
        {fields}
      </Form>
    </Dialog>
  ) : (
    <Dialog title="Create a role" onClose={onClose} hasCancel>
      <Form act={create} input={(f) => ({ body: { ...bodyOf(f), permissions: [] } })} submit={submit}>
        {fields}
      </Form>
    </Dialog>
  );
}
