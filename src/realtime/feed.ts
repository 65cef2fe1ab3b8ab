/** What leaves for a socket. `seq` is one number line for all rooms, nodes and processes. */
export type Frame = { event: string; seq: number; at: string; data: unknown };
export type Delivery = { room: string; frame: Frame };

/** What a socket that comes back is told: what happened, then how things are. */
export type Told = { past: Frame[] | undefined; states: Frame[] };

/** The log that realtime reads, for those who have sockets here. */
export type Feed = {
  /** Everything that has happened since the last call, for those who listen here, in the order of seq. */
  next(audience: { users: readonly number[]; rooms: ReadonlySet<string> }): Promise<{
    deliveries: Delivery[];
    position: number;
  }>;
  /**
   * What each socket has missed, in order, up to where the next `next` begins, and how things are then. `past` undefined: not asked for,
   * too long ago or too much (the client must `resync`).
   */
  missed(
    sockets: readonly { userId: number; rooms: readonly string[]; lastSeq: number | undefined }[],
  ): Promise<Told[]>;
  /** Nobody listens any more: nothing is read until somebody does, and then from the present on. */
  rest(): void;
};
