import { type AppError, commonErrors } from '../platform/errors.ts';
import { realtimeErrors } from './errors.ts';
import type { Member } from './members.ts';
import { ROOMS } from './schemas.ts';

const GAMES = 'game:';
const CHAT = 'chat:';

export const userRoom = (userId: number) => `user:${userId}`;
/** Returns the id of the user that a room belongs to, or NaN if it is not a user's own room. */
export const userOf = (room: string) => Number(room.split(':', 2)[1]);
export const isGameRoom = (room: string) => room.startsWith(GAMES);
/** Returns true if a room's current state is sent on entry. */
export const isToldOnEntry = (room: string) => room.startsWith(CHAT);

/** Returns the error if a player may not enter a room, otherwise undefined. */
export type RoomRefusal = (member: Pick<Member, 'userId' | 'standing'>, room: string) => AppError | undefined;

/** Creates the check of whether a player may enter a room. `hasChat` returns true if a chat room of that name exists. */
export const createRoomRefusal =
  (hasChat: (room: string) => boolean): RoomRefusal =>
  ({ userId, standing }, room) => {
    if (room === userRoom(userId)) return undefined;
    if (room.startsWith('user:')) return commonErrors.FORBIDDEN();
    if (room.startsWith(CHAT)) return hasChat(room) ? undefined : realtimeErrors.ROOM_NOT_FOUND();
    if (!(ROOMS as readonly string[]).includes(room)) return realtimeErrors.ROOM_NOT_FOUND();
    if (room === 'admin') {
      if (!standing.isStaff) return commonErrors.FORBIDDEN();
      if (standing.isMfaMissing) return commonErrors.MFA_REQUIRED();
    }
    return isGameRoom(room) && standing.isExcluded ? realtimeErrors.EXCLUDED() : undefined;
  };
