import { useState } from 'react';
import { Coin } from '../kit/amount.tsx';
import { Button } from '../kit/button.tsx';
import { AmountInput } from '../kit/form/amount-field.tsx';
import { Check, Slider } from '../kit/form/choice.tsx';
import { Field, PasswordField, TextArea } from '../kit/form/field.tsx';
import { Fields } from '../kit/form/form.tsx';
import { Select } from '../kit/form/select.tsx';
import { Chip, Segmented, Switch } from '../kit/form/toggle.tsx';
import { Icon } from '../kit/icon.tsx';
import { percent } from '../kit/intl.ts';
import { Combobox } from '../kit/pick/combobox.tsx';
import { Menu } from '../kit/pick/menu.tsx';
import { type Option, Pick } from '../kit/pick/pick.tsx';
import { say } from '../kit/toast.tsx';

export function FieldsShown() {
  const [amount, setAmount] = useState('10');
  const [part, setPart] = useState<'manual' | 'auto'>('manual');
  const [isOn, setOn] = useState(true);
  const [chance, setChance] = useState(49);
  const [isSet, setSet] = useState(true);
  return (
    <div className="columns">
      <FormShown />
      <div className="stack">
        <AmountInput
          label="Bet amount"
          right="$10.00"
          value={amount}
          onChange={setAmount}
          currency="USDT"
          buttons="bet"
        />
        <AmountInput
          label="Amount"
          right="Available 1,084.50"
          value={amount}
          onChange={setAmount}
          currency="BTC"
          buttons="all"
          available="1084.5"
        />
        <Segmented label="Mode" of={{ manual: 'Manual', auto: 'Auto' }} value={part} onChange={setPart} />
        <Switch label="Quick play" isOn={isOn} onChange={setOn} />
        <Switch label="Not available" isOn={false} onChange={setOn} disabled />
        <Slider
          name="chance"
          label="Win chance"
          right={percent(chance)}
          min={1}
          max={98}
          value={chance}
          onChange={setChance}
        />
        <Select name="order" label="Order" of={['NEWEST', 'OLDEST']} />
        <div className="actions">
          <Chip
            name="Country"
            {...(isSet
              ? { kind: 'set', onRemove: () => setSet(false) }
              : { kind: 'add', onClick: () => setSet(true) })}
          >
            {isSet ? 'DE, AT' : undefined}
          </Chip>
          <Chip kind="add">Provider</Chip>
          <Chip>Slots</Chip>
        </div>
      </div>
    </div>
  );
}

const FormShown = () => (
  <Fields refused={undefined} onSend={() => say('Sent')}>
    <Field
      name="email"
      label="Email"
      type="email"
      icon="mail"
      required
      hint="We send a link to this address"
    />
    <Field
      name="username"
      label="Username"
      required
      minLength={3}
      pattern="[A-Za-z0-9_]+"
      data-format="Use letters, numbers and underscores"
    />
    <PasswordField name="password" label="Password" required minLength={8} />
    <TextArea name="note" label="Note" maxLength={200} />
    <Check name="adult" label="I am 18 or older" required />
    <Button type="submit" kind="main" size="lg" isWide>
      Create account
    </Button>
  </Fields>
);

const COINS: readonly Option[] = ['USDT', 'BTC', 'ETH', 'LTC', 'SOL'].map((id) => ({
  value: id,
  text: id,
  shown: (
    <>
      <Coin of={id} /> {id}
    </>
  ),
}));
const COUNTRIES: readonly Option[] = [
  'Austria',
  'Brazil',
  'Canada',
  'Denmark',
  'Estonia',
  'Finland',
  'Germany',
  'Hungary',
  'Iceland',
  'Japan',
].map((name) => ({ value: name, text: name }));

export function PicksShown() {
  const [coin, setCoin] = useState('USDT');
  const [country, setCountry] = useState('');
  const [text, setText] = useState('');
  const [isHidden, setHidden] = useState(false);
  return (
    <div className="columns">
      <Pick label="Currency" options={COINS} value={coin} onChange={setCoin} hint="The currency you bet in" />
      <Pick
        label="Country"
        options={COUNTRIES}
        value={country}
        onChange={setCountry}
        placeholder="Choose a country"
      />
      <Combobox
        label="Search countries"
        value={text}
        onChange={setText}
        options={COUNTRIES.filter(
          (one) => text !== '' && one.text.toLowerCase().includes(text.toLowerCase()),
        )}
        onChoose={(option) => setText(option.text)}
        placeholder="Search"
      />
      <div className="actions">
        <Menu
          label="Account"
          entries={[
            { text: 'Wallet', icon: 'wallet', run: () => say('Wallet') },
            { text: 'Settings', icon: 'settings', to: '/settings' },
            'line',
            { text: 'Hide my name', icon: 'eye-off', isOn: isHidden, run: () => setHidden(!isHidden) },
          ]}
        >
          Account <Icon name="chevron-down" size={14} />
        </Menu>
      </div>
    </div>
  );
}
