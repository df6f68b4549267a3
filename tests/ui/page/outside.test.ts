import { describe, expect, it } from 'vitest';
import { outsideOf } from '../../../packages/ui/page/state/outside.js';
import { Kept } from './kit/record.js';

/** A window whose browser answers so when it is asked. */
function around(answers: NotificationPermission, permission: NotificationPermission = 'default') {
  const told: { body: string | undefined; press: () => void }[] = [];
  let isInFront = false;
  class Told extends EventTarget {
    static permission = permission;
    static requestPermission(): Promise<NotificationPermission> {
      Told.permission = answers;
      return Promise.resolve(answers);
    }
    constructor(_title: string, options?: NotificationOptions) {
      super();
      told.push({ body: options?.body, press: () => this.dispatchEvent(new Event('click')) });
    }
    close(): void {
      told.length = 0;
    }
  }
  const seen: string[] = [];
  const window = {
    Notification: Told as never,
    localStorage: new Kept(),
    document: { hasFocus: () => isInFront },
    focus: () => seen.push('focus'),
  };
  return {
    window,
    told,
    seen,
    look: () => seen.push('inbox'),
    comesToFront: () => {
      isInFront = true;
    },
  };
}

describe('a person in another window', () => {
  it('is told that more wait than before, after a yes to the browser, and of no call', async () => {
    const { window, told, look } = around('granted');
    const outside = outsideOf(window, look);
    outside.waits(0);
    outside.waits(1);
    expect(told).toEqual([]);
    await outside.turn(true);
    outside.waits(1);
    expect(told).toEqual([]);
    outside.waits(2);
    expect(told.map(({ body }) => body)).toEqual(['2 questions of agents wait for you']);
    outside.waits(0);
    outside.waits(1);
    expect(told.map(({ body }) => body)).toContain('1 question of agents waits for you');
  });

  it('comes to the inbox by a press on it', async () => {
    const { window, told, seen, look } = around('granted');
    const outside = outsideOf(window, look);
    await outside.turn(true);
    outside.waits(0);
    outside.waits(1);
    told[0]?.press();
    expect(seen).toEqual(['focus', 'inbox']);
    expect(told).toEqual([]);
  });

  it('is told nothing of what waited when the page was opened, nor in front of it', async () => {
    const { comesToFront, window, told, look } = around('granted');
    const outside = outsideOf(window, look);
    await outside.turn(true);
    outside.waits(3);
    comesToFront();
    outside.waits(4);
    expect(told).toEqual([]);
  });

  it('who said no to the browser is told that it is so, and the choice outlives the page', async () => {
    const no = around('denied');
    const outside = outsideOf(no.window, no.look);
    await outside.turn(true);
    expect([outside.isOn.value, outside.can.value]).toEqual([false, 'refused']);
    const yes = around('granted');
    await outsideOf(yes.window, yes.look).turn(true);
    expect(outsideOf(yes.window, yes.look).isOn.value).toBe(true);
    const without = { ...yes.window, Notification: undefined };
    const { Notification: _none, ...bare } = without;
    expect(outsideOf(bare, yes.look).can.value).toBe('no');
  });

  it('is told nothing by a browser that lets no page tell, which goes on', async () => {
    const { window, look } = around('granted');
    class Refusing {
      static permission = 'granted';
      constructor() {
        throw new TypeError('Illegal constructor');
      }
    }
    const outside = outsideOf({ ...window, Notification: Refusing as never }, look);
    await outside.turn(true);
    outside.waits(0);
    outside.waits(1);
    expect([outside.isOn.value, outside.can.value]).toEqual([false, 'no']);
  });
});
