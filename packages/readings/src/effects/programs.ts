import { copy } from './copy.js';
import { curl, wget } from './curl.js';
import { set, touch, type Effect } from './effect.js';
import { codeWithEnvFile, envFiles } from './env-files.js';
import { awk, editor, inPlace } from './filters.js';
import { git } from './git.js';
import { namesOfGlob } from '../paths/globs.js';
import { HOLE } from '../shell/marks.js';
import { tar } from './tar.js';
import { containers, installers, stores } from './transfer.js';
import {
  afterFirst,
  all,
  changeMode,
  diskCopy,
  find,
  lastWritten,
  openssl,
  packer,
  patch,
  remove,
  script,
  sort,
  sshKey,
  writing,
} from './kinds.js';

const NOTHING: Effect = () => [];

const GREP_PATTERNS = ['-e', '-f', '--regexp', '--file'];
const GREP_TAKES =
  '-e -f -A -B -C -m -g -t -d --glob --include --exclude --exclude-dir --type --regexp --file -E --context';

/** The files that a search is told to look through, by a glob in an option. */
const searching =
  (effect: Effect, ...options: readonly string[]): Effect =>
  (operands) => [
    ...effect(operands),
    ...touch(
      'read',
      // More than are read may mean any.
      operands.values(...options).flatMap((glob) => namesOfGlob(glob) ?? [HOLE]),
    ),
  ];

const both =
  (one: Effect, other: Effect): Effect =>
  (operands) => [...one(operands), ...other(operands)];

const named = (names: string, effect: Effect): readonly (readonly [string, Effect])[] =>
  names.split(' ').map((name) => [name, effect]);

/** A program writes into the folder that it is in, unless it is told another. */
const orHere = (folders: readonly string[]): readonly string[] => (folders.length > 0 ? folders : ['.']);

/** The effects of programs on files: the one table of them. */
export const EFFECTS: ReadonlyMap<string, Effect> = new Map([
  ...named('rm unlink rmdir shred srm', remove),
  ...named('cp', copy('read', '-t -S --target-directory')),
  ...named('mv', copy('delete', '-t -S --target-directory')),
  ...named('ln link', copy('read', '-t -S')),
  ...named('scp', copy('read', '-i -P -F -o -c -l -S')),
  ...named('rsync', copy('read', '-e --rsh --exclude --include --filter --files-from')),
  ...named('install', (operands) =>
    operands.has('-d')
      ? touch('write', operands.plain(set('-m -o -g')))
      : copy('read', '-m -o -g -t -S')(operands),
  ),
  ...named('tee sponge', all('write')),
  ...named('touch mkdir', all('write', '-m -d -t -r')),
  ...named('truncate', (operands) => touch('write', operands.plain(set('-s -r --size --reference')))),
  ...named('chmod chown chgrp chattr', changeMode),
  ...named('setfacl', afterFirst('change', '-m -x', ['-b', '-k'])),
  ...named('dd', diskCopy),
  ...named('sed gsed', inPlace('-e -f --expression --file')),
  ...named('perl ruby', inPlace('-e -E')),
  ...named(
    'grep egrep fgrep zgrep',
    searching(
      afterFirst(
        'read',
        GREP_TAKES,
        GREP_PATTERNS,
        (operands) => operands.hasShort('rR') || operands.has('--recursive'),
      ),
      '--include',
    ),
  ),
  ...named(
    'rg',
    searching(
      afterFirst('read', GREP_TAKES, GREP_PATTERNS, () => true),
      '-g',
      '--glob',
      '--iglob',
    ),
  ),
  ...named(
    'ag ack',
    afterFirst('read', GREP_TAKES, GREP_PATTERNS, () => true),
  ),
  ...named('awk gawk mawk nawk', awk),
  ...named('jq yq', afterFirst('read', '--arg --argjson -f')),
  ...named('find fd', find),
  ...named('tar gtar bsdtar', tar),
  ...named('unzip', (operands) => (operands.has('-l') ? [] : touch('write', orHere(operands.values('-d'))))),
  ...named('7z 7za', (operands) =>
    touch('write', orHere(operands.words.flatMap((word) => /^-o(.+)/.exec(word)?.[1] ?? []))),
  ),
  ...named('zip', (operands) => [
    ...touch('write', operands.plain().slice(0, 1)),
    ...touch('read', operands.plain().slice(1), operands.hasShort('r')),
  ]),
  ...named('curl', curl),
  ...named('wget', wget),
  ...named('git', git),
  ...named('ssh-keygen', sshKey),
  ...named('openssl', openssl),
  ...named('sort', sort),
  ...named('gpg gpg2 gcc g++ cc clang c++ rustc shuf iconv ffmpeg', writing('-o --output', '-d -c -x -k -n')),
  ...named('aria2c', (operands) => touch('write', operands.values('-o', '--out', '-d', '--dir'))),
  ...named('uniq xxd', (operands) => {
    const [from, to] = operands.plain(set('-f -s -w -c -g -l -o'));
    return [...touch('read', [from]), ...touch('write', [to])];
  }),
  ...named('convert magick pandoc', (operands) => [
    ...writing('-o --output')(operands),
    ...lastWritten(operands),
  ]),
  ...named('gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd', packer),
  ...named('patch', patch),
  ...named('ed ex', all('write', '-p -c')),
  ...named('vim vi nvim', editor),
  ...named('cpio', (operands) => touch('write', operands.hasShort('i') ? orHere(operands.values('-D')) : [])),
  ...named('split csplit', (operands) => {
    const [from, to] = operands.plain(set('-b -l -n -a -C -t -f'));
    return [...touch('read', [from]), ...touch('write', [to])];
  }),
  ...named('docker podman kubectl oc nerdctl', both(containers, envFiles)),
  ...named('aws gsutil rclone', stores),
  ...named('npm pnpm yarn pip pip3', installers),
  ...named('bun', both(installers, codeWithEnvFile)),
  ...named('node nodejs deno tsx', codeWithEnvFile),
  ...named('fallocate mknod mkfifo rename mmv symlink', all('write', '-l -s -c')),
  ...named('gio', afterFirst('delete', '')),
  ...named('trash trash-put', all('delete')),
  ...named('xattr', afterFirst('change', '')),
  ...named('ls stat test [ file du tree cd pushd realpath readlink which basename dirname df', all('look')),
  ...named('sh bash dash zsh ksh ash fish source .', script),
  ...named(
    'cat head tail less more bat nl tac od hexdump strings base64 wc cut diff cmp md5sum sha1sum sha256sum shasum nano emacs code open xdg-open zcat paste column rev fold pbcopy xclip',
    all('read', '-n -c -l'),
  ),
  ...named(
    'echo printf bazel gh psql mysql export kill pkill gcloud terraform brew apt apt-get say notify-send expr seq date sleep set unset alias read eval trap exit true false return sqlite3 mongosh redis-cli ssh crontab python python3 php http systemctl security defaults osascript sudo env xargs nohup time nice timeout command exec popd declare local readonly typeset hash umask wait jobs bg fg history type',
    NOTHING,
  ),
]);
