import type { Op } from '../../../client/call.ts';
import { useMe, useMissing } from '../../kit/session.tsx';
import { type ApprovalRight, approversText } from './approvers.ts';

type Person = { id: number; username: string };
type SecondPersonProps = {
  /** The operation of the decision, and the permission that it needs. */
  op: Op;
  right: ApprovalRight;
  /** The person who acted first, if anyone has, and what they did. */
  first: Person | null | undefined;
  did: 'approved' | 'proposed';
  /** The player whose money it is about. */
  player: { id: number } | null | undefined;
};

/** Says who may give the next approval, and why this account may not. */
export function SecondPerson({ op, right, first, did, player }: SecondPersonProps) {
  const me = useMe();
  const isMissing = useMissing(op) !== undefined;
  const why =
    player?.id === me.id
      ? 'You can’t, because it is your own money.'
      : first?.id === me.id
        ? `You can’t, because you ${did} it.`
        : isMissing
          ? 'You can’t, because you don’t have this permission.'
          : undefined;
  return (
    <>
      {approversText(right)}{' '}
      {first
        ? `${first.username} can’t, and neither can an account connected with ${first.username} or the player.`
        : 'An account connected with the player can’t.'}
      {why && <> {why}</>}
    </>
  );
}
