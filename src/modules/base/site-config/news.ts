import type { Tx } from '../../../platform/db.ts';
import { emitEvent } from '../events/service.ts';
import { PUBLIC_CODES, PUBLIC_FIELDS } from './public.ts';
import type { ConfigCode, ConfigOf } from './schemas.ts';

/** Says that public settings are others now, not which; and when the site closes, opens or has something to say to everybody. */
export async function tellOf(
  tx: Tx,
  code: ConfigCode,
  { changed, after }: { changed: readonly string[]; after: Record<string, unknown> },
): Promise<void> {
  const isPublic = (PUBLIC_FIELDS[code] as readonly string[]).some((name) => changed.includes(name));
  if (!isPublic || code === 'BATTLES') return;
  await emitEvent(tx, { event: 'config.changed', data: { code: PUBLIC_CODES[code] } });
  if (code !== 'COMMON') return;
  const { isPlayOpen, maintenanceMessage } = after as ConfigOf<'COMMON'>;
  if (!changed.includes('isPlayOpen') && !changed.includes('maintenanceMessage')) return;
  // The settings know no times: staff writes them into the message.
  const data = { isActive: !isPlayOpen, startsAt: null, endsAt: null, message: maintenanceMessage || null };
  await emitEvent(tx, { event: 'maintenance', data });
}
