import { setTimeout as sleep } from 'node:timers/promises';
import type { createStaff } from './actions.ts';
import type { World } from './world.ts';

/** Runs rounds of staff actions until no payment is in progress on either side in three consecutive rounds. */
export async function settle(
  { outside }: Pick<World, 'outside'>,
  staff: ReturnType<typeof createStaff>,
): Promise<void> {
  const until = Date.now() + 600_000;
  let toldAt = 0;
  for (let quiet = 0; quiet < 3; await sleep(1000)) {
    const open = await staff.round({ isFinal: true });
    const notices = (await outside('GET', '/payments/deliveries')) as { status: number | null }[];
    const pending = notices.filter(({ status }) => status === null || status >= 300).length;
    quiet = open === 0 && pending === 0 ? quiet + 1 : 0;
    if (Date.now() - toldAt > 15_000) {
      toldAt = Date.now();
      console.log(`settling: ${open} withdrawals and ${pending} notices are open`);
    }
    if (Date.now() > until) throw new Error(`${open} withdrawals and ${pending} notices stay open`);
  }
}
