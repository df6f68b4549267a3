import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { SublError } from '@subluminal/core-types';

/** The program that asks the Secret Service of a Linux desktop (libsecret), by absolute paths alone. */
const PROGRAMS: readonly string[] = ['/usr/bin/secret-tool', '/usr/local/bin/secret-tool'];
/** A locked keychain asks its user first. */
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 65_536;

/** How an entry is found; other programs see it under the same attributes. */
const attributes = (name: string): readonly string[] => ['service', 'subluminal', 'account', name];

/**
 * The value of a name in the system's keychain, undefined where it has none. The bus is that of the account,
 * never one that the environment names: else whoever writes a client's entry could put a keychain of his own
 * in its place.
 *
 * @throws SublError `not_available` where there is no keychain that this version can ask, `secret_missing`
 *   where it does not answer.
 */
export async function readKeychain(name: string): Promise<string | undefined> {
  const { code, output, errors } = await ask(['lookup', ...attributes(name)]);
  if (code === 0) return output;
  if (errors.trim() === '') return undefined;
  throw unanswered(errors);
}

/** Puts a value into the keychain, in place of the one before. Errors as `readKeychain`. */
export async function writeKeychain(name: string, value: string): Promise<void> {
  const label = `subluminal: ${name}`;
  const { code, errors } = await ask(['store', '--label', label, ...attributes(name)], value);
  if (code !== 0) throw unanswered(errors);
}

/** Takes a name out of the keychain; false: it was not there. Errors as `readKeychain`. */
export async function removeKeychain(name: string): Promise<boolean> {
  if ((await readKeychain(name)) === undefined) return false;
  const { code, errors } = await ask(['clear', ...attributes(name)]);
  if (code !== 0) throw unanswered(errors);
  return true;
}

interface Answer {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function ask(args: readonly string[], input = ''): Promise<Answer> {
  const { program, bus } = keychainOfAccount();
  const { homedir, username } = userInfo();
  const child = spawn(program, [...args], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: homedir,
      USER: username,
      LANG: 'C.UTF-8',
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}`,
    },
  });
  return new Promise((resolve, reject) => {
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (texts[name].length < MAX_OUTPUT) texts[name] += text;
      });
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    child.once('error', (cause) => {
      clearTimeout(timer);
      reject(unanswered(cause.message));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (signal === null) resolve({ code, output: texts.stdout, errors: texts.stderr });
      else reject(unanswered('it did not answer in time'));
    });
    // A program that ends at once does not read what it is given.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function keychainOfAccount(): { readonly program: string; readonly bus: string } {
  const program = PROGRAMS.find((path) => existsSync(path));
  const bus = `/run/user/${userInfo().uid}/bus`;
  if (process.platform !== 'linux') throw notAvailable('this version asks no keychain of this system');
  if (program === undefined) throw notAvailable('there is no `secret-tool` (package libsecret-tools)');
  if (!existsSync(bus)) throw notAvailable(`there is no desktop session (\`${bus}\`)`);
  return { program, bus };
}

function notAvailable(why: string): SublError {
  return new SublError('not_available', `the keychain cannot be asked: ${why}`, {
    help: 'use the gateway’s own store (`source = "store"`), or a file that only you can read (`source = "file"`)',
  });
}

function unanswered(errors: string): SublError {
  const [line = ''] = errors.trim().split('\n');
  return new SublError('secret_missing', `the keychain does not answer: ${line.slice(0, 200)}`, {
    help: 'unlock it, and start the server again',
  });
}
