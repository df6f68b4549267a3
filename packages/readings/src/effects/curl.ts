import { set, touch, type Effect } from './effect.js';
import { isShortFor, type Touch } from './touch.js';

const CURL_WRITES = set(
  '-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --hsts --alt-svc --output-dir --etag-save --libcurl',
);
const CURL_READS = set(
  '-T --upload-file -K --config -E --cert --key --netrc-file --cacert -b --cookie --etag-compare',
);
const CURL_DATA = set(
  '-d --data --data-binary --data-ascii --data-urlencode --data-raw --url-query -F --form --json -H --header',
);

/** Short options of curl that take a value. */
const TAKES: ReadonlySet<string> = new Set('AbcCdDeEFHKmoPQrtTuUwxXyYz');

export const curl: Effect = ({ words }) =>
  words.flatMap((word, at) => {
    if (word === '--netrc') return touch('read', ['~/.netrc']);
    if (word === '--remote-name' || word === '--remote-name-all') return touch('write', ['.']);
    if (/^file:/i.test(word)) return touch('read', [word]);
    const { flags, option, value = words[at + 1] } = optionsOf(word);
    return [
      ...touch('write', flags.includes('O') ? ['.'] : []),
      ...touch('read', flags.includes('n') ? ['~/.netrc'] : []),
      ...filesOf(option, value),
    ];
  });

const CURL_LONG = [...CURL_WRITES, ...CURL_READS, ...CURL_DATA].filter((option) => option.startsWith('--'));

/** The option that one is, or is the beginning of. */
function known(option: string): string {
  return CURL_LONG.includes(option) ? option : (CURL_LONG.find((one) => isShortFor(option, one)) ?? option);
}

function filesOf(named: string, value: string | undefined): readonly Touch[] {
  const option = known(named);
  if (CURL_WRITES.has(option)) return touch('write', [value]);
  if (CURL_DATA.has(option)) {
    const file = /(?:^|=|^\w*)[@<]([^;,]+)/.exec(value ?? '')?.[1];
    return file === '-' ? [] : touch('read', [file]);
  }
  return CURL_READS.has(option) && !(option === '-b' && value?.includes('=')) ? touch('read', [value]) : [];
}

interface Options {
  /** Letters that stand for themselves. */
  readonly flags: string;
  /** The option that takes a value; empty for none. */
  readonly option: string;
  /** The value in the same word: `--output=x`, `-ox`, `-sSox`. */
  readonly value?: string;
}

function optionsOf(word: string): Options {
  if (!word.startsWith('-') || word === '-') return { flags: '', option: '' };
  if (word.startsWith('--')) {
    const end = word.indexOf('=');
    return end === -1
      ? { flags: '', option: word }
      : { flags: '', option: word.slice(0, end), value: word.slice(end + 1) };
  }
  let at = 1;
  while (at < word.length && !TAKES.has(word.charAt(at))) at += 1;
  const [flags, letter, rest] = [word.slice(1, at), word.charAt(at), word.slice(at + 1)];
  return { flags, option: letter === '' ? '' : `-${letter}`, ...(rest === '' ? {} : { value: rest }) };
}

/** Results, folders of them, and logs, in which the addresses stand. */
const WGET_WRITES =
  '-O --output-document -P --directory-prefix -o --output-file -a --append-output --save-cookies --warc-file --hsts-file --rejected-log'.split(
    ' ',
  );

export const wget: Effect = (operands) => {
  const written = operands.values(...WGET_WRITES);
  return [
    ...touch(
      'write',
      written.filter((name) => name !== '-'),
    ),
    ...touch('read', operands.values('--post-file', '--body-file')),
  ];
};
