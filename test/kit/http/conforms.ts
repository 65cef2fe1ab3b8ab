import { expect } from 'vitest';
import { events } from '../../../src/app/asyncapi.ts';
import { Frame } from '../../../src/realtime/protocol.ts';

/**
 * Throws unless a frame matches the socket documentation of its event. Events outside the catalogue come from the debug gateway and are
 * skipped.
 */
export function assertConforms(frame: { event: string; data: unknown }): void {
  if (!Object.hasOwn(events, frame.event)) return;
  expect(() => Frame.parse(frame), frame.event).not.toThrow();
  const read = events[frame.event]!.data.safeParse(frame.data);
  expect(read.success ? read.data : read.error.message, frame.event).toEqual(frame.data);
}
