import { useState } from 'react';
import type { UserPublicStatsDto } from '../../../../client/call.ts';
import { Usd } from '../../../kit/amount.tsx';
import { Avatar } from '../../../kit/avatar.tsx';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { month, multiplier, number } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';
import { gameName, Rows } from '../offers/parts.tsx';
import { TipForm } from '../offers/tip-form.tsx';

type PlayerCardProps = { username: string; mayTip: boolean; onClose: () => void };

/** The public facts about a player, and a tip for the player. */
export function PlayerCard({ username, mayTip, onClose }: PlayerCardProps) {
  const { card, tips } = words.club;
  const me = useMe();
  const player = useRead('GET /user/{username}/stats', { path: { username } });
  const [isTipping, setTipping] = useState(false);
  if (isTipping)
    return (
      <Dialog title={tips.giveTo(username)} onClose={onClose}>
        <p className="sm dim">{tips.hint}</p>
        <TipForm to={username} onSent={onClose} />
      </Dialog>
    );
  return (
    <Dialog
      title={card.title}
      onClose={onClose}
      foot={
        <>
          <ButtonLink to={`/players/${username}`} kind="ghost">
            {card.profile}
          </ButtonLink>
          {mayTip && username !== me.username && (
            <Button kind="main" icon="gift" onClick={() => setTipping(true)}>
              {tips.send}
            </Button>
          )}
        </>
      }
    >
      <Loaded of={player} skeleton={<Skeleton height={180} />}>
        {(shown) => <Shown of={shown} />}
      </Loaded>
    </Dialog>
  );
}

function Shown({ of }: { of: UserPublicStatsDto }) {
  const { card } = words.club;
  return (
    <>
      <div className="line player">
        <Avatar name={of.username} image={of.avatar} size={52} />
        <span className="grow">
          <strong className="clip" translate="no">
            {of.username}
          </strong>
          <br />
          <span className="xs dim">{words.frame.since(month(of.createdAt))}</span>
        </span>
        {of.vipLevel > 0 && (
          <Badge tone="accent" icon="crown">
            {words.frame.vip(of.vipLevel)}
          </Badge>
        )}
      </div>
      {of.isPrivate && <Note icon="eye-off">{card.isPrivate}</Note>}
      <Rows
        of={[
          ...(of.wageredUsd === null
            ? []
            : [[card.wagered, <Usd key="wagered" of={of.wageredUsd} />] as const]),
          [card.bets, number(of.betCount)],
          [card.wins, number(of.winCount)],
          [card.best, multiplier(of.bestMultiplier)],
          ...(of.favoriteGame
            ? [[card.favourite, gameName(of.favoriteGame.slug, of.favoriteGame.name)] as const]
            : []),
        ]}
      />
    </>
  );
}
