import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { unsafe } from './check.js';
import { readOwnText } from './own-file.js';
import type { HomePaths } from './paths.js';

const MAX_BYTES = 128;
const PRIVATE_BITS = 0o077;
/** A folder beside the home or in it. */
const FORM = /^(?:\.\.\/)?subluminal-record-\d{4}-\d{2}-\d{2}(?:-\d{1,4})?\n$/;

/**
 * The folder that the record of a home is being moved to; undefined while nobody moves it. The mark stands
 * there from before the first move until after the last, so that a command which was cut off is gone on with,
 * and no gateway begins anything between its parts.
 *
 * @throws SublError `home_unsafe` for a mark that names no such folder, and those of `readOwnText`.
 */
export function readAsideMark({ home, asideMark }: HomePaths): string | undefined {
  const text = readOwnText(asideMark, { maxBytes: MAX_BYTES, forbidden: PRIVATE_BITS });
  if (text === undefined) return undefined;
  if (!FORM.test(text)) throw unsafe(asideMark, 'does not name the folder of a record');
  return resolve(home, text.trimEnd());
}

/** @throws SublError `ledger_incomplete` where moving the record of this home was cut off. */
export function assertWhole(paths: HomePaths): void {
  const folder = readAsideMark(paths);
  if (folder === undefined) return;
  throw new SublError(
    'ledger_incomplete',
    `the record of this home was being moved to \`${folder}\`, and that was cut off`,
    {
      help: '`sub up --new-ledger` finishes it and begins another ledger, `sub uninstall` finishes it and removes the home',
    },
  );
}
