import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorldView } from '../../view.js';
import { LimaBackend, machineOf } from './lima.js';

/**
 * A `limactl` that knows machines as files, checks what it is told as the real one does, and writes down each
 * call. A command in a machine is printed and ends with 7.
 */
const LIMACTL = `#!/bin/sh
cd "$(dirname "$0")" || exit 9
{ printf '%s' "$1"; shift_from=1; for word in "$@"; do [ $shift_from = 1 ] && { shift_from=0; continue; }; printf '|%s' "$word"; done; printf '\\n'; } >> calls
case "$1" in
list)
  [ "$2" = --json ] || exit 2
  for one in *.machine; do
    [ -e "$one" ] || continue
    printf '{"name":"%s","status":"%s","arch":"aarch64"}\\n' "\${one%.machine}" "$(cat "$one")"
  done ;;
start)
  [ "$2" = --tty=false ] || { echo "a terminal is needed" >&2; exit 1; }
  case "$3" in
  --name=*) [ -f "$4" ] || exit 3; name="\${3#--name=}"; [ -e "$name.machine" ] && exit 4 ;;
  *) name="$3"; [ -e "$name.machine" ] || { echo "open $name.yaml: no such file" >&2; exit 1; } ;;
  esac
  echo Running > "$name.machine" ;;
stop)
  [ "$(cat "$2.machine" 2>/dev/null)" = Running ] || exit 1
  echo Stopped > "$2.machine" ;;
shell)
  [ "$2" = --workdir ] && [ "$(cat "$4.machine" 2>/dev/null)" = Running ] || exit 5
  exit 7 ;;
*) exit 2 ;;
esac
`;

describe('worlds of Lima', () => {
  let root: string;
  const view = (more: Partial<WorldView> = {}): WorldView => ({
    identity: {
      user: { uid: 501, gid: 20, name: 'dev', home: '/Users/dev', shell: '/bin/zsh' },
      plainUid: () => undefined,
    },
    cwd: '/Users/dev/shop/src',
    folder: '/Users/dev/shop',
    read: [],
    write: [],
    writesThrough: false,
    gatewayHome: '/Users/dev/.subluminal',
    ...more,
  });
  const backend = (): LimaBackend => {
    const run = (args: readonly string[]) => {
      const end = spawnSync(join(root, 'limactl'), args, { encoding: 'utf8' });
      if (end.error !== undefined) throw new SublError('failed', 'it cannot be started (ENOENT)');
      return { code: end.status, stdout: end.stdout, stderr: end.stderr };
    };
    return new LimaBackend({
      limactl: {
        heard: (args) => new Promise((resolve) => resolve(run(args))),
        shown: (args) => new Promise((resolve) => resolve(run(args).code ?? -1)),
      },
      folder: join(root, 'templates'),
      version: '0.1.0',
    });
  };
  const calls = (): readonly string[] =>
    existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [];
  const name = machineOf(view());

  beforeEach(() => {
    root = mkdtempSync('/var/tmp/sub-lima-');
    writeFileSync(join(root, 'limactl'), LIMACTL);
    chmodSync(join(root, 'limactl'), 0o755);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('start a machine that is not there from a template of its own, and run the command in it', async () => {
    const words = ['sh', '-c', 'echo "a b" $HOME', 'A=b'] as const;
    expect(await backend().exec(view(), words)).toEqual({ exit: 7, worldId: undefined, spanId: undefined });
    expect(name).toMatch(/^sub-[0-9a-f]{12}$/);
    expect(calls()).toEqual([
      'list|--json',
      `start|--tty=false|--name=${name}|${join(root, 'templates', `${name}.yaml`)}`,
      `shell|--workdir|/Users/dev/shop/src|${name}|sub|world|exec|--|sh|-c|echo "a b" $HOME|A=b`,
    ]);
    expect(statSync(join(root, 'templates', `${name}.yaml`)).mode & 0o777).toBe(0o600);
  });

  it('start nothing while their machine is up', async () => {
    const lima = backend();
    await lima.ensureSession(view());
    await lima.exec(view(), ['true']);
    expect(calls().filter((call) => call.startsWith('start'))).toHaveLength(1);
  });

  it('start a machine that was stopped by its name, and keep its template', async () => {
    const lima = backend();
    await lima.ensureSession(view());
    await lima.close(view());
    await lima.ensureSession(view());
    expect(calls().slice(2)).toEqual([
      'list|--json',
      `stop|${name}`,
      'list|--json',
      `start|--tty=false|${name}`,
    ]);
  });

  it('have another machine if they show something else, which the guest is told, too', async () => {
    const more = view({ read: ['/Users/dev/.gitconfig'], write: ['/Users/dev/dist'] });
    await backend().exec(more, ['make']);
    expect(machineOf(more)).not.toBe(name);
    expect(calls().at(-1)).toBe(
      `shell|--workdir|/Users/dev/shop/src|${machineOf(more)}|sub|world|exec|--read|/Users/dev/.gitconfig|--write|/Users/dev/dist|--|make`,
    );
    const template = readFileSync(join(root, 'templates', `${machineOf(more)}.yaml`), 'utf8');
    expect(template.slice(template.indexOf('mounts:'), template.indexOf('containerd:'))).toBe(`mounts:
  - location: "/Users/dev/shop"
    writable: true
  - location: "/Users/dev/dist"
    writable: true
  - location: "/Users/dev/.gitconfig"
    writable: false
`);
  });

  it('show a machine nothing of the home, forward no keys, and write a path as one text', async () => {
    const odd = view({ folder: '/Users/dev/a: "b"\n  - x' });
    await backend().ensureSession(odd);
    const [file = ''] = readdirSync(join(root, 'templates'));
    const template = readFileSync(join(root, 'templates', file), 'utf8');
    expect(template).toContain(String.raw`  - location: "/Users/dev/a: \"b\"\n  - x"`);
    expect(template).not.toContain('location: "~"');
    expect(template).toMatch(/forwardAgent: false/);
    expect(template).toMatch(/^ {6}npm install --global @subluminal\/cli@0\.1\.0$/m);
  });

  it('say what is missing without Lima, and why it failed with it', async () => {
    rmSync(join(root, 'limactl'));
    await expect(backend().exec(view(), ['true'])).rejects.toMatchObject({
      code: 'not_available',
      help: 'install Lima: `brew install lima`',
    });
    writeFileSync(
      join(root, 'limactl'),
      '#!/bin/sh\n[ "$1" = list ] && exit 0\necho first >&2; echo "no vz here" >&2; exit 1\n',
    );
    chmodSync(join(root, 'limactl'), 0o755);
    await expect(backend().ensureSession(view())).rejects.toThrow('`limactl start` failed: no vz here');
  });

  it('end no machine that is not up, and have no policy of ours', async () => {
    await expect(backend().close(view())).rejects.toMatchObject({ code: 'not_found' });
    await expect(backend().applyPolicy()).rejects.toMatchObject({ code: 'not_available' });
  });
});
