import { expect, test } from 'vitest';
import { StartedPrograms } from './started-programs.js';

test('programs are told by how often they were started, each with its starter', () => {
  const programs = new StartedPrograms();
  programs.add(['0', '/bin/ls', '/bin/sh', '1', '/bin/cc', '/bin/make', '40']);
  programs.add(['2', '/bin/ls', '/bin/sh', '2']);
  expect(programs.told).toEqual({
    programs: [
      { path: '/bin/cc', by: '/bin/make', count: 40 },
      { path: '/bin/ls', by: '/bin/sh', count: 3 },
    ],
    programs_more: 2,
  });
});

test('of more programs than are told, and than are remembered, the starts are counted', () => {
  const programs = new StartedPrograms();
  for (let at = 0; at < 2000; at += 1) programs.add(['0', `/bin/p${at}`, '/bin/sh', '1']);
  const { programs: told, programs_more: more } = programs.told;
  expect([told?.length, more]).toEqual([64, 1936]);
});

test('words that are no programs add none', () => {
  const programs = new StartedPrograms();
  for (const words of [[], ['x'], ['-1'], ['0', '/bin/ls'], ['0', '/bin/ls', '/bin/sh', '1e400'], ['1.5']])
    expect(programs.add(words)).toBe(false);
  expect(programs.told).toEqual({});
});
