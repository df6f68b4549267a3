import { expect, it } from 'vitest';
import { PROJECT_FILE } from '@subluminal/core-types';
import { amongAbove, filesAbove } from './folders.js';

const PLACES = [
  '/',
  '/home',
  '/home/ada',
  '/home/ada/a',
  '/home/ada/a/b',
  '/home/adam',
  '/srv',
  '/srv/a b',
  '/srv/a',
];
const FILES = PLACES.map((place) => `${place === '/' ? '' : place}/${PROJECT_FILE}`);
const FOLDERS = [
  ...PLACES,
  '/home/ada/a/b/c',
  '/home/ada/a/',
  '/home/ada/a/../a/b/.',
  '/home/ada/../../srv/a',
  '//srv//a b/x',
  '/srv/ab',
  'srv/a',
  '',
  '/home/ada/',
  '/home/adam/x',
];

it.each(FOLDERS)('trusted files are found by their own folders as by those above `%s`', (folder) => {
  for (const home of ['/home/ada', '/srv/a', '/nowhere']) {
    const above = filesAbove(folder, home);
    expect(amongAbove(FILES, folder, home)).toEqual(above.filter((file) => FILES.includes(file)));
  }
});
