import { When } from '../../kit/amount.tsx';
import { ActButton } from '../../kit/form.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { words } from '../words.ts';

const LIST = 'GET /notifications';

/** The player's notifications, the newest first. */
export function Notifications() {
  const { notifications } = words.protection;
  const list = useRead(LIST, {}, { staleMs: 60_000 });
  const seen = useAct('POST /notifications/aware', { stale: [LIST], said: notifications.allSeen });
  const remove = useAct('DELETE /notifications', { stale: [LIST], said: notifications.deleted });
  const isEmpty = !list.data || list.data.length === 0;
  return (
    <Page
      title={notifications.title}
      of={list}
      actions={
        isEmpty ? undefined : (
          <>
            <ActButton act={seen} input={{}}>
              {notifications.see}
            </ActButton>
            <ActButton act={remove} input={{}} kind="danger" confirm={notifications.confirmDelete}>
              {notifications.delete}
            </ActButton>
          </>
        )
      }
    >
      {(all) =>
        all.length === 0 ? (
          <Empty>{notifications.none}</Empty>
        ) : (
          <ul className="notifications">
            {all.map(({ id, title, body, type, isAware, createdAt }) => (
              <li key={id} className="card">
                <header>
                  <h2>
                    {!isAware && <span className="status open">● {notifications.fresh} </span>}
                    {title}
                  </h2>
                  <small className="dim">
                    {notifications.types[type]} · <When at={createdAt} />
                  </small>
                </header>
                <p>{body}</p>
              </li>
            ))}
          </ul>
        )
      }
    </Page>
  );
}
