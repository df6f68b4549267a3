import { statSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';

/**
 * The user that root becomes in a world without namespaces: nothing can be mapped there, so it is whoever
 * owns the folder. Undefined: root does not start it, and it stays who it is. Throws `not_available` for a
 * folder of root's own.
 */
export function plainOwner(
  folder: string,
  user: number | undefined = process.getuid?.(),
): { readonly uid: number; readonly gid: number } | undefined {
  if (user !== 0) return undefined;
  const { uid, gid } = statSync(folder);
  if (uid !== 0 && gid !== 0) return { uid, gid };
  throw new SublError(
    'not_available',
    `\`${folder}\` is root’s, and a world without namespaces is never root`,
    {
      help: `give it to a plain user (\`chown -R 1000:1000 ${folder}\`), or start as one`,
    },
  );
}
