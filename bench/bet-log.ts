/** Stores all acknowledged bets and their players, in 12 bytes each. */
export type BetLog = {
  add(betId: number, userId: number): void;
  all(): { betIds: Float64Array; userIds: Int32Array };
};

export function createBetLog(): BetLog {
  let betIds = new Float64Array(1 << 16);
  let userIds = new Int32Array(1 << 16);
  let length = 0;
  const grow = () => {
    const [ids, users] = [new Float64Array(length * 2), new Int32Array(length * 2)];
    ids.set(betIds);
    users.set(userIds);
    [betIds, userIds] = [ids, users];
  };
  return {
    add(betId, userId) {
      if (length === betIds.length) grow();
      betIds[length] = betId;
      userIds[length++] = userId;
    },
    all: () => ({ betIds: betIds.slice(0, length), userIds: userIds.slice(0, length) }),
  };
}
