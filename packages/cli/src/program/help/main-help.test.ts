import { expect, it } from 'vitest';
import { VERBS } from '../verbs.js';
import { mainHelp } from './main-help.js';

it('names ten verbs, and says where the others are', () => {
  const text = mainHelp(VERBS);
  const named = [...text.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name);
  expect(named).toEqual([
    'init',
    'tail',
    'watch',
    'why',
    'report',
    'policy',
    'allow',
    'panic',
    'doctor',
    'restore',
  ]);
  expect(text).toContain(`\`sub help all\` the other ${VERBS.length - 10} verbs.`);
});
