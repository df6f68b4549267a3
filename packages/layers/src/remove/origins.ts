import { spawn } from 'node:child_process';
import { SublError } from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';
import { type BytePath, bytesOf } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';

const PERL = '/usr/bin/perl';
/** Node takes no extended attribute away. Names end with NUL and stand below the folder of descriptor 3. */
const PROGRAM =
  'chdir "/proc/self/fd/3" or exit 1; $/ = "\\0"; ' +
  'while (<STDIN>) { chomp; for my $of ("trusted", "user") { ' +
  'my ($path, $name) = ($_, "$of.overlay.origin"); syscall($ARGV[0] + 0, $path, $name) } } print "done"';
const LREMOVEXATTR = process.arch === 'arm64' ? '15' : '198';

/**
 * Has the kernel forget of which files of the project these files of a layer were copied. If one was moved
 * away, and the other is seen again under its old name, it would take both for one file, and show the content
 * and the mode of the layer's for both. Throws `failed` if that cannot be done.
 */
export async function forgetOrigins(upper: Folder, files: readonly BytePath[]): Promise<void> {
  if (files.length === 0) return;
  const child = spawn(PERL, ['-e', PROGRAM, LREMOVEXATTR], {
    stdio: ['pipe', 'pipe', 'ignore', upper.fd],
    env: {},
  });
  let said = '';
  child.stdout?.setEncoding('latin1').on('data', (text: string) => (said += text));
  // It may end before it has read all; that it has not said its word tells.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('close', () => resolve());
    child.once('error', (error) => (hasCode(error, 'ENOENT', 'EACCES') ? resolve() : reject(error)));
  });
  child.stdin?.end(Buffer.concat(files.flatMap((path) => [bytesOf(path), Buffer.of(0)])));
  await ended;
  if (said !== 'done')
    throw new SublError(
      'failed',
      'the files of the layer could not be told apart from those of the project',
      {
        help: '`sub world doctor` says what is missing; nothing of the project was changed',
      },
    );
}
