import { closeSync, constants, openSync, readSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';

/** The first bytes of a journal by which SQLite undoes what was cut off. */
const MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

/**
 * The error for a journal that SQLite found beside a file that it may only read. SQLite would remove a file
 * that is no journal. It would write a journal over the ledger, whether that is due or came from elsewhere:
 * only its owner knows which of the two it is.
 */
export function cutOff(path: string, cause: unknown): SublError {
  const journal = `${path}-journal`;
  if (!isJournal(journal))
    return new SublError(
      'ledger_unsafe',
      `\`${journal}\` stands beside the ledger, and is no journal of it`,
      {
        cause,
        help: `move \`${journal}\` away, and try again`,
      },
    );
  return new SublError(
    'ledger_unsafe',
    `a change to \`${path}\` was cut off and has to be undone first: \`${journal}\` says how`,
    {
      cause,
      help: `where the machine stopped in the middle of one, \`sub up\` undoes it; else somebody has put that file there: copy both before`,
    },
  );
}

/** A file that cannot be read counts as a journal: it is not ours to give up. */
function isJournal(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const start = Buffer.alloc(MAGIC.length);
    return readSync(file, start, 0, start.length, 0) === MAGIC.length && start.equals(MAGIC);
  } catch {
    return true;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
