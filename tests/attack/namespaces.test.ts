import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub, SUB } from '../harness/sub.js';

const can = (...flags: string[]): boolean => spawnSync('unshare', [...flags, 'true']).status === 0;
const sub = `"${process.execPath}" "${SUB}"`;

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

const listed = async (): Promise<string> =>
  (await runSub(['allow', 'list', '--home', home.home, '--json'])).stdout;

/** Deeper than the ancestors of a process are followed. */
const deep = (words: string): string => `sh -c 'n=$1; shift
if [ $n -gt 0 ]; then sh -c "$0" "$0" $((n - 1)) "$@"; exit $?; fi
"$@"; exit $?' 'n=$1; shift
if [ $n -gt 0 ]; then sh -c "$0" "$0" $((n - 1)) "$@"; exit $?; fi
"$@"; exit $?' 70 ${words}`;

const WAYS: readonly (readonly [name: string, possible: boolean, prefix: (words: string) => string])[] = [
  [
    'a time namespace',
    can('-UrT', '--boottime', '1000000'),
    (words) => `unshare -UrT --boottime 1000000 ${words}`,
  ],
  ['a user namespace, as nobody of its own', can('-U'), (words) => `unshare -U ${words}`],
  [
    'a namespace without `/proc`',
    can('-Urm'),
    (words) => `unshare -Urm sh -c 'mount -t tmpfs none /proc; exec "$@"' x ${words}`,
  ],
  [
    'a namespace in which its parent is hidden',
    can('-Urm'),
    (words) => `unshare -Urm sh -c 'mount -t tmpfs none /proc/$PPID; "$@"; exit $?' x ${words}`,
  ],
  [
    'a namespace of processes that sees the outer `/proc`',
    can('-Urpf'),
    (words) => `unshare -Urpf sh -c '"$@"; exit $?' x ${words}`,
  ],
  ['a process with too many ancestors', true, deep],
];

describe('an agent is not taken for the operator in', () => {
  it.for(WAYS)('%s', async ([name, possible, way], { skip }) => {
    skip(!possible, `${name} cannot be made here`);
    const words = `${sub} allow add hidden.example --home ${home.home}`;
    const script = `rm -f "$SUB_HOME"/run/tickets/*\nenv -i PATH="$PATH" ${way(words)}`;
    const { code, stderr } = await runSub(['run', '--home', home.home, '--', 'bash', '-c', script]);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('error[inside_run]: this command is refused'),
    ]);
    expect(await listed()).not.toContain('hidden.example');
  });
});

it.skipIf(!can('-n'))('the operator is outside in a network of its own', async () => {
  const words = ['-n', process.execPath, SUB, 'allow', 'add', 'apart.example', '--home', home.home];
  expect(spawnSync('unshare', words).status).toBe(0);
  expect(await listed()).toContain('apart.example');
});
