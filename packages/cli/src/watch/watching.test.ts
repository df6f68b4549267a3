import { expect, test } from 'vitest';
import type { ShownQuestion } from '../verbs/approvals/question.js';
import { Watching } from './watching.js';

function world() {
  const clock = { now: 0 };
  const shown: string[] = [];
  const answers: [string, string][] = [];
  const told: string[] = [];
  const watching = new Watching({
    answer: ({ id }, answer) => {
      answers.push([id, answer]);
      return Promise.resolve();
    },
    show: ({ id }) => shown.push(id),
    tell: (line) => told.push(line),
    now: () => clock.now,
  });
  const press = (key: string): Promise<boolean> => {
    clock.now += 1000;
    return watching.key(key);
  };
  return { clock, shown, answers, told, watching, press };
}

const question = (id: string): ShownQuestion => ({
  id,
  number: 7,
  runId: 'r',
  ruleId: 'rule',
  tool: 's.t',
  object: '',
  isWhole: true,
  why: '',
  raises: false,
  state: 'pending',
  said: '',
  createdAt: 0,
  expiresAt: 0,
});

test('questions are shown one at a time, and a key answers the one that is shown', async () => {
  const { watching, shown, answers, press } = world();
  watching.take([question('a'), question('b')]);
  expect(shown).toEqual(['a']);
  await press('y');
  expect(answers).toEqual([['a', 'once']]);
  expect(shown).toEqual(['a', 'b']);
  await press('n');
  expect(answers.at(-1)).toEqual(['b', 'no']);
  expect(await press('y')).toBe(true);
  expect(answers).toHaveLength(2);
});

test('a key that was typed ahead answers nothing', async () => {
  const { watching, answers, told, clock } = world();
  watching.take([question('a')]);
  clock.now += 100;
  await watching.key('y');
  expect(answers).toEqual([]);
  expect(told).toHaveLength(1);
});

test('what is left for later is not shown again, and waits', async () => {
  const { watching, shown, answers, press } = world();
  watching.take([question('a')]);
  await press('l');
  watching.take([question('a'), question('b')]);
  expect(shown).toEqual(['a', 'b']);
  expect(answers).toEqual([]);
});

test('a question that is answered elsewhere is told, and the next one shown', () => {
  const { watching, shown, told } = world();
  watching.take([question('a')]);
  watching.take([question('b')]);
  expect(told).toEqual(['the question was answered elsewhere, or has expired']);
  expect(shown).toEqual(['a', 'b']);
});

test('a question that does not show all of its call takes a no, and no yes', async () => {
  const { watching, answers, told, press } = world();
  watching.take([{ ...question('a'), isWhole: false }]);
  await press('y');
  await press('r');
  expect(answers).toEqual([]);
  expect(told).toHaveLength(2);
  await press('n');
  expect(answers).toEqual([['a', 'no']]);
});

test('a question stays shown while nobody can say what waits', async () => {
  const { watching, answers, told, press } = world();
  watching.take([question('a')]);
  watching.take(undefined);
  expect(told).toEqual([]);
  await press('y');
  expect(answers).toEqual([['a', 'once']]);
});

test('`q` ends the view', async () => {
  expect(await world().press('q')).toBe(false);
});
