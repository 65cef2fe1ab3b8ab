import { type AppError, commonErrors } from '../platform/errors.ts';
import { realtimeErrors } from './errors.ts';
import type { Member } from './members.ts';
import { ROOMS } from './schemas.ts';

const GAMES = 'game:';
const CHAT = 'chat:';

export const userRoom = (userId: number) => `user:${userId}`;
/** The user whose own room it is; NaN for any other room. */
export const userOf = (room: string) => Number(room.split(':', 2)[1]);
export const isGameRoom = (room: string) => room.startsWith(GAMES);
/** Whether a room is told as it is to whoever enters it. */
export const isToldOnEntry = (room: string) => room.startsWith(CHAT);

/** Why a player may not be in a room; undefined: they may. */
export type RoomRefusal = (member: Pick<Member, 'userId' | 'standing'>, room: string) => AppError | undefined;

/** `hasChat` says whether there is a room of the chat of that name. */
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
