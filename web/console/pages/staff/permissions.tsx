import './permissions.css';
import type { ReactNode } from 'react';
import type { PermissionInfo } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Switch } from '../../../kit/form/toggle.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { number, plural } from '../../../kit/intl.ts';
import { Card } from '../../../kit/page.tsx';
import { useMe } from '../../../kit/session.tsx';
import { type Area, areasOf, type Difference } from './areas.ts';
import type { useDraft } from './draft.ts';

/** 12 of 54 */
export const partOf = (count: number, all: number) => `${number(count)} of ${number(all)}`;

type PermissionsProps = {
  all: readonly PermissionInfo[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  /** The permissions that the platform ships for the role. Differences from them are marked. */
  shipped?: readonly string[] | null;
  /** Permissions that the user has without these switches, and where they come from. */
  given?: ReadonlyMap<string, string>;
  /** True if the permissions cannot be changed here. */
  isFixed?: boolean;
};

/** All permissions as switches, by area. Staff can switch only permissions that they have themselves. */
export function Permissions(props: PermissionsProps) {
  return (
    <div className="areas">
      {areasOf(props.all).map((area) => (
        <AreaCard key={area.name} area={area} {...props} />
      ))}
    </div>
  );
}

function AreaCard({ area, chosen, ...props }: PermissionsProps & { area: Area }) {
  const on = area.permissions.filter(({ name }) => chosen.includes(name));
  return (
    <Card
      title={area.name}
      actions={<span className="dim sm">{partOf(on.length, area.permissions.length)}</span>}
    >
      <ul className="permissions">
        {area.permissions.map((permission) => (
          <Permission key={permission.name} of={permission} chosen={chosen} {...props} />
        ))}
      </ul>
    </Card>
  );
}

function Permission({
  of: { name, description },
  chosen,
  onChange,
  shipped,
  given,
  isFixed = false,
}: PermissionsProps & { of: PermissionInfo }) {
  const me = useMe();
  const isOn = chosen.includes(name);
  const isHeld = me.roles.includes('SUPERADMIN') || me.permissions.includes(name);
  const from = given?.get(name);
  return (
    <li title={isHeld || isFixed ? undefined : 'You need this permission yourself to change it'}>
      <Switch
        label={
          <>
            {description} <code className="faint xs">{name}</code> {marksOf({ isOn, name, shipped })}
            {from !== undefined && <Badge icon={null}>{from}</Badge>}
          </>
        }
        isOn={isOn}
        disabled={isFixed || !isHeld}
        onChange={(turnedOn) => onChange(turnedOn ? [...chosen, name] : chosen.filter((one) => one !== name))}
      />
    </li>
  );
}

/** Marks a permission that differs from the shipped role. */
function marksOf({
  isOn,
  name,
  shipped,
}: {
  isOn: boolean;
  name: string;
  shipped: readonly string[] | null | undefined;
}): ReactNode {
  if (!shipped || shipped.includes(name) === isOn) return null;
  return <Badge tone="accent">{isOn ? 'Added' : 'Removed'}</Badge>;
}

type SaveBarProps = { of: ReturnType<typeof useDraft> /** The button that saves. */; children: ReactNode };

/** Shows the number of unsaved changes, with buttons to discard and save them. Changes to an outdated version cannot be saved. */
export function SaveBar({ of: { count, isOutdated, discard }, children }: SaveBarProps) {
  if (count === 0) return null;
  return (
    <div className="save-bar">
      <strong role="status">
        {isOutdated
          ? 'Someone else has changed these permissions. Reload to continue.'
          : plural(count, { one: '# unsaved change', other: '# unsaved changes' })}
      </strong>
      <div className="actions">
        <Button onClick={discard}>{isOutdated ? 'Reload' : 'Discard'}</Button>
        {!isOutdated && children}
      </div>
    </div>
  );
}

/** The added and removed permissions, in words. */
export function PermissionChanges({ of, all }: { of: Difference; all: readonly PermissionInfo[] }) {
  const wordsOf = (name: string) => all.find((one) => one.name === name)?.description ?? name;
  return (
    <ul className="permission-changes">
      {of.added.map((name) => (
        <li key={name} className="good">
          <Icon name="plus" size={16} label="Added" />
          <ins>{wordsOf(name)}</ins>
        </li>
      ))}
      {of.removed.map((name) => (
        <li key={name} className="bad">
          <Icon name="minus" size={16} label="Removed" />
          <del>{wordsOf(name)}</del>
        </li>
      ))}
    </ul>
  );
}
