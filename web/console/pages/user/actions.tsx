import { Dialog } from '../../../kit/dialog.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Loading } from '../../../kit/page.tsx';
import { asRefused, refresh, send, useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { say } from '../../../kit/toast.tsx';
import { kit } from '../../../kit/words.ts';
import { useAsked } from '../../asked.ts';
import { FormButton } from '../../form-button.tsx';
import { BanFields } from './ban-fields.tsx';
import { NoteFields, noteIn } from './note-fields.tsx';
import { STALE } from './shared.ts';

const GrantForm = lazily(async () => (await import('./grant-form.tsx')).GrantForm);
const TagsForm = lazily(async () => (await import('./tags.tsx')).TagsForm);

const NOTE = 'POST /admin/user-notes';
const GRANT = 'POST /admin/promo/{id}/grant';
const BAN = 'PATCH /admin/user/{id}/ban';
const UNBAN = 'PATCH /admin/user/{id}/unban';

type Props = {
  id: number;
  name: string;
  /** Undefined if it is not known. Then a ban can be neither set nor lifted. */
  isBanned: boolean | undefined;
  /** Undefined until they are read, and for staff who may not see them. */
  tags: readonly string[] | undefined;
};

/** The most frequent actions on a user. */
export const UserActions = ({ id, name, isBanned, tags }: Props) => (
  <>
    <FormButton op={GRANT} label="Grant bonus" icon="gift" title={`Grant a bonus to ${name}`}>
      {(close) => (
        <Imported fallback={<Loading />}>
          <GrantForm id={id} name={name} onDone={close} />
        </Imported>
      )}
    </FormButton>
    <FormButton op={NOTE} label="Add note" icon="file-text" title={`Note about ${name}`}>
      {(close) => <NoteForm id={id} onDone={close} />}
    </FormButton>
    {tags && (
      <FormButton op="POST /admin/user-tags" label="Tags" icon="tag" title={`Tags of ${name}`}>
        {(close) => (
          <Imported fallback={<Loading />}>
            <TagsForm id={id} value={tags} onDone={close} />
          </Imported>
        )}
      </FormButton>
    )}
    {isBanned === true && <LiftBan id={id} name={name} />}
    {isBanned === false && (
      <>
        <FormButton op={BAN} label="Ban…" icon="ban" kind="danger" title={`Ban ${name}?`}>
          {(close) => <BanForm id={id} onDone={close} />}
        </FormButton>
        <AskToBan id={id} name={name} />
      </>
    )}
  </>
);

type FormProps = { id: number; onDone: () => void };

function NoteForm({ id, onDone }: FormProps) {
  const add = useAct(NOTE, { stale: [...STALE, 'GET /admin/user-notes'], said: 'Note added', onDone });
  return (
    <Form act={add} input={(f) => ({ body: { userId: id, ...noteIn(f) } })} submit="Add note">
      <NoteFields />
    </Form>
  );
}

/** Opens the form of a ban if the address asks for it. */
function AskToBan({ id, name }: Pick<Props, 'id' | 'name'>) {
  const [isOpen, setOpen] = useAsked('ban');
  if (!isOpen) return null;
  const close = () => setOpen(false);
  return (
    <May op={BAN}>
      <Dialog title={`Ban ${name}?`} onClose={close} hasCancel>
        <BanForm id={id} onDone={close} />
      </Dialog>
    </May>
  );
}

/** Lifts a ban from the message about it, when its form is closed. */
async function undoBan(id: number): Promise<void> {
  try {
    await send(UNBAN, { path: { id } });
    say('Ban lifted');
    await refresh(...STALE);
  } catch (error) {
    say(kit.refusal(asRefused(error)), true);
  }
}

function BanForm({ id, onDone }: FormProps) {
  const ban = useAct(BAN, {
    stale: STALE,
    onDone: () => {
      say('Banned. All sessions have ended.', false, { label: 'Undo', run: () => void undoBan(id) });
      onDone();
    },
  });
  return (
    <Form
      act={ban}
      input={(f) => ({ path: { id }, body: { banReason: f.optional('banReason') } })}
      submit="Ban user"
      kind="danger"
    >
      <p className="dim">All sessions end immediately, and the user can’t sign in again.</p>
      <BanFields />
    </Form>
  );
}

function LiftBan({ id, name }: Pick<Props, 'id' | 'name'>) {
  const unban = useAct(UNBAN, { stale: STALE, said: 'Ban lifted' });
  return (
    <May op={unban.op}>
      <ActButton act={unban} input={{ path: { id } }} confirm={`Lift the ban of ${name}?`}>
        Lift ban
      </ActButton>
    </May>
  );
}
