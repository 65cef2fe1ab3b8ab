/** A frame that is sent to a socket. `seq` is a single sequence across all rooms, nodes and processes. */
export type Frame = { event: string; seq: number; at: string; data: unknown };
/** A frame and its room: `user:7`, `public`, `game:speed-roulette`, `admin`, `chat:general`. */
export type Delivery = { room: string; frame: Frame };
/** The users and rooms that have sockets in this process. */
export type Audience = { users: readonly number[]; rooms: ReadonlySet<string> };
/**
 * A socket that catches up, and its rooms except the user's own room. Without `lastSeq` it gets only the current state. With `userId` 0 it
 * gets only the current state of these rooms, not of the user.
 */
export type Missed = { userId: number; rooms: readonly string[]; lastSeq: number | undefined };

/**
 * The frames for a socket that catches up: past events in order, then the current state. `past` is undefined if the past events cannot be
 * sent completely.
 */
export type Told = { past: Frame[] | undefined; states: Frame[] };

/** The event log that realtime reads for its local sockets. */
export type Feed = {
  /**
   * Returns all frames since the last call for this audience, in the order of seq. `position` is the end of the read. It is 0 if the
   * current position has not been determined yet. After `rest`, reading starts at the current position. Do not call it concurrently.
   */
  next(audience: Audience): Promise<{ deliveries: Delivery[]; position: number }>;
  /**
   * Returns each socket's missed frames, up to the start of the following `next`, and the current state. The sockets' rooms must be in the
   * audience of that `next`. `past` is undefined if missed frames were not requested, are too old or too many, or if the given seq never
   * existed. The client must then `resync`.
   */
  missed(sockets: readonly Missed[]): Promise<Told[]>;
  /** Stops reading because no socket is connected. A later read resumes at the position that is current at that time. */
  rest(): void;
};
