import '../account.css';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Switch } from '../../../kit/form/toggle.tsx';
import { Refusal } from '../../../kit/note.tsx';
import { Card, Loaded } from '../../../kit/page.tsx';
import { Pick } from '../../../kit/pick/pick.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { USERNAME } from '../../fields.ts';
import { chooseLanguage, LANGUAGES, type Language, languageNow, words } from '../../words.ts';
import { Stats, StatsSkeleton, Who } from './stats.tsx';
import { AccountPage } from './tabs.tsx';
import { Unverified } from './unverified.tsx';

const ME = 'GET /user/me';
const CHANGE = 'PATCH /user/me';

/** The player's name, picture, statistics and preferences. */
export function Profile() {
  const { profile, stats } = words.account;
  const own = useRead('GET /user/me/stats', {});
  return (
    <AccountPage title={profile.title} hint={profile.hint}>
      <You />
      <Card title={stats.title}>
        <Loaded of={own} skeleton={<StatsSkeleton />}>
          {(all) => <Stats of={all} />}
        </Loaded>
      </Card>
      <div className="cards">
        <Rename />
        <Preferences />
      </div>
    </AccountPage>
  );
}

function You() {
  const { profile } = words.account;
  const me = useMe();
  return (
    <Card>
      <div className="stack">
        <div className="you">
          <Who name={me.username ?? ''} image={me.avatar} since={me.createdAt} vipLevel={me.vipLevel} />
          <Picture />
        </div>
        {me.email && (
          <p className="line email">
            <span className="clip" translate="no">
              {me.email}
            </span>
            <Badge tone={me.emailVerified ? 'good' : 'warn'}>
              {me.emailVerified ? profile.verified : profile.unverified}
            </Badge>
          </p>
        )}
        <Unverified />
      </div>
    </Card>
  );
}

/** Changes the player's public picture. A selected file is uploaded immediately. */
function Picture() {
  const { picture } = words.account;
  const { avatar } = useMe();
  const file = useRef<HTMLInputElement>(null);
  const upload = useAct(CHANGE, { stale: [ME], said: picture.saved });
  const remove = useAct(CHANGE, { stale: [ME], said: picture.removed });
  const send = async (image: File | undefined) => {
    if (!image) return;
    await upload.run({ form: { image } });
    file.current!.value = '';
  };
  return (
    <div className="stack tight">
      <div className="actions">
        <input
          ref={file}
          type="file"
          hidden
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-label={picture.choose}
          onChange={(event) => void send(event.target.files?.[0])}
        />
        <Button icon="image-up" isBusy={upload.isBusy} onClick={() => file.current!.click()}>
          {picture.choose}
        </Button>
        {avatar && (
          <ActButton act={remove} input={{ body: { avatar: null } }} kind="ghost">
            {picture.remove}
          </ActButton>
        )}
      </div>
      <p className="xs faint">{picture.hint}</p>
      {upload.refused && <Refusal of={upload.refused} fields={upload.refused.fields} />}
    </div>
  );
}

function Rename() {
  const { profile } = words.account;
  const me = useMe();
  const rename = useAct(CHANGE, { stale: [ME], said: profile.saved });
  return (
    <Card title={profile.rename}>
      <Form act={rename} input={(f) => ({ body: { username: f.text('username') } })}>
        <Field
          name="username"
          label={words.entry.username}
          hint={words.entry.usernameHint}
          data-format={words.entry.usernameHint}
          icon="user"
          defaultValue={me.username}
          required
          {...USERNAME}
        />
      </Form>
    </Card>
  );
}

type Flag = 'isPrivate' | 'isStreamerMode' | 'isEmailNotificationsEnabled';

/** Visibility, mails and language. Each applies as soon as it is changed. */
function Preferences() {
  const { preferences } = words.account;
  const me = useMe();
  const change = useAct(CHANGE, {
    stale: [ME],
    said: preferences.saved,
    onDone: ({ language }) => {
      if (language && Object.hasOwn(LANGUAGES, language) && language !== languageNow())
        chooseLanguage(language as Language);
    },
  });
  const flag = (name: Flag, label: ReactNode) => (
    <Switch
      label={label}
      isOn={me[name]}
      disabled={change.isBusy}
      onChange={(isOn) => void change.run({ body: { [name]: isOn } })}
    />
  );
  const known = me.language?.slice(0, 2);
  return (
    <Card title={preferences.title}>
      <div className="stack">
        {change.refused && <Refusal of={change.refused} />}
        {flag('isPrivate', preferences.isPrivate)}
        {flag('isStreamerMode', preferences.isStreamerMode)}
        {flag('isEmailNotificationsEnabled', preferences.mails)}
        <Pick
          label={preferences.language}
          hint={preferences.languageHint}
          options={Object.entries(LANGUAGES).map(([value, text]) => ({ value, text }))}
          value={known && Object.hasOwn(LANGUAGES, known) ? known : languageNow()}
          onChange={(language) => void change.run({ body: { language } })}
        />
      </div>
    </Card>
  );
}
