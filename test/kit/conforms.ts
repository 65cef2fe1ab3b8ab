import { expect } from 'vitest';
import { events } from '../../src/asyncapi.ts';
import { Frame } from '../../src/realtime/protocol.ts';

/** Throws unless a frame is what the document of the sockets says of its event. Others than the catalogue's come from the debug gateway. */
export function assertConforms(frame: { event: string; data: unknown }): void {
  if (!Object.hasOwn(events, frame.event)) return;
  expect(() => Frame.parse(frame), frame.event).not.toThrow();
  const read = events[frame.event]!.data.safeParse(frame.data);
  expect(read.success ? read.data : read.error.message, frame.event).toEqual(frame.data);
}
