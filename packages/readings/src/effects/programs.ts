import { findResults, findStarts } from '../shell/find.js';
import type { Access, Operands, Touch } from './touch.js';

/** The files that a program touches, by its operands. */
export type Effect = (operands: Operands) => readonly Touch[];

const touch = (access: Access, names: readonly (string | undefined)[], isRecursive = false): Touch[] =>
  names.flatMap((name) => (name === undefined || name === '' ? [] : [{ name, access, isRecursive }]));

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const all =
  (access: Access, takes?: string): Effect =>
  (operands) =>
    touch(access, operands.plain(takes === undefined ? undefined : set(takes)));

const remove: Effect = (operands) =>
  touch('delete', operands.plain(), operands.hasShort('rR') || operands.has('--recursive'));

/** `cp`, `mv`, `ln`: from all but the last to the last, or into the folder of `-t`. */
const copy =
  (from: Access, takes: string): Effect =>
  (operands) => {
    const named = operands.plain(set(takes));
    const isHere = (name: string): boolean => !/^[\w.@-]+:(?!\/\/)/.test(name);
    const isWhole = from === 'delete' || operands.hasShort('rRa') || operands.has('--recursive', '--archive');
    const folder = operands.value('-t', '--target-directory');
    if (folder !== undefined) return [...touch('write', [folder]), ...touch(from, named, isWhole)];
    if (named.length < 2) return touch(from, named.filter(isHere), isWhole);
    return [
      ...touch('write', named.slice(-1).filter(isHere)),
      ...touch(from, named.slice(0, -1).filter(isHere), isWhole),
    ];
  };

const afterFirst =
  (
    access: Access,
    takes: string,
    instead: readonly string[] = [],
    isRecursive: (operands: Operands) => boolean = () => false,
  ): Effect =>
  (operands) => {
    const names = operands.plain(set(takes));
    return touch(access, operands.has(...instead) ? names : names.slice(1), isRecursive(operands));
  };

/** An editor of streams writes its files with `-i`. */
const inPlace =
  (script: string): Effect =>
  (operands) => {
    const isWriting = operands.words.some(
      (word) => /^-[a-zA-Z]*i/.test(word) || word.startsWith('--in-place'),
    );
    const names = operands.plain(set(script));
    const hasScript = operands.words.some(
      (word) => script.split(' ').includes(word) || /^-[a-z]*[eE]$/.test(word),
    );
    const files = hasScript
      ? names.filter((_, at) => at >= (operands.plain().length - names.length > 0 ? 0 : 1))
      : names.slice(1);
    const scripts = operands.words.flatMap((word) => [
      .../(?:^|[;}\d/])\s*[wW]\s+(\S+)/g[Symbol.matchAll](word),
    ]);
    return [
      ...touch(isWriting ? 'write' : 'read', files),
      ...touch(
        'write',
        scripts.map(([, name]) => name),
      ),
    ];
  };

/** The mode or the owner comes first, unless another file gives it. */
const changeMode: Effect = (operands) => {
  const names = operands.words.filter((word) => !word.startsWith('--') && !/^-[RHLPcfvh]+$/.test(word));
  const isFirst = operands.words.some((word) => word.startsWith('--reference='));
  return touch('change', isFirst ? names : names.slice(1));
};

const diskCopy: Effect = ({ words }) => [
  ...touch(
    'write',
    words.map((word) => /^of=(.*)$/s.exec(word)?.[1]),
  ),
  ...touch(
    'read',
    words.map((word) => /^if=(.*)$/s.exec(word)?.[1]),
  ),
];

const find: Effect = (operands) => {
  const { words } = operands;
  const isDeleting = operands.has('-delete');
  const written = ['-fprint', '-fls', '-fprintf', '-fprint0'].map((option) => operands.value(option));
  return [
    ...touch('look', findStarts(words)),
    ...touch('write', written),
    ...(isDeleting ? touch('delete', findResults(words), true) : []),
  ];
};

const tape: Effect = (operands) => {
  const mode = operands.words.find((word) => /^-?[a-zA-Z]*[cxturA][a-zA-Z]*$/.test(word)) ?? '';
  const bundle = operands.words.findIndex((word) => /^-?[a-zA-Z]*f$/.test(word));
  const file = operands.value('-f', '--file') ?? (bundle === -1 ? undefined : operands.words[bundle + 1]);
  const folder = operands.value('-C', '--directory');
  const rest = operands
    .plain()
    .filter((name) => name !== file && name !== mode && name !== folder)
    .map((name) => (folder === undefined || /^[/~]/.test(name) ? name : `${folder}/${name}`));
  const top = operands.value('--one-top-level');
  if (mode.includes('x') || operands.has('--extract'))
    return [...touch('write', [folder ?? '.', top]), ...touch('read', [file])];
  if (/[cru]/.test(mode) || operands.has('--create'))
    return [
      ...touch('write', [file]),
      ...touch(operands.has('--remove-files') ? 'delete' : 'read', rest, true),
    ];
  return touch('read', [file]);
};

const CURL_WRITES = set(
  '-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --hsts --alt-svc --output-dir --etag-save --libcurl',
);
const CURL_READS = set(
  '-T --upload-file -K --config -E --cert --key --netrc-file --cacert -b --cookie --etag-compare',
);
const CURL_DATA = set(
  '-d --data --data-binary --data-ascii --data-urlencode --data-raw --url-query -F --form --json -H --header',
);

const curl: Effect = (operands) => {
  const { words } = operands;
  const saved = operands.hasShort('O') || operands.has('--remote-name') ? ['.'] : [];
  return [
    ...touch('write', saved),
    ...words.flatMap((word, at) => {
      if (word === '-n' || word === '--netrc') return touch('read', ['~/.netrc']);
      if (/^file:/i.test(word)) return touch('read', [word]);
      const [option, value = words[at + 1]] = curlOption(word);
      if (CURL_WRITES.has(option)) return touch('write', [value]);
      if (CURL_DATA.has(option)) {
        const file = /(?:^|=|^\w*)[@<]([^;,]+)/.exec(value ?? '')?.[1];
        return file === '-' ? [] : touch('read', [file]);
      }
      return CURL_READS.has(option) && !(option === '-b' && value?.includes('='))
        ? touch('read', [value])
        : [];
    }),
  ];
};

/** An option of curl and the value that stands in the same word: `--output=x`, `-ox`, `-sSo`. */
function curlOption(word: string): readonly [option: string, value?: string] {
  if (word.startsWith('--')) {
    const end = word.indexOf('=');
    return end === -1 ? [word] : [word.slice(0, end), word.slice(end + 1)];
  }
  // Letters before the first that takes a value stand for themselves.
  const letters = /^-([a-zA-Z#0-9]*?)([oDcTKEbdFH])(.*)$/s.exec(word);
  if (letters === null) return [word];
  const [, , letter = '', rest = ''] = letters;
  return rest === '' ? [`-${letter}`] : [`-${letter}`, rest];
}

/** A program that writes where an option tells, and reads its operands. */
const writing =
  (options: string, takes = ''): Effect =>
  (operands) => [
    ...touch('write', [operands.value(...options.split(' '))]),
    ...touch('read', operands.plain(set(`${options} ${takes}`))),
  ];

/** A program that reads all of its operands but the last, which it writes. */
const lastWritten: Effect = (operands) => {
  const names = operands.plain(set('-i -f -c -s -t -r -o -l'));
  return names.length < 2
    ? touch('read', names)
    : [...touch('read', names.slice(0, -1)), ...touch('write', names.slice(-1))];
};

/** A packer puts its result in the place of a file. */
const packer: Effect = (operands) =>
  touch(operands.hasShort('ctlk') || operands.has('--stdout', '--keep') ? 'read' : 'write', operands.plain());

const patch: Effect = (operands) => [
  ...touch('write', operands.plain(set('-p -i -o -d -D -F -z')).slice(0, 1)),
  ...touch('write', [operands.value('-o', '--output'), operands.value('-d', '--directory')]),
  ...touch('read', [operands.value('-i', '--input')]),
];

const wget: Effect = (operands) => {
  const output = operands.value('-O', '--output-document');
  return [
    ...touch('write', [output === '-' ? undefined : output, operands.value('-P', '--directory-prefix')]),
    ...touch('read', [operands.value('--post-file', '--body-file')]),
  ];
};

const git: Effect = (operands) => {
  const [verb = '', first = '', second, third] = operands.plain();
  switch (verb) {
    case 'clone':
      return touch('write', [second]);
    case 'init':
      return touch('write', [first]);
    case 'worktree':
      return first === 'add'
        ? touch('write', [second])
        : first === 'remove'
          ? touch('delete', [second], true)
          : [];
    case 'rm':
      return operands.has('--cached')
        ? []
        : touch('delete', operands.plain().slice(1), operands.hasShort('r'));
    case 'diff':
      return operands.has('--no-index') ? touch('read', [first, second, third]) : [];
    case 'archive':
      return touch('write', [operands.value('-o', '--output')]);
    case 'hash-object':
    case 'add':
    case 'grep':
      return touch('read', operands.plain().slice(verb === 'grep' ? 2 : 1));
    case 'show':
    case 'cat-file':
      return touch(
        'read',
        operands.plain().map((name) => /^[^/]*?:(.+)$/.exec(name)?.[1]),
      );
    default:
      return touch('write', [operands.value('--output')]);
  }
};

const sshKey: Effect = (operands) => {
  const file = operands.value('-f');
  if (operands.hasShort('l')) return touch('look', [file ?? operands.plain()[0]]);
  return touch(operands.has('-y') ? 'read' : 'write', [file]);
};

const openssl: Effect = (operands) => [
  ...touch('write', [operands.value('-out')]),
  ...touch('read', [operands.value('-in'), operands.value('-inkey')]),
];

const sort: Effect = (operands) => [
  ...touch('write', [operands.value('-o', '--output')]),
  ...touch('read', operands.plain(set('-o -k -t -S -T --output'))),
];

const script: Effect = (operands) => {
  const file = operands.plain(set('-c')).find((name) => name !== '-');
  return operands.words.some((word) => /^-[a-zA-Z]*c$/.test(word)) ? [] : touch('read', [file]);
};

/** A filter whose first operand is a program of its own, which may write as well. */
const awk: Effect = (operands) => {
  const names = operands.plain(set('-F -v -f --file'));
  const [program = ''] = names;
  const written = [...program.matchAll(/>{1,2}\s*"([^"]+)"/g)].map(([, name]) => name);
  return [...touch('read', names.slice(1)), ...touch('write', written)];
};

const NOTHING: Effect = () => [];

/** Any other program: words that look like names of files are read. */
export const UNKNOWN: Effect = (operands) => [
  ...touch(
    'write',
    [operands.value('-o', '--output', '--out', '--outfile', '--output-file')].filter(isFileLike),
  ),
  ...touch(
    'read',
    operands.words
      .map((word) => (word.startsWith('-') && word.includes('=') ? word.slice(word.indexOf('=') + 1) : word))
      .filter((word) => /[/.~]/.test(word) && !word.startsWith('-') && !/\s/.test(word))
      .filter((word) => !/^[a-z][\w+.-]*:\/\//i.test(word) || /^file:/i.test(word)),
  ),
];

/** Text, JSON, a number: values of an `--output` that name no file. */
function isFileLike(value: string | undefined): boolean {
  return value !== undefined && /[/.~]/.test(value) && !/^[\d.]+$/.test(value);
}

const GREP_PATTERNS = ['-e', '-f', '--regexp', '--file'];
const GREP_TAKES =
  '-e -f -A -B -C -m -g -t -d --glob --include --exclude --exclude-dir --type --regexp --file -E --context';

const named = (names: string, effect: Effect): readonly (readonly [string, Effect])[] =>
  names.split(' ').map((name) => [name, effect]);

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
    afterFirst(
      'read',
      GREP_TAKES,
      GREP_PATTERNS,
      (operands) => operands.hasShort('rR') || operands.has('--recursive'),
    ),
  ),
  ...named(
    'rg ag ack',
    afterFirst('read', GREP_TAKES, GREP_PATTERNS, () => true),
  ),
  ...named('awk gawk mawk nawk', awk),
  ...named('jq yq', afterFirst('read', '--arg --argjson -f')),
  ...named('find fd', find),
  ...named('tar gtar bsdtar', tape),
  ...named('unzip', (operands) => (operands.has('-l') ? [] : touch('write', [operands.value('-d') ?? '.']))),
  ...named('7z 7za', (operands) =>
    touch('write', [operands.words.map((word) => /^-o(.+)/.exec(word)?.[1]).find(Boolean) ?? '.']),
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
  ...named(
    'gpg gpg2 gcc g++ cc clang c++ rustc shuf iconv ffmpeg aria2c',
    writing('-o --output', '-d -c -x -k -n'),
  ),
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
  ...named('ed ex fallocate mknod mkfifo rename mmv symlink', all('write', '-l -s -c')),
  ...named('gio', afterFirst('delete', '')),
  ...named('trash trash-put', all('delete')),
  ...named('xattr', afterFirst('change', '')),
  ...named('ls stat test [ file du tree cd pushd realpath readlink which basename dirname df', all('look')),
  ...named('sh bash dash zsh ksh ash fish source .', script),
  ...named(
    'cat head tail less more bat nl tac od hexdump strings base64 wc cut diff cmp md5sum sha1sum sha256sum shasum vim vi nvim nano emacs code open xdg-open zcat split paste column rev fold pbcopy xclip',
    all('read', '-n -c -l'),
  ),
  ...named(
    'echo printf npm pnpm yarn docker podman kubectl gh psql mysql export kill pkill aws gcloud terraform brew apt apt-get say notify-send expr seq date sleep set unset alias read eval trap exit true false return sqlite3 mongosh redis-cli ssh crontab python python3 node deno bun php http systemctl security defaults osascript sudo env xargs nohup time nice timeout command exec popd declare local readonly typeset hash umask wait jobs bg fg history type',
    NOTHING,
  ),
]);
