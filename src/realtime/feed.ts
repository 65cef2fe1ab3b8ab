/** What leaves for a socket. `seq` is one number line for all rooms, nodes and processes. */
export type Frame = { event: string; seq: number; at: string; data: unknown };
/** A frame and who gets it: `user:7`, `public`, `game:speed-roulette`, `admin`, `chat:general`. */
export type Delivery = { room: string; frame: Frame };
/** Who listens here. */
export type Audience = { users: readonly number[]; rooms: ReadonlySet<string> };
/**
 * A socket that comes back, with its rooms beside the user's own. Without `lastSeq` it gets the current state and nothing else; with `userId` 0
 * that of the rooms alone.
 */
export type Missed = { userId: number; rooms: readonly string[]; lastSeq: number | undefined };

/** What a socket that comes back is sent: what happened, in order, and then the current state. `past` undefined: it cannot be sent whole. */
export type Told = { past: Frame[] | undefined; states: Frame[] };

/** The log that realtime reads, for those who have sockets here. */
export type Feed = {
  /**
   * Everything that has happened since the last call, for those who listen here, in the order of seq. `position` is how far it was
   * read; 0 while the present is not known yet. After `rest` it begins at the present. One call at a time.
   */
  next(audience: Audience): Promise<{ deliveries: Delivery[]; position: number }>;
  /**
   * What each socket has missed, up to where the next `next` begins, and the current state. `past` undefined: not asked for, too long
   * ago, too much, or after a seq that never was (the client must `resync`). Their rooms have to be in the audience of that `next`.
   */
  missed(sockets: readonly Missed[]): Promise<Told[]>;
  /** Nobody listens any more: nothing is read until somebody does, and then from the present on. */
  rest(): void;
};
