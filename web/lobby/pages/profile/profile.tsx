import { useRef } from 'react';
import { ActButton, Check, Field, Form, Select } from '../../../kit/form.tsx';
import { Card, Facts, Loaded, Page, Refusal, YesNo } from '../../../kit/page.tsx';
import { type Act, useAct, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { USERNAME } from '../../fields.ts';
import { chooseLanguage, LANGUAGES, type Language, languageNow, words } from '../../words.ts';
import { Stats } from './stats.tsx';
import { ProfileTabs } from './tabs.tsx';

const ME = 'GET /user/me';
const CHANGE = 'PATCH /user/me';

/** The player's name, visibility and statistics. */
export function Profile() {
  const { profile, stats: said } = words.account;
  const stats = useRead('GET /user/me/stats', {});
  return (
    <Page title={profile.title} filters={<ProfileTabs />}>
      <div className="stack">
        <div className="cards">
          <You />
          <Preferences />
        </div>
        <Card title={said.title}>
          <Loaded of={stats}>{(own) => <Stats of={own} />}</Loaded>
        </Card>
      </div>
    </Page>
  );
}

function You() {
  const { profile } = words.account;
  const me = useMe();
  const rename = useAct(CHANGE, { stale: [ME], said: profile.saved });
  return (
    <Card title={me.username ?? profile.title}>
      <div className="stack">
        <Picture />
        <Facts
          of={{
            [words.entry.email]: me.email,
            [profile.verified]: <YesNo of={me.emailVerified} />,
            [profile.country]: me.country,
            [profile.vipLevel]: me.vipLevel,
          }}
        />
        {!me.emailVerified && me.email && <Verification />}
        <Form act={rename} input={(f) => ({ body: { username: f.text('username') } })}>
          <Field
            name="username"
            label={words.entry.username}
            hint={profile.usernameHint}
            defaultValue={me.username}
            required
            {...USERNAME}
          />
        </Form>
      </div>
    </Card>
  );
}

function Verification() {
  const { verify } = words.account;
  const ask = useAct('GET /user/request-email-verification', { said: verify.sent });
  return (
    <div>
      <p>{verify.missing}</p>
      <ActButton act={ask} input={{}}>
        {verify.send}
      </ActButton>
    </div>
  );
}

/** The player's public picture. A selected file is uploaded immediately. */
function Picture() {
  const { picture } = words.account;
  const { avatar } = useMe();
  const upload = useAct(CHANGE, { stale: [ME], said: picture.saved });
  const remove = useAct(CHANGE, { stale: [ME], said: picture.removed });
  return (
    <div className="avatar">
      {avatar && <img src={avatar} alt={picture.alt} width={96} height={96} />}
      <div className="stack">
        {upload.refused && <Refusal of={upload.refused} fields={upload.refused.fields} />}
        <FileField label={picture.choose} hint={picture.hint} upload={upload} />
        {avatar && (
          <div className="actions">
            <ActButton act={remove} input={{ body: { avatar: null } }} kind="quiet">
              {picture.remove}
            </ActButton>
          </div>
        )}
      </div>
    </div>
  );
}

type FileProps = { label: string; hint: string; upload: Act<typeof CHANGE> };

function FileField({ label, hint, upload }: FileProps) {
  const field = useRef<HTMLInputElement>(null);
  const send = async (image: File | undefined) => {
    if (!image) return;
    await upload.run({ form: { image } });
    field.current!.value = '';
  };
  return (
    <label className="field">
      <span>{label}</span>
      <input
        ref={field}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        disabled={upload.isBusy}
        aria-busy={upload.isBusy}
        onChange={(event) => void send(event.target.files?.[0])}
      />
      <small className="dim">{hint}</small>
    </label>
  );
}

/** Visibility, mail preferences and language. */
function Preferences() {
  const { preferences } = words.account;
  const me = useMe();
  const change = useAct(CHANGE, {
    stale: [ME],
    said: preferences.saved,
    onDone: ({ language }) => {
      if (language && language in LANGUAGES && language !== languageNow())
        chooseLanguage(language as Language);
    },
  });
  const known = me.language?.slice(0, 2);
  return (
    <Card title={preferences.title}>
      <Form
        act={change}
        input={(f) => ({
          body: {
            isPrivate: f.flag('isPrivate'),
            isStreamerMode: f.flag('isStreamerMode'),
            isEmailNotificationsEnabled: f.flag('isEmailNotificationsEnabled'),
            language: f.text('language'),
          },
        })}
      >
        <Check name="isPrivate" label={preferences.isPrivate} defaultChecked={me.isPrivate} />
        <Check name="isStreamerMode" label={preferences.isStreamerMode} defaultChecked={me.isStreamerMode} />
        <Check
          name="isEmailNotificationsEnabled"
          label={preferences.mails}
          defaultChecked={me.isEmailNotificationsEnabled}
        />
        <Select
          name="language"
          label={preferences.language}
          hint={preferences.languageHint}
          of={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          defaultValue={known && known in LANGUAGES ? known : languageNow()}
        />
      </Form>
    </Card>
  );
}
