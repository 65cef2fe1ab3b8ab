import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keeper, openChannel, type Place } from '../web/kit/storage.ts';
import { surviveTranslation } from '../web/kit/translated.ts';
import { asksFor, LEAVE } from '../web/lobby/leaving.ts';
import { forgetReferral, KEPT_MS, keepReferral, keptReferral } from '../web/lobby/referral.ts';

const blocked = (): Place => {
  throw new DOMException('blocked', 'SecurityError');
};

function storage({ isFull }: { isFull: boolean }) {
  const stored = new Map<string, string>([['theme', 'dark']]);
  const place: Place = {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => {
      if (isFull) throw new DOMException('full', 'QuotaExceededError');
      stored.set(key, value);
    },
    removeItem: (key) => void stored.delete(key),
  };
  return { stored, place };
}

test('stores a value in the browser when its storage works', () => {
  const { stored, place } = storage({ isFull: false });
  const kept = keeper(() => place);
  expect(kept.get('theme')).toBe('dark');
  kept.set('theme', 'light');
  expect(stored.get('theme')).toBe('light');
  kept.remove('theme');
  expect(kept.get('theme')).toBeUndefined();
});

test('reads stored JSON only if it is well-formed and of the expected type', () => {
  const { stored, place } = storage({ isFull: false });
  const isList = (value: unknown): value is string[] => Array.isArray(value);
  for (const text of ['{', '', 'null', '{}', '5']) {
    stored.set('list', text);
    expect(keeper(() => place).read('list', isList), text).toBeUndefined();
  }
  stored.set('list', '["a"]');
  expect(keeper(() => place).read('list', isList)).toEqual(['a']);
});

test('keeps a value in memory when storage is blocked', () => {
  const kept = keeper(blocked);
  expect(kept.get('theme')).toBeUndefined();
  kept.set('theme', 'light');
  expect(kept.get('theme')).toBe('light');
  kept.remove('theme');
  expect(kept.get('theme')).toBeUndefined();
});

test('uses the new value in memory instead of the stored value when storage is full', () => {
  const { stored, place } = storage({ isFull: true });
  const kept = keeper(() => place);
  kept.set('theme', 'light');
  expect(kept.get('theme')).toBe('light');
  expect(stored.get('theme')).toBe('dark');
});

test('opens no channel between tabs when the browser blocks it', () => {
  const real = globalThis.BroadcastChannel;
  globalThis.BroadcastChannel = class {
    constructor() {
      throw new DOMException('blocked', 'SecurityError');
    }
  } as never;
  try {
    expect(openChannel('any')).toBeUndefined();
  } finally {
    globalThis.BroadcastChannel = real;
  }
});

test('uses browser storage only through web/kit/storage.ts', () => {
  const direct = /\b(localStorage|sessionStorage|indexedDB|BroadcastChannel\(|document\.cookie)/;
  const files = globSync('web/{kit,lobby,console}/**/*.{ts,tsx}').filter((f) => f !== 'web/kit/storage.ts');
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => direct.test(readFileSync(file, 'utf8')))).toEqual([]);
});

/** Returns a minimal DOM node class with the methods by which React inserts and removes text. */
function fakeNodes() {
  class Fake {
    parentNode: Fake | null = null;
    children: Fake[] = [];
    removeChild(child: Fake) {
      if (child.parentNode !== this) throw new DOMException('not a child', 'NotFoundError');
      this.children = this.children.filter((each) => each !== child);
      child.parentNode = null;
      return child;
    }
    insertBefore(child: Fake, before: Fake | null | undefined) {
      if (before && before.parentNode !== this) throw new DOMException('not a child', 'NotFoundError');
      const at = before ? this.children.indexOf(before) : this.children.length;
      this.children.splice(at, 0, child);
      child.parentNode = this;
      return child;
    }
  }
  surviveTranslation(Fake.prototype);
  return () => new Fake();
}

test('removes and inserts nodes normally on a page that is not translated', () => {
  const node = fakeNodes();
  const [parent, one, two] = [node(), node(), node()];
  parent.insertBefore(two, null);
  parent.insertBefore(one, two);
  expect(parent.children).toEqual([one, two]);
  parent.removeChild(one);
  expect(parent.children).toEqual([two]);
});

test('appends a node when the reference node is undefined', () => {
  const node = fakeNodes();
  const [parent, one, two] = [node(), node(), node()];
  parent.insertBefore(one, null);
  parent.insertBefore(two, undefined);
  expect(parent.children).toEqual([one, two]);
});

test('tolerates nodes that a translation tool has replaced', () => {
  const node = fakeNodes();
  const [parent, text, fresh] = [node(), node(), node()];
  expect(() => parent.removeChild(text)).not.toThrow();
  parent.insertBefore(fresh, text);
  expect(parent.children).toEqual([fresh]);
});

test('remembers the last referral code for 30 days, and deletes it after a sign-up', () => {
  forgetReferral();
  keepReferral('?utm=x');
  expect(keptReferral()).toBeUndefined();
  const now = Date.now();
  keepReferral('?ref=first', now);
  keepReferral('?ref=second-1', now);
  keepReferral('?other=1', now);
  expect(keptReferral(now + KEPT_MS - 1)).toBe('second-1');
  expect(keptReferral(now + KEPT_MS)).toBeUndefined();
  forgetReferral();
  expect(keptReferral(now)).toBeUndefined();
});

test.each(['', 'with space', 'x'.repeat(65), '<b>'])('ignores the referral code %j', (code) => {
  forgetReferral();
  keepReferral(`?ref=${encodeURIComponent(code)}`);
  expect(keptReferral()).toBeUndefined();
});

test.each([
  'exit',
  'closeGame',
  'lobby',
  'GAME_EXIT',
  { type: 'exit' },
  { event: 'close' },
  { action: 'goHome' },
  '{"event":"exit"}',
  { type: LEAVE },
])('closes the game when it receives the message %j', (message) => {
  expect(asksFor(message)).toBe('home');
});

test.each(['cashier', 'open-cashier', { type: 'DEPOSIT' }, '{"action":"quickDeposit"}'])(
  'shows the wallet when it receives the message %j',
  (message) => {
    expect(asksFor(message)).toBe('cashier');
  },
);

test.each([
  undefined,
  null,
  7,
  '',
  'spin',
  'x'.repeat(5000),
  '{"event":',
  '{"event":{"type":"exit"}}',
  { type: 'balance' },
  { payload: 'exit' },
  ['exit'],
])('stays in the game for the message %j', (message) => {
  expect(asksFor(message)).toBeUndefined();
});
