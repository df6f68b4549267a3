import { describe, expect, it } from 'vitest';
import { AskWindow } from './ask-window.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Questions that the test answers. */
function world() {
  const window = new AskWindow();
  const asked: number[] = [];
  const answers = new Map<number, { resolve: (answer: number) => void; reject: (error: Error) => void }>();
  const ask = (name: number, bytes = 100): Promise<number> =>
    window.run(bytes, () => {
      asked.push(name);
      return new Promise((resolve, reject) => answers.set(name, { resolve, reject }));
    });
  return { window, ask, asked, answer: (name: number) => answers.get(name) };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('questions to the gateway', () => {
  it('are asked at once, 64 of them, and the others in their order as answers come', async () => {
    const { ask, asked, answer } = world();
    const all = upTo(70).map((name) => ask(name));
    expect(asked).toEqual(upTo(64));
    answer(5)?.resolve(55);
    expect(await all[5]).toBe(55);
    await turn();
    expect(asked).toEqual(upTo(65));
    answer(6)?.reject(new Error('no'));
    await expect(all[6]).rejects.toThrow('no');
    await turn();
    expect(asked).toEqual(upTo(66));
    for (const name of upTo(66)) answer(name)?.resolve(name);
    await turn();
    for (const name of upTo(70)) answer(name)?.resolve(name);
    expect(await Promise.all(all.slice(7))).toEqual(upTo(70).slice(7));
  });

  it('hold a mebibyte of arguments, or one question that is larger', async () => {
    const { ask, asked, answer } = world();
    const all = [ask(0, 3_000_000), ask(1, 600_000), ask(2, 400_000), ask(3, 100_000)];
    expect(asked).toEqual([0]);
    answer(0)?.resolve(0);
    await turn();
    expect(asked).toEqual([0, 1, 2]);
    answer(2)?.resolve(2);
    await turn();
    expect(asked).toEqual([0, 1, 2, 3]);
    for (const name of [1, 3]) answer(name)?.resolve(name);
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
  });

  it('that come while others wait do not pass them, however small they are', async () => {
    const { ask, asked, answer } = world();
    const all = [ask(0, 900_000), ask(1, 900_000), ask(2, 1)];
    expect(asked).toEqual([0]);
    answer(0)?.resolve(0);
    await turn();
    expect(asked).toEqual([0, 1, 2]);
    for (const name of [1, 2]) answer(name)?.resolve(name);
    await Promise.all(all);
  });

  it('are told to be over when the last of them was answered, also one that had to wait for room', async () => {
    const { window, ask, answer } = world();
    await window.idle();
    const heard: string[] = [];
    const all = [ask(0, 900_000), ask(1, 900_000)].map((one, at) => one.then(() => heard.push(`${at}`)));
    const idle = window.idle().then(() => heard.push('idle'));
    answer(0)?.resolve(0);
    await turn();
    await turn();
    expect(heard).toEqual(['0']);
    answer(1)?.resolve(1);
    await Promise.all([...all, idle]);
    expect(heard).toEqual(['0', '1', 'idle']);
  });
});
